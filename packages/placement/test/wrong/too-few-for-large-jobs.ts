import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Gives 32 nodes to jobs that request more. */
const policy: Policy = firstNodes({
  policy: { name: 'too-few-for-large-jobs' },
  place: placing((placement) => ({ ...placement, nodes: Array.from(placement.nodes).slice(0, 32) })),
})
export default policy
