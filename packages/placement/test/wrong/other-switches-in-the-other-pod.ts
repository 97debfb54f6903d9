import type { Policy } from '../sample-policies.ts'
import { twoHalves } from '../two-halves.ts'

/** Uses L2 switches with different indices in the two pods. Breaks condition (5) of the Jigsaw paper and no other condition. */
const policy: Policy = twoHalves({
  name: 'other-switches-in-the-other-pod',
  secondL2: (nodes) => Array.from({ length: nodes }, (_, at) => at + 1),
})
export default policy
