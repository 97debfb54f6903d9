import type { Policy } from '../sample-policies.ts'
import { twoHalves } from '../two-halves.ts'

/** In the second pod the L2 switches have other indices than in the first: condition (5) of the Jigsaw paper, and no other. */
const policy: Policy = twoHalves({
  name: 'other-switches-in-the-other-pod',
  secondL2: (nodes) => Array.from({ length: nodes }, (_, at) => at + 1),
})
export default policy
