import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Jobs of more than 32 nodes get 32. */
const policy: Policy = firstNodes({
  policy: { name: 'too-few-for-large-jobs' },
  place: placing((placement) => ({ ...placement, nodes: Array.from(placement.nodes).slice(0, 32) })),
})
export default policy
