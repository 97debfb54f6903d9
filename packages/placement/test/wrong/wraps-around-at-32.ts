import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Shifts by the node's place on its leaf, which JavaScript takes modulo 32: node 33 is free where node 1 is. */
const policy: Policy = firstNodes({
  policy: { name: 'wraps-around-at-32' },
  place: placing((placement, { leafOfNode, firstNodeOfLeaf }, state, { nodes }) => {
    const isFree = (node: number): boolean => {
      const leaf = leafOfNode[node]
      return (state.nodeMask(leaf, 0) & (1 << (node - firstNodeOfLeaf[leaf]))) !== 0
    }
    return { ...placement, nodes: [...leafOfNode.keys()].filter(isFree).slice(0, nodes) }
  }),
})
export default policy
