import {
  type HashFunction,
  type Header,
  headerTopology,
  type LogOutcome,
  type LogRecord,
  readLog,
  RecordError,
} from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import {
  type AuditReport,
  claimsBeyondLogs,
  concernsEveryLog,
  exitCode,
  InvariantTally,
  type UntestedClaim,
  untestedClaims,
  type Violation,
} from './report.ts'
import { type Checks, type RecordType, tallyWithin, whyNotInOrder, whyNotOf, whyNotOfPart } from './invariant.ts'
import { recordInvariants } from './invariants/index.ts'
import { ClusterModel } from './cluster/cluster-model.ts'
import { SealChain } from './seal-chain.ts'

/** The name and the property of an invariant. */
export interface InvariantDescription {
  readonly name: string
  readonly property: string
}

const CANONICAL_FORM: InvariantDescription = {
  name: 'canonical-form',
  property:
    'The reader accepts every line of the log: each record is in canonical form, the seq of each record is the number of its line, and every seal matches the records before the seal.',
}
const SEAL_CHAIN: InvariantDescription = {
  name: 'seal-chain',
  property:
    "The hash of every seal is the SHA-256 of the previous seal's hash and of every byte of the log between the previous seal and this hash.",
}
const TOPOLOGY: InvariantDescription = {
  name: 'topology',
  property: "The auditor can build the machine from the header's topology and node names.",
}

/** Names and properties of all invariants of an audit, in the order of reports. */
export const invariants: ReadonlyArray<InvariantDescription> = [
  CANONICAL_FORM,
  SEAL_CHAIN,
  TOPOLOGY,
  ...recordInvariants.map(({ name, property }) => ({ name, property })),
]

/** Rules that a caller asks the auditor to test in addition to the claims of the log's policy. */
export interface AuditAsked {
  /** Rules to test even without a claim of the policy; only `isolated-under-adaptive-routing` can be tested so. */
  readonly rules?: ReadonlyArray<string>
}

/** Options of `auditLog`. */
export interface AuditOptions extends AuditAsked {
  /**
   * Receives each record before its checks, so that a caller can measure and audit a log in a single reading. An
   * exception of `onRecord` ends the audit and reaches the caller.
   */
  readonly onRecord?: (record: LogRecord) => void
}

/** Audits the bytes of a log, in any chunks, and returns the report. `auditLog` does not throw on a corrupt log. */
export function auditLog(chunks: Iterable<Uint8Array>, hash: HashFunction, options: AuditOptions = {}): AuditReport {
  const audit = new Audit(hash, true, options)
  const chain = new SealChain(audit.tally(SEAL_CHAIN.name), hash)
  return audit.run(readLog(chain.watch(chunks), hash), options.onRecord)
}

/**
 * Audits records, from an array or from the generator `readLog`, and returns the report. With `readLog`, the report has
 * the reader's outcome and tests `canonical-form`. Without the bytes of the log, the audit cannot test `seal-chain`.
 */
export function auditRecords(records: Iterable<LogRecord, LogOutcome | void>, hash: HashFunction): AuditReport {
  return new Audit(hash, false).run(records)
}

type Check = (record: LogRecord) => void

/** Checks of one type of record. */
interface ChecksOfType {
  /** Checks of all records. They run before the model turns to a new scheduling pass. */
  readonly before: ReadonlyArray<Check>
  /** Replaces `before` for the first record after a scheduling pass. */
  readonly beforeAfterPass: ReadonlyArray<Check>
  readonly after: ReadonlyArray<Check>
}

class Audit {
  readonly #hash: HashFunction
  readonly #hasBytes: boolean
  readonly #asked: ReadonlySet<string>
  readonly #listed: Array<Violation> = []
  readonly #untested: Array<UntestedClaim> = []
  readonly #tallies: Map<string, InvariantTally> = new Map()
  readonly #reasons: Map<string, string> = new Map()
  readonly #checks: Array<Checks> = []
  readonly #checksOfType: Map<RecordType, ChecksOfType> = new Map()
  #header: Header | undefined
  #model: ClusterModel | undefined
  #records = 0
  #allocations = 0
  #beforeLast: RecordType | undefined
  #last: RecordType | undefined

  constructor(hash: HashFunction, hasBytes: boolean, { rules = [] }: AuditAsked = {}) {
    this.#asked = new Set(rules)
    this.#hash = hash
    this.#hasBytes = hasBytes
    for (const { name } of invariants) this.#tallies.set(name, new InvariantTally(name, this.#listed, this.#untested))
  }

  tally(invariant: string): InvariantTally {
    return this.#tallies.get(invariant)!
  }

  run(records: Iterable<LogRecord, LogOutcome | void>, onRecord?: (record: LogRecord) => void): AuditReport {
    const iterator = records[Symbol.iterator]()
    let next = iterator.next()
    for (; next.done !== true; next = iterator.next()) {
      onRecord?.(next.value)
      this.#look(next.value)
    }
    const outcome = next.value ?? undefined
    if (outcome !== undefined) this.#readingEnded(outcome)
    return this.#report(outcome)
  }

  #look(record: LogRecord): void {
    if (this.#records === 0) this.#begin(record)
    this.#records++
    if (record.type === 'allocate') this.#allocations++
    this.#beforeLast = this.#last
    this.#last = record.type
    const model = this.#model
    if (model === undefined) return
    model.read(record)
    const { before, beforeAfterPass, after } = this.#checksOn(record.type)
    for (const check of model.isPassOver ? beforeAfterPass : before) check(record)
    model.turn()
    for (const check of after) check(record)
    model.apply(record)
  }

  #begin(header: LogRecord): void {
    if (header.type !== 'header') {
      this.tally('sequence').violated(
        header,
        `the first record is a ${header.type}, expected a header: the audit checks no further record`,
      )
      return
    }
    this.#header = header
    const topology = this.#topology(header)
    if (topology === undefined) return
    const model = new ClusterModel(header, topology, this.#asked)
    this.#model = model
    for (const invariant of recordInvariants) {
      const checks =
        whyNotOf(header.origin, invariant.name) ??
        whyNotOfPart(header, invariant.name) ??
        whyNotInOrder(
          model,
          invariant.name,
          invariant.begin(model, tallyWithin(model, invariant.name, this.tally(invariant.name)), this.#hash),
        )
      if (typeof checks === 'string') this.#reasons.set(invariant.name, checks)
      else this.#checks.push(checks)
    }
  }

  #topology(header: Header): Topology | undefined {
    const tally = this.tally(TOPOLOGY.name)
    tally.tested()
    try {
      return headerTopology(header)
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      tally.violated(header, `${error.message}: the audit checks no further record`)
      return undefined
    }
  }

  #checksOn(type: RecordType): ChecksOfType {
    let checks = this.#checksOfType.get(type)
    if (checks === undefined) {
      const named = (...names: ReadonlyArray<keyof Checks>): ReadonlyArray<Check> =>
        this.#checks.flatMap((each) => names.flatMap((name) => (each[name] as Check | undefined) ?? []))
      const beforeAfterPass = named('every', 'afterPass')
      checks = { before: type === 'end' ? beforeAfterPass : named('every'), beforeAfterPass, after: named(type) }
      this.#checksOfType.set(type, checks)
    }
    return checks
  }

  #readingEnded(outcome: LogOutcome): void {
    const tally = this.tally(CANONICAL_FORM.name)
    // A corrupt log without an accepted record counts as one test: its first line was tested and failed.
    tally.tested(Math.max(outcome.records, outcome.status === 'corrupt' ? 1 : 0))
    if (outcome.status === 'corrupt' && this.tally(SEAL_CHAIN.name).violations === 0) {
      tally.violatedAt({ seq: outcome.line - 1, message: `byte ${outcome.offset}: ${outcome.reason}` })
    }
  }

  #report(outcome: LogOutcome | undefined): AuditReport {
    const checked: { [invariant: string]: number } = {}
    const notApplicable: { [invariant: string]: string } = {}
    const violationCounts: { [invariant: string]: number } = {}
    for (const [name, tally] of this.#tallies) {
      if (tally.tests > 0) checked[name] = tally.tests
      else notApplicable[name] = this.#reasons.get(name) ?? tally.whyInapplicable ?? this.#whyUntested(name)
      if (tally.violations > 0) violationCounts[name] = tally.violations
    }
    const claims = this.#header?.policy.claims
    if (claims !== undefined) Object.assign(notApplicable, claimsBeyondLogs(claims))
    const { passedOver = 0, header, uncounted = 0, excused = 0, countedTwice = 0, doubtful = 0 } = this.#model ?? {}
    const unsearched = this.#model?.unsearched
    if (excused > 0)
      notApplicable['outages'] =
        `${excused} times a job had no reservation, or was passed, while nodes or links were down that may hinder the job; only a rerun asks the policy again`
    if (uncounted > 0)
      notApplicable['refusals-by-place'] =
        `${uncounted} refusals and rejections name constraints that no count decides; only a rerun asks the policy again`
    if (countedTwice > 0)
      notApplicable['refusals-beside-overruns'] =
        `${countedTwice} times a job waited without a refuse record beside a job beyond its estimate or a node that failed just before; conservative backfilling with movable reservations counts nodes of such a job and failed nodes twice, without a reason`
    if (doubtful > 0)
      notApplicable['equal-scores'] =
        `${doubtful} times a job came out of turn, or may have passed a reserved job, while scores of jobs in the queue differed by rounding only`
    if (unsearched !== undefined)
      notApplicable['complete-search'] = `the claim complete is tested only by late starts of the head: ${unsearched}`
    if (passedOver > 0)
      notApplicable['part'] =
        `${passedOver} tests of records before ${header!.part!.from} s were passed over, because the log lacks the jobs that ended before this time`
    if (this.#header?.workload.matrices !== undefined)
      notApplicable['matrix-ranks'] = 'the test needs the files of the communication matrices that the log names'
    const ended = this.#beforeLast === 'end' && this.#last === 'seal'
    const report: AuditReport = {
      ok: false,
      status: outcome?.status ?? (ended ? 'whole' : 'unsealed'),
      ...(outcome === undefined ? {} : { outcome }),
      records: this.#records,
      checked,
      notApplicable,
      untestedClaims:
        this.#header === undefined || this.#allocations === 0
          ? this.#untested.filter(concernsEveryLog)
          : [...untestedClaims(this.#header, checked, this.#model?.topology), ...this.#untested],
      violations: this.#listed.toSorted((a, b) => a.seq - b.seq),
      violationCounts,
    }
    return { ...report, ok: exitCode(report) === 0 }
  }

  #whyUntested(name: string): string {
    if (name === SEAL_CHAIN.name && this.#hasBytes) return 'the log has no seal'
    if (name === CANONICAL_FORM.name || name === SEAL_CHAIN.name)
      return this.#hasBytes ? 'the log is empty' : 'the audit got records, not bytes'
    return this.#model === undefined
      ? 'the log has no usable header'
      : 'the log has no record to which the invariant applies'
  }
}
