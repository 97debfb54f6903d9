import type { Outcome } from '../../src/contract.ts'
import { firstNodes, refusing, type Policy } from '../sample-policies.ts'

/** Returns undefined instead of a refusal if too few nodes are free: a branch of `place` has no return. */
const policy: Policy = firstNodes({
  policy: { name: 'returns-nothing-when-full' },
  place: refusing((refusal) => (refusal.code === 'never' ? refusal : (undefined as unknown as Outcome))),
})
export default policy
