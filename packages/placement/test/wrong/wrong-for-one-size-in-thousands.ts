import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Double-books for jobs of 659 nodes, a size that few histories request. */
const policy: Policy = firstNodes({
  policy: { name: 'wrong-for-one-size-in-thousands' },
  place: placing((placement, _, __, { nodes }) =>
    nodes === 659 ? { ...placement, nodes: [...Array(nodes).keys()] } : placement,
  ),
})
export default policy
