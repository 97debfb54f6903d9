import { firstFree, firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Never gives nodes of the last pod to a job with an odd number of nodes. */
const policy: Policy = firstNodes({
  policy: { name: 'last-pod-for-even-sizes-alone' },
  place: placing((placement, topology, state, { nodes }) => {
    const { pods, podOfLeaf, leafOfNode } = topology
    if (nodes % 2 === 0 || pods === 1) return placement
    const others = firstFree(topology, state, Infinity).filter((node) => podOfLeaf[leafOfNode[node]] < pods - 1)
    return others.length < nodes ? refused('free nodes') : { ...placement, nodes: others.slice(0, nodes) }
  }),
})
export default policy
