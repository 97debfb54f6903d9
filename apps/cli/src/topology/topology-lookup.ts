import { readFileSync } from 'node:fs'
import { parseTopology, type Topology } from '@cloister/topology'
import type { Effect } from 'effect'
import { attempt, type Problem } from '../errors/problem.ts'

/** Builds the topology that a user names; a file it names is read from the working directory. */
export function findTopology(spec: string): Effect.Effect<Topology, Problem> {
  return attempt(() => parseTopology(spec, (path) => readFileSync(path, 'utf8')))
}
