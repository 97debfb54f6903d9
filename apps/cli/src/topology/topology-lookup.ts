import { attempt, type TaggedProblem } from '@cloister/run'
import { Files, parseYaml } from '@cloister/run/node'
import { parseTopology, type Topology } from '@cloister/topology'
import { Effect } from 'effect'

/** Builds a topology from a specification, such as `radix:18` or `slurm:FILE`. FILE may be a relative path. */
export function findTopology(spec: string): Effect.Effect<Topology, TaggedProblem, Files> {
  return Effect.flatMap(Files, ({ readText }) => attempt(() => parseTopology(spec, readText, parseYaml)))
}
