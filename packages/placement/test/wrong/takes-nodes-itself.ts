import type { ClusterState } from '../../src/state.ts'
import { firstNodes, placing } from '../sample-policies.ts'

/** Marks what it gives as taken, which is for the scheduler to do. */
export default firstNodes({
  policy: { name: 'takes-nodes-itself' },
  place: placing((placement, _, state) => {
    ;(state as ClusterState).withhold(placement)
    return placement
  }),
})
