import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Places jobs of eleven nodes one node too far to the left, onto a node that may be taken. */
const policy: Policy = firstNodes({
  policy: { name: 'double-books-rarely' },
  place: placing((placement, _, __, { nodes }) => {
    const ids = Array.from(placement.nodes)
    return nodes === 11 && ids[0] > 0 ? { ...placement, nodes: [ids[0] - 1, ...ids.slice(0, -1)] } : placement
  }),
})
export default policy
