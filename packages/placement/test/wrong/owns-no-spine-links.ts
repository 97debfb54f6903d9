import type { Policy } from '../sample-policies.ts'
import { twoHalves } from '../two-halves.ts'

/** Jobs in two pods own the links of their leaves, and none between the pods. */
const policy: Policy = twoHalves({ name: 'owns-no-spine-links', spinePorts: () => [] })
export default policy
