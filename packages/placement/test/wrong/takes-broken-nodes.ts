import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** A leaf without jobs it takes for a free one: nodes of it that are down, or reserved, too. */
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
