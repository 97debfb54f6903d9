import type { Policy } from '../sample-policies.ts'
import { twoHalves } from '../two-halves.ts'

/** Owns the links of the leaves of a job in two pods, but no links between the pods. */
const policy: Policy = twoHalves({ name: 'owns-no-spine-links', spinePorts: () => [] })
export default policy
