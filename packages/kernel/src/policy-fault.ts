import type { Request } from '@cloister/placement'

/**
 * How a policy failed. throws: its code threw. answer: what it said is no answer. placement: it gave nodes or links that there
 * are not, or that are not free. rewritten: it changed an answer that it had given. time: it did not answer in time.
 */
export type FaultCode = 'throws' | 'answer' | 'placement' | 'rewritten' | 'time'

/** Where a fault stands in the log. */
interface Recorded {
  /** Of its record. */
  readonly seq: number
  /** Integer milliseconds. */
  readonly time: number
}

/** A policy broke its contract. The log holds all that led to it, up to a `fault` record with the question. */
export class PolicyFaultError extends Error {
  readonly _tag = 'PolicyFaultError'
  readonly policy: string
  readonly code: FaultCode
  /** What it did, in words, without its name. */
  readonly reason: string
  /** What it was asked last; undefined where that was nothing yet. */
  readonly request: Request | undefined
  /** What it threw. */
  override readonly cause: unknown
  /** Undefined where it could not be recorded: nothing was asked yet. */
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

  /** The same, once it stands in the log. */
  recordedAt(recorded: Recorded): PolicyFaultError {
    const { policy, code, reason, request, cause } = this
    return new PolicyFaultError({ policy, code, reason, request, cause, recorded })
  }
}

type FaultParts = Pick<PolicyFaultError, 'policy' | 'code' | 'reason' | 'request' | 'cause' | 'recorded'>
