import type { Policy } from '../sample-policies.ts'
import { twoHalves } from '../two-halves.ts'

/** Does not test whether the links to the spines are free. */
const policy: Policy = twoHalves({ name: 'shares-spine-links', isSpineFree: () => true })
export default policy
