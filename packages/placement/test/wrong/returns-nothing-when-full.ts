import type { Outcome } from '../../src/contract.ts'
import { firstNodes, refusing } from '../sample-policies.ts'

/** Has a branch without a return. */
export default firstNodes({
  policy: { name: 'returns-nothing-when-full' },
  place: refusing((refusal) => (refusal.code === 'never' ? refusal : (undefined as unknown as Outcome))),
})
