import { firstFree, firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Uses only the first 64 nodes of each leaf, like a policy that reads two words of a leaf's mask of free nodes. */
const policy: Policy = firstNodes({
  policy: { name: 'forgets-nodes-from-64' },
  place: placing((placement, topology, state, { nodes }) => {
    const { leafOfNode, firstNodeOfLeaf } = topology
    const seen = firstFree(topology, state, Infinity).filter((node) => node - firstNodeOfLeaf[leafOfNode[node]] < 64)
    return seen.length < nodes ? refused('free nodes') : { ...placement, nodes: seen.slice(0, nodes) }
  }),
})
export default policy
