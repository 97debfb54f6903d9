import type { Outcome, PlacementPolicy, Request, StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import * as v from 'valibot'
import { version } from './version.ts'

export interface Config {
  /** Order of leaves: `fullest-first` keeps more leaves free of jobs, `emptiest-first` puts a job on fewer leaves. */
  readonly order: 'fullest-first' | 'emptiest-first'
}

const Config = v.strictObject({
  order: v.exactOptional(
    v.pipe(
      v.picklist(['fullest-first', 'emptiest-first']),
      v.description('leaves with the fewest free nodes first, or with the most'),
    ),
    'fullest-first',
  ),
})

/** Placement policy that fills leaves in the configured order. Jobs share every link. */
export const ordered: PlacementPolicy<Config> = {
  contract: 1,
  name: 'ordered',
  version,
  config: Config,
  make: (topology, { order }) => ({
    claims: {
      links: 'shared',
      fullBandwidth: false,
      exactSize: true,
      monotone: true,
      complete: true,
      anyFreeNodes: true,
      speedupScenarios: false,
    },
    place(state, request) {
      const sign = order === 'fullest-first' ? 1 : -1
      return leafByLeaf(topology, state, request, (leaf) => sign * state.freeNodesOnLeaf(leaf))
    },
  }),
}
export default ordered

/** Takes leaves in ascending order of a key, then of their id, until the job has its nodes. */
function leafByLeaf(topology: Topology, state: StateView, request: Request, keyOf: (leaf: number) => number): Outcome {
  if (request.nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
  if (request.nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
  const leaves = Array.from({ length: topology.leaves }, (_, leaf) => leaf).sort((a, b) => keyOf(a) - keyOf(b) || a - b)
  const ids = new Int32Array(topology.nodes)
  let taken = 0
  for (let next = 0; taken < request.nodes; next++) taken += state.freeNodeIds(leaves[next], ids, taken)
  // The last leaf may have more free nodes than the job needs. Ids must ascend.
  return { ok: true, nodes: ids.slice(0, request.nodes).sort(), links: [] }
}
