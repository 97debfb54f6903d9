import type { ClusterState } from '../../src/state.ts'
import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Marks the placed nodes as taken, a task of the scheduler. */
const policy: Policy = firstNodes({
  policy: { name: 'takes-nodes-itself' },
  place: placing((placement, _, state) => {
    ;(state as ClusterState).withhold(placement)
    return placement
  }),
})
export default policy
