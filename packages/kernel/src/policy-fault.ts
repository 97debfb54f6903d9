import type { Json, Recorder } from '@cloister/eventlog'
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
  /** Time limit in ms that a program exceeded; undefined for the run's own limit, and for other faults. */
  readonly limit: number | undefined
  /**
   * Seq and time, integer milliseconds, of the fault record; undefined until the fault is recorded. A fault before the
   * first request is never recorded.
   */
  readonly recorded: Recorded | undefined

  constructor(
    fault: Pick<PolicyFaultError, 'policy' | 'code' | 'reason' | 'request' | 'cause' | 'limit' | 'recorded'>,
  ) {
    super(`policy ${fault.policy}: ${fault.reason}`)
    this.policy = fault.policy
    this.code = fault.code
    this.reason = fault.reason
    this.request = fault.request
    this.cause = fault.cause
    this.limit = fault.limit
    this.recorded = fault.recorded
  }

  recordedAt(recorded: Recorded): PolicyFaultError {
    const { policy, code, reason, request, cause, limit } = this
    return new PolicyFaultError({ policy, code, reason, request, cause, limit, recorded })
  }
}

/** Error for a run that would call the policy's `place` more often than the caller allows; no fault of the policy. */
export class TooManyQuestionsError extends Error {
  readonly _tag: 'TooManyQuestionsError' = 'TooManyQuestionsError'
  override readonly name: string = 'TooManyQuestionsError'
  readonly policy: string
  readonly most: number

  constructor(policy: string, most: number) {
    super(`policy ${policy} would be asked more than ${most} questions`)
    this.policy = policy
    this.most = most
  }
}

/**
 * Calls `act`. Records a failure of the policy, unless it is recorded or came before the first request.
 *
 * @param at time of the record in integer milliseconds, and seq of its cause
 * @param timeLimit limit of a call of the policy in milliseconds, if there is one
 */
export function recordingFaults<Answer>(
  act: () => Answer,
  recorder: Recorder,
  at: { readonly now: number; readonly cause: number },
  timeLimit: number | undefined,
): Answer {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof PolicyFaultError) || error.request === undefined || error.recorded !== undefined) throw error
    const { code, reason: message, request } = error
    const { job, purpose } = request
    const { now: time, cause } = at
    const limit = code === 'time' ? (error.limit ?? timeLimit) : undefined
    const json = requestAsJson(request)
    const seq = recorder.record({ type: 'fault', t: time, job, purpose, request: json, message, cause, code, limit })
    throw error.recordedAt({ seq, time })
  }
}

/** Returns a request as JSON for a `fault` record; a communication matrix keeps only its name and checksum. */
export function requestAsJson(request: Request): Json {
  return JSON.parse(
    JSON.stringify(request, (key, value) =>
      key === 'bytes' || (typeof value === 'number' && !Number.isFinite(value)) ? undefined : value,
    ),
  )
}

/** Failure that the policy's transport describes itself, as for a program in a process of its own. */
interface DescribedFault {
  readonly code: 'throws' | 'answer' | 'time'
  readonly reason: string
  readonly limit?: number
}

/** Returns the member `fault` of an error of `place`; undefined if the error has no such description. */
export function describedFault(thrown: unknown): DescribedFault | undefined {
  if (!(thrown instanceof Error) || !('fault' in thrown)) return undefined
  const fault = thrown.fault as Partial<DescribedFault> | null
  return typeof fault?.reason === 'string' && ['throws', 'answer', 'time'].includes(fault.code!)
    ? (fault as DescribedFault)
    : undefined
}

const MOST_CHARACTERS = 500

/** A thrown value may be of any type, and reading it may throw. */
export function thrownInWords(thrown: unknown): string {
  try {
    const text =
      thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : (JSON.stringify(thrown) ?? String(thrown))
    return text.slice(0, MOST_CHARACTERS).toWellFormed()
  } catch {
    return 'a value that cannot be shown'
  }
}
