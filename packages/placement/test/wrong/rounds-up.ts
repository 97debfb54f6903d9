import { firstFree, firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Rounds up to an even number of nodes, but claims exact sizes. */
const policy: Policy = firstNodes({
  policy: { name: 'rounds-up' },
  place: placing((placement, topology, state, { nodes }) => ({
    ...placement,
    nodes: firstFree(topology, state, nodes + (nodes % 2)),
  })),
})
export default policy
