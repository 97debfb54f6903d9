import { firstFree, firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Reads only the first two words of the mask of each leaf, so nodes from the sixty-fifth on are never used. */
const policy: Policy = firstNodes({
  policy: { name: 'forgets-nodes-from-64' },
  place: placing((placement, topology, state, { nodes }) => {
    const { leafOfNode, firstNodeOfLeaf } = topology
    const seen = firstFree(topology, state, Infinity).filter((node) => node - firstNodeOfLeaf[leafOfNode[node]] < 64)
    return seen.length < nodes ? refused('free nodes') : { ...placement, nodes: seen.slice(0, nodes) }
  }),
})
export default policy
