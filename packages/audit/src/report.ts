import type { LogOutcome, LogRecord } from '@cloister/eventlog'
import type { UntestedClaim } from './claims.ts'
import type { Tally } from './invariant.ts'

/** Record of a log that breaks an invariant. */
export interface Violation {
  readonly invariant: string
  /** Seq of the record at which the violation was found: the number of its line, from 0. */
  readonly seq: number
  /** Time of the record, in seconds. */
  readonly t?: number
  readonly job?: string
  readonly message: string
}

/** Result of an audit, as plain data for JSON. */
export interface AuditReport {
  /** True if the log is whole, no invariant is violated, and `untestedClaims` is empty. */
  readonly ok: boolean
  /** Status of the log from the reader's outcome; only `whole` or `unsealed` if the records came without a reader. */
  readonly status: LogOutcome['status']
  /** Outcome of the reader; absent if the records came without a reader. */
  readonly outcome?: LogOutcome
  /** Number of audited records. */
  readonly records: number
  /** Number of tests of each invariant, for invariants with at least one test. */
  readonly checked: { readonly [invariant: string]: number }
  /** Reason for each invariant without a test, each claim that no log can show, and `matrix-ranks` of the CLI. */
  readonly notApplicable: { readonly [invariant: string]: string }
  /** Claims of the header that no invariant tested; empty for a log without allocations. */
  readonly untestedClaims: ReadonlyArray<UntestedClaim>
  /** First violations of each invariant, at most `LISTED_VIOLATIONS` an invariant, in the order of the log. */
  readonly violations: ReadonlyArray<Violation>
  /** Number of violations of each violated invariant, including the violations that `violations` does not list. */
  readonly violationCounts: { readonly [invariant: string]: number }
}

/** Most violations of one invariant that a report lists. */
export const LISTED_VIOLATIONS = 20

/** Counters of the tests and violations of one invariant. */
export class InvariantTally implements Tally {
  readonly invariant: string
  readonly #listed: Array<Violation>
  readonly #untested: Array<UntestedClaim>
  #tests = 0
  #violations = 0

  /** The tally appends violations and untested claims to the two lists, which all invariants of an audit share. */
  constructor(invariant: string, listed: Array<Violation>, untested: Array<UntestedClaim>) {
    this.invariant = invariant
    this.#listed = listed
    this.#untested = untested
  }

  get tests(): number {
    return this.#tests
  }

  get violations(): number {
    return this.#violations
  }

  tested(times = 1): void {
    this.#tests += times
  }

  untested(claim: string, reason: string): void {
    if (!this.#untested.some((each) => each.claim === claim)) this.#untested.push({ claim, reason })
  }

  violated(record: LogRecord, message: string): void {
    this.violatedAt({
      seq: record.seq,
      ...('t' in record ? { t: record.t } : {}),
      ...('job' in record ? { job: record.job } : {}),
      message,
    })
  }

  violatedAt(violation: Omit<Violation, 'invariant'>): void {
    if (this.#violations++ < LISTED_VIOLATIONS) this.#listed.push({ invariant: this.invariant, ...violation })
  }
}

/**
 * Returns the exit code of `cloister audit`. 0: the log is whole, without a violation or an untested claim. 1: a
 * violation or an untested claim. 2: the log is corrupt. 3: the log is not whole, without a violation or an untested
 * claim.
 */
export function exitCode(report: AuditReport): 0 | 1 | 2 | 3 {
  if (report.status === 'corrupt') return 2
  if (report.violations.length > 0 || report.untestedClaims.length > 0) return 1
  return report.status === 'whole' ? 0 : 3
}
