import type { Policy } from '../sample-policies.ts'
import { twoHalves } from '../two-halves.ts'

/** Numbers the up-ports of a switch with absent cables as if all cables were there, and so names other cables. */
const policy: Policy = twoHalves({ name: 'uses-an-absent-cable', ignoresAbsentParts: true })
export default policy
