import { readFileSync } from 'node:fs'
import type { TaggedProblem } from '@cloister/run'
import { parseTopology, type Topology } from '@cloister/topology'
import type { Effect } from 'effect'
import { attempt } from '../errors/attempt.ts'

/** Builds the topology that a user names; a file it names is read from the working directory. */
export function findTopology(spec: string): Effect.Effect<Topology, TaggedProblem> {
  return attempt(() => parseTopology(spec, (path) => readFileSync(path, 'utf8')))
}
