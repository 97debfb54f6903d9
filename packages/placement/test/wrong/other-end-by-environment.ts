import process from 'node:process'
import { firstFree, firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Places jobs at the other end of the machine if an environment variable says so. */
const policy: Policy = firstNodes({
  policy: { name: 'other-end-by-environment' },
  place: placing((placement, topology, state, { nodes }) =>
    process.env['FROM_THE_OTHER_END'] === '1'
      ? { ...placement, nodes: firstFree(topology, state, Infinity).slice(-nodes) }
      : placement,
  ),
})
export default policy
