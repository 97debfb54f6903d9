import { firstNodes, type Policy } from '../sample-policies.ts'

/** Counts the absent nodes of a leaf as free nodes of the leaf. */
const policy: Policy = firstNodes({
  policy: { name: 'counts-absent-nodes' },
  place: (good) => (topology, state, request, index) => {
    const { leaves, envelope, firstNodeOfLeaf } = topology
    const outcome = good(topology, state, request, index)
    if (envelope === undefined || !outcome.ok) return outcome
    for (let leaf = 0; leaf < leaves; leaf++) {
      const absent = envelope.shape.m[0] - (firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf])
      if (state.freeNodesOnLeaf(leaf) + absent < request.nodes) continue
      const ids = new Int32Array(topology.nodes)
      const free = state.freeNodeIds(leaf, ids)
      return { ok: true, nodes: ids.slice(0, Math.min(request.nodes, free)), links: [] }
    }
    return outcome
  },
})
export default policy
