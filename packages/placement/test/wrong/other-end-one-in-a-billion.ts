import { firstFree, firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Places one job in a billion at the other end of the machine, at random. */
const policy: Policy = firstNodes({
  policy: { name: 'other-end-one-in-a-billion' },
  place: placing((placement, topology, state, { nodes }) =>
    Math.random() < 1e-9 ? { ...placement, nodes: firstFree(topology, state, Infinity).slice(-nodes) } : placement,
  ),
})
export default policy
