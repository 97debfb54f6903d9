import type { Request } from '@cloister/placement'

/**
 * Kind of a policy's failure. throws: the policy's code threw. answer: the answer has no valid form. placement: nodes
 * or links of the answer do not exist or are not free. rewritten: the policy wrote to an earlier answer. time: the
 * policy gave no answer in time.
 */
export type FaultCode = 'throws' | 'answer' | 'placement' | 'rewritten' | 'time'

interface Recorded {
  readonly seq: number
  /** Time of the fault record, integer milliseconds. */
  readonly time: number
}

/**
 * Error for a policy that broke its contract. The log has all earlier events, then a `fault` record with the last
 * request.
 */
export class PolicyFaultError extends Error {
  readonly _tag = 'PolicyFaultError'
  readonly policy: string
  readonly code: FaultCode
  /** Description of the failure, without the name of the policy. */
  readonly reason: string
  /** Last request to the policy; undefined if the policy failed before the first request. */
  readonly request: Request | undefined
  /** Value that the policy threw; undefined if the policy did not throw. */
  override readonly cause: unknown
  /**
   * Seq and time, integer milliseconds, of the fault record; undefined until the fault is recorded. A fault before the
   * first request is never recorded.
   */
  readonly recorded: Recorded | undefined

  constructor(fault: FaultParts) {
    super(`policy ${fault.policy}: ${fault.reason}`)
    this.policy = fault.policy
    this.code = fault.code
    this.reason = fault.reason
    this.request = fault.request
    this.cause = fault.cause
    this.recorded = fault.recorded
  }

  recordedAt(recorded: Recorded): PolicyFaultError {
    const { policy, code, reason, request, cause } = this
    return new PolicyFaultError({ policy, code, reason, request, cause, recorded })
  }
}

type FaultParts = Pick<PolicyFaultError, 'policy' | 'code' | 'reason' | 'request' | 'cause' | 'recorded'>
