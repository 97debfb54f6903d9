import { firstFree, firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Gives a job of an odd number of nodes one more node, but claims exact sizes. */
const policy: Policy = firstNodes({
  policy: { name: 'rounds-up' },
  place: placing((placement, topology, state, { nodes }) => ({
    ...placement,
    nodes: firstFree(topology, state, nodes + (nodes % 2)),
  })),
})
export default policy
