import { PolicyFaultError } from '@cloister/kernel'
import type { Refusal } from '@cloister/placement'

/**
 * Returns a refusal with the failure of a policy at a question that the run did not ask. The failure should not prevent
 * the remaining answers.
 *
 * @throws the given error if the error is not a PolicyFaultError
 */
export function refusalOfFault(error: unknown): Refusal {
  if (!(error instanceof PolicyFaultError)) throw error
  return { ok: false, code: 'no-placement', constraint: `the policy fails at this question: ${error.reason}` }
}
