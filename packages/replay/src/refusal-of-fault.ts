import { PolicyFaultError } from '@cloister/kernel'
import type { Refusal } from '@cloister/placement'

/** Returns a refusal for a policy's failure at a request that the run did not make. Throws all other errors again. */
export function refusalOfFault(error: unknown): Refusal {
  if (!(error instanceof PolicyFaultError)) throw error
  return { ok: false, code: 'no-placement', constraint: `the policy fails at this request: ${error.reason}` }
}
