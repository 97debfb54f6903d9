import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Shifts by the node's index on its leaf. JavaScript shifts modulo 32, so node 33 looks free if node 1 is free. */
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
