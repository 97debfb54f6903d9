import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Puts two ranks on the first node of a job with a communication matrix of more than twelve ranks. */
const policy: Policy = firstNodes({
  policy: { name: 'two-ranks-on-a-node' },
  place: placing((placement, _, __, { communication }) => {
    const count = communication?.matrix?.bytes.length ?? 0
    if (count <= 12) return placement
    const { nodes } = placement
    return { ...placement, ranks: Array.from(nodes, (node, rank) => (rank === 1 ? nodes[0] : node)) }
  }),
})
export default policy
