import { firstFree, firstNodes, placing, type Policy } from '../sample-policies.ts'

let calls = 0

/** Places jobs at the other end of the machine after 200,000 calls. */
const policy: Policy = firstNodes({
  policy: { name: 'other-end-after-200000-calls' },
  place: placing((placement, topology, state, { nodes }) =>
    ++calls > 200_000 ? { ...placement, nodes: firstFree(topology, state, Infinity).slice(-nodes) } : placement,
  ),
})
export default policy
