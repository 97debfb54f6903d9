import { firstFree, firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Places jobs at the other end of the machine if the clock of the computer shows the year 2100 or later. */
const policy: Policy = firstNodes({
  policy: { name: 'other-end-from-2100-on' },
  place: placing((placement, topology, state, { nodes }) =>
    new Date().getFullYear() >= 2100
      ? { ...placement, nodes: firstFree(topology, state, Infinity).slice(-nodes) }
      : placement,
  ),
})
export default policy
