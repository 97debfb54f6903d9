import { firstFree, firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Treats negative mask words as empty. A word is negative if node 31 of the leaf is free. */
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
