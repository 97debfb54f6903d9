import { firstFree, firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Gives an even number of nodes, and claims to give what was asked for. */
const policy: Policy = firstNodes({
  policy: { name: 'rounds-up' },
  place: placing((placement, topology, state, { nodes }) => ({
    ...placement,
    nodes: firstFree(topology, state, nodes + (nodes % 2)),
  })),
})
export default policy
