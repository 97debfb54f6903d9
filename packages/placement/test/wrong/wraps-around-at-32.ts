import { firstNodes, placing } from '../sample-policies.ts'

/** Shifts by the node's place on its leaf, which JavaScript takes modulo 32: node 33 is free where node 1 is. */
export default firstNodes({
  policy: { name: 'wraps-around-at-32' },
  place: placing((placement, { leafOfNode, firstNodeOfLeaf }, state, { nodes }) => {
    const isFree = (node: number): boolean => {
      const leaf = leafOfNode[node]
      return (state.nodeMask(leaf, 0) & (1 << (node - firstNodeOfLeaf[leaf]))) !== 0
    }
    return { ...placement, nodes: [...leafOfNode.keys()].filter(isFree).slice(0, nodes) }
  }),
})
