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
import { claimsBeyondLogs, type UntestedClaim, untestedClaims } from './claims.ts'
import type { Checks, RecordType } from './invariant.ts'
import { recordInvariants } from './invariants/index.ts'
import { ClusterModel } from './cluster/cluster-model.ts'
import { type AuditReport, exitCode, InvariantTally, type Violation } from './report.ts'
import { whyNotOf } from './origins.ts'
import { whyNotOfPart } from './parts.ts'
import { SealChain } from './seal-chain.ts'

/** The name and the property of an invariant. */
export interface InvariantDescription {
  readonly name: string
  readonly property: string
}

const CANONICAL_FORM: InvariantDescription = {
  name: 'canonical-form',
  property: 'The reader accepts every line: each record is in canonical form and in its place, and the seals match.',
}
const SEAL_CHAIN: InvariantDescription = {
  name: 'seal-chain',
  property: "Every seal's hash covers the hash of the seal before it and every byte since.",
}
const TOPOLOGY: InvariantDescription = { name: 'topology', property: "The header's topology can be built." }

/** All invariants of an audit, in the order of reports. */
export const invariants: ReadonlyArray<InvariantDescription> = [
  CANONICAL_FORM,
  SEAL_CHAIN,
  TOPOLOGY,
  ...recordInvariants.map(({ name, property }) => ({ name, property })),
]

/** Checks that a caller asks for in addition to the claims of the log's policy. */
export interface AuditAsked {
  /** Names of rules to test even without a claim: only `isolated-under-adaptive-routing` is possible. */
  readonly rules?: ReadonlyArray<string>
}

/** Options of `auditLog`. */
export interface AuditOptions extends AuditAsked {
  /**
   * Receives each record before its checks, so that a single reading can also measure the log. An exception of this
   * function ends the audit and reaches the caller.
   */
  readonly onRecord?: (record: LogRecord) => void
}

/** Audits the bytes of a log. Boundaries of chunks do not matter, and no content causes an exception. */
export function auditLog(chunks: Iterable<Uint8Array>, hash: HashFunction, options: AuditOptions = {}): AuditReport {
  const audit = new Audit(hash, true, options)
  const chain = new SealChain(audit.tally(SEAL_CHAIN.name), hash)
  return audit.run(readLog(chain.watch(chunks), hash), options.onRecord)
}

/**
 * Audits the records of an array or of `readLog`; the report then includes the reader's outcome. Without bytes the
 * audit cannot test `seal-chain`. Only the outcome of a reader shows faults of `canonical-form`.
 */
export function auditRecords(records: Iterable<LogRecord, LogOutcome | void>, hash: HashFunction): AuditReport {
  return new Audit(hash, false).run(records)
}

type Check = (record: LogRecord) => void

/** One audit of one log. */
class Audit {
  readonly #hash: HashFunction
  readonly #hasBytes: boolean
  readonly #asked: ReadonlySet<string>
  readonly #listed: Array<Violation> = []
  readonly #untested: Array<UntestedClaim> = []
  readonly #tallies: Map<string, InvariantTally> = new Map()
  readonly #reasons: Map<string, string> = new Map()
  readonly #checks: Array<Checks> = []
  readonly #checksOfType: Map<RecordType, ReadonlyArray<Check>> = new Map()
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
    for (const check of this.#checksOn(record.type)) check(record)
    model.apply(record)
  }

  #begin(header: LogRecord): void {
    if (header.type !== 'header') {
      this.tally('sequence').violated(
        header,
        `a ${header.type} where the header must be: nothing after it can be checked`,
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
        invariant.begin(model, this.tally(invariant.name), this.#hash)
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
      tally.violated(header, `${error.message}: nothing after it can be checked`)
      return undefined
    }
  }

  /** Returns the checks on one type of record, in the order of the invariants. */
  #checksOn(type: RecordType): ReadonlyArray<Check> {
    let checks = this.#checksOfType.get(type)
    if (checks === undefined) {
      checks = this.#checks.flatMap(({ every, [type]: check }) =>
        [every, check as Check | undefined].filter((each) => each !== undefined),
      )
      this.#checksOfType.set(type, checks)
    }
    return checks
  }

  #readingEnded(outcome: LogOutcome): void {
    const tally = this.tally(CANONICAL_FORM.name)
    // Bytes without any valid record were tested too: the first line failed.
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
      else notApplicable[name] = this.#reasons.get(name) ?? this.#whyUntested(name)
      if (tally.violations > 0) violationCounts[name] = tally.violations
    }
    const claims = this.#header?.policy.claims
    if (claims !== undefined) Object.assign(notApplicable, claimsBeyondLogs(claims))
    if (this.#header?.workload.matrices !== undefined)
      notApplicable['matrix-ranks'] = 'it takes the files of the communication matrices that the log names'
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
          ? []
          : [...untestedClaims(this.#header, checked, this.#model?.topology), ...this.#untested],
      violations: this.#listed.toSorted((a, b) => a.seq - b.seq),
      violationCounts,
    }
    return { ...report, ok: exitCode(report) === 0 }
  }

  #whyUntested(name: string): string {
    if (name === SEAL_CHAIN.name && this.#hasBytes) return 'there is no seal in what was given'
    if (name === CANONICAL_FORM.name || name === SEAL_CHAIN.name)
      return this.#hasBytes ? 'nothing was given' : 'records were given, not bytes'
    return this.#model === undefined ? 'there is no header to begin with' : 'the log has no record that it is about'
  }
}
