import { PolicyFaultError } from '@cloister/kernel'
import type { Refusal } from '@cloister/placement'

/**
 * Returns a refusal that describes the failure of a policy at a request that the run itself did not make. The failure
 * then does not prevent the answers to the remaining requests.
 *
 * @throws the given error if the error is not a PolicyFaultError
 */
export function refusalOfFault(error: unknown): Refusal {
  if (!(error instanceof PolicyFaultError)) throw error
  return { ok: false, code: 'no-placement', constraint: `the policy fails at this request: ${error.reason}` }
}
