import type { Outcome, PlacementPolicy, Request, StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import * as Schema from 'effect/Schema'
import { version } from './version.ts'

/** Configuration of the policy Baseline: an empty object. */
export type Config = Readonly<Record<string, never>>
const Config: Schema.Codec<Config> = Schema.Record(
  Schema.String,
  Schema.Never.annotate({ message: 'no such field: baseline has nothing to configure' }),
)

/** The policy Baseline: a job gets the free nodes with the lowest ids and shares every link. */
export const baseline: PlacementPolicy<Config> = {
  contract: 1,
  name: 'baseline',
  version,
  config: Schema.toStandardSchemaV1(Config),
  make: (topology) => {
    const scratch = new Int32Array(topology.nodes)
    return {
      claims: {
        links: 'shared',
        fullBandwidth: false,
        exactSize: true,
        monotone: true,
        complete: true,
        anyFreeNodes: true,
        speedupScenarios: false,
      },
      place: (state, request) => firstFree(topology, scratch, state, request),
    }
  },
}
export default baseline

function firstFree(topology: Topology, scratch: Int32Array, state: StateView, request: Request): Outcome {
  if (request.nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
  if (request.nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
  let taken = 0
  for (let leaf = 0; taken < request.nodes; leaf++) taken += state.freeNodeIds(leaf, scratch, taken)
  // The last leaf may have more free nodes than the job needs.
  return { ok: true, nodes: scratch.slice(0, request.nodes), links: [] }
}
