import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Treats a leaf without jobs as free, including nodes that are down or reserved. */
const policy: Policy = firstNodes({
  policy: { name: 'takes-broken-nodes' },
  place: placing((placement, { leaves, firstNodeOfLeaf }, state, { nodes }) => {
    for (let leaf = 0; leaf < leaves; leaf++) {
      const first = firstNodeOfLeaf[leaf]
      if (state.busyNodesOnLeaf(leaf) === 0 && first + nodes === firstNodeOfLeaf[leaf + 1])
        return { ...placement, nodes: Array.from({ length: nodes }, (_, at) => first + at) }
    }
    return placement
  }),
})
export default policy
