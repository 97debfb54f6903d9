import { PolicyFaultError } from '@cloister/kernel'
import type { Refusal } from '@cloister/placement'

/**
 * Returns a refusal that says how a policy failed at a question that its run did not have to ask: a failure there is no reason to
 * give up the other answers.
 *
 * @throws any error that is no PolicyFaultError
 */
export function refusalOfFault(error: unknown): Refusal {
  if (!(error instanceof PolicyFaultError)) throw error
  return { ok: false, code: 'no-placement', constraint: `the policy fails at this question: ${error.reason}` }
}
