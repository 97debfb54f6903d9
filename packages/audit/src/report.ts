import type { LogOutcome, LogRecord } from '@cloister/eventlog'
import type { UntestedClaim } from './claims.ts'
import type { Tally } from './invariant.ts'

/** A record that breaks an invariant. */
export interface Violation {
  /** Name of the invariant. */
  readonly invariant: string
  /** Number of the record at which it showed: its line in the log less one. */
  readonly seq: number
  /** Seconds. */
  readonly t?: number
  readonly job?: string
  readonly message: string
}

/** What an audit found. Plain data, ready for JSON. */
export interface AuditReport {
  /** The log is whole, nothing is violated, and every claim was tested. */
  readonly ok: boolean
  /** How the log ended. Of records without bytes only `whole` and `unsealed` are known. */
  readonly status: LogOutcome['status']
  /** What the reader says, where it was asked. */
  readonly outcome?: LogOutcome
  /** Records that were checked. */
  readonly records: number
  /** How often each invariant was tested. */
  readonly checked: { readonly [invariant: string]: number }
  /** Why the others, and claims that no log can show, were not. */
  readonly notApplicable: { readonly [invariant: string]: string }
  /** What the header claims and nothing here tested. */
  readonly untestedClaims: ReadonlyArray<UntestedClaim>
  /** The first violations of each invariant, in the order of the log. */
  readonly violations: ReadonlyArray<Violation>
  /** All violations of each invariant that has any. */
  readonly violationCounts: { readonly [invariant: string]: number }
}

/** How many violations of one invariant a report lists. */
export const LISTED_VIOLATIONS = 20

/** Counts for one invariant. */
export class InvariantTally implements Tally {
  readonly invariant: string
  readonly #listed: Array<Violation>
  readonly #untested: Array<UntestedClaim>
  #tests = 0
  #violations = 0

  /**
   * @param listed where the violations of all invariants go
   * @param untested where the claims go that no invariant can test
   */
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

/** 0: whole and without fault. 1: something is violated, or a claim was never tested. 2: corrupt. 3: without fault, but not whole. */
export function exitCode(report: AuditReport): 0 | 1 | 2 | 3 {
  if (report.status === 'corrupt') return 2
  if (report.violations.length > 0 || report.untestedClaims.length > 0) return 1
  return report.status === 'whole' ? 0 : 3
}
