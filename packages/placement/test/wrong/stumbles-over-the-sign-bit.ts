import { firstFree, firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Takes a mask that is not above 0 for an empty one: with node 31 of a leaf free it is negative. */
const policy: Policy = firstNodes({
  policy: { name: 'stumbles-over-the-sign-bit' },
  place: placing((placement, topology, state, { nodes }) => {
    const { leafOfNode, firstNodeOfLeaf } = topology
    const seen = firstFree(topology, state, Infinity).filter((node) => {
      const leaf = leafOfNode[node]
      return state.nodeMask(leaf, (node - firstNodeOfLeaf[leaf]) >>> 5) > 0
    })
    return seen.length < nodes ? refused('free nodes') : { ...placement, nodes: seen.slice(0, nodes) }
  }),
})
export default policy
