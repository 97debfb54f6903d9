import type { Allocate, Down, HashFunction, Header, LogRecord, Reserve } from '@cloister/eventlog'
import type { ClusterModel } from './cluster/cluster-model.ts'

export type RecordType = LogRecord['type']
export type RecordOfType<Type extends RecordType> = Type extends Down['type']
  ? Down
  : Extract<LogRecord, { readonly type: Type }>

/** Property that every sound log has. All invariants of an audit share one `ClusterModel`. */
export interface Invariant {
  /** Name of the invariant in lower case with dashes, the key in reports. Later versions keep the name. */
  readonly name: string
  /** Property in words, for the table in INVARIANTS.md. */
  readonly property: string
  /** Returns the checks of this invariant on a log; the reason, a text, if the property does not apply to the log. */
  begin(model: ClusterModel, tally: Tally, hash: HashFunction): Checks | string
}

/**
 * Checks of an invariant by type of record; the check `every` gets all records, and the check `afterPass` the first
 * record after each scheduling pass and the end record. These two run before the checks of types. Before the checks of a
 * record, the auditor calls `ClusterModel.read` for the record, and after the checks `ClusterModel.apply`.
 */
export type Checks = { readonly [Type in RecordType]?: (record: RecordOfType<Type>) => void } & {
  readonly every?: (record: LogRecord) => void
  readonly afterPass?: (record: LogRecord) => void
}

/** Receiver of the tests and violations of one invariant. */
export interface Tally {
  tested(): void
  /** Notes that the log does not allow a test of a claim of the header: the `ok` of the report is then false. */
  untested(claim: string, reason: string): void
  /** Notes that records do not show the property, for the `notApplicable` of the report if no record is tested. */
  inapplicable(reason: string): void
  violated(record: LogRecord, message: string): void
}

/**
 * Returns checks of the nodes and links of allocations and reservations. A record with wrong ids or without nodes is not
 * tested, nor is a record for which `isTested` returns false.
 *
 * @param breachOf returns a message about the nodes and links of the record; undefined if they have no fault
 */
export function placementChecks(
  model: ClusterModel,
  tally: Tally,
  breachOf: (nodes: Int32Array, links: ReadonlyArray<Int32Array>) => string | undefined,
  isTested: () => boolean = () => true,
): Required<Pick<Checks, 'allocate' | 'reserve'>> {
  const check = (record: Allocate | Reserve): void => {
    const { nodes, links, malformed, unknown } = model.named!
    if (malformed !== undefined || unknown !== undefined || nodes.length === 0 || !isTested()) return
    tally.tested()
    const breach = breachOf(nodes, links)
    if (breach !== undefined) tally.violated(record, breach)
  }
  return { allocate: check, reserve: check }
}

const ORDER = 'a record stands where the writer learned of an event, not where the event happened'
const OUTSIDE = 'the events of a real machine follow from no estimate and no option'
const PASSES = "the log does not show the times of the scheduling passes and the scheduler's knowledge"
const UNKNOWN_DISCIPLINE = 'the log has only the reservations and the order that a foreign scheduler reported'

/** Invariants that apply only to simulated logs, each with the reason why logs of real machines are exempt. */
const ofSimulations: Readonly<Record<string, string>> = {
  'instant-order': ORDER,
  'submits-checksum': 'the jobs are not known when the log of a real machine begins',
  'workload-count': 'the number of jobs is not known when the log of a real machine begins',
  totals: 'the end record does not count withdrawn starts and kills',
  'finish-time': OUTSIDE,
  'node-down-kills': OUTSIDE,
  requeues: OUTSIDE,
  'unroutable-kills': OUTSIDE,
}

/** Invariants that apply to simulated and driven logs only, each with the reason why observed logs are exempt. */
const ofOwnDecisions: Readonly<Record<string, string>> = {
  'routes-paired': ORDER,
  'routes-after-outages': ORDER,
  'queue-order': UNKNOWN_DISCIPLINE,
  reservations: UNKNOWN_DISCIPLINE,
  'reservation-free': UNKNOWN_DISCIPLINE,
  'reservations-apart': UNKNOWN_DISCIPLINE,
  backfill: UNKNOWN_DISCIPLINE,
  'backfill-window': UNKNOWN_DISCIPLINE,
  'refusals-complete': PASSES,
  'refusal-reservations': PASSES,
  'any-free-nodes': PASSES,
  complete: PASSES,
  'head-reserved': PASSES,
  'window-reserved': PASSES,
  'reservation-start': PASSES,
  'reservation-moves': PASSES,
  'reservation-places': PASSES,
  'reservation-on-time': PASSES,
  'reservation-kills': PASSES,
  'backfill-no-delay': PASSES,
  'easy-first-reservation': PASSES,
  'conservative-first-reservation': PASSES,
}

/** Returns the reason why an invariant does not apply to logs of the origin; undefined if the invariant applies. */
export function whyNotOf(origin: Header['origin'], invariant: string): string | undefined {
  if (origin === 'simulated') return undefined
  const reason = ofSimulations[invariant] ?? (origin === 'observed' ? ofOwnDecisions[invariant] : undefined)
  return reason === undefined ? undefined : `${reason} (origin: ${origin})`
}

/**
 * Invariants that need the earlier records and the whole state of a run. In a part of a run, jobs that ended before the
 * part have no records. From the part's `from` on, the states are the states of the run.
 */
const ofWholeStates: ReadonlySet<string> = new Set([
  'causes',
  'too-few-nodes',
  'refusals-complete',
  'refusals-hold',
  'refusal-reservations',
  'progress-rates',
  'moves-paired',
  'moves-for-starts',
  'moves-cost',
  'moves-beside-reservation',
  'queue-order',
  'any-free-nodes',
  'complete',
  'head-reserved',
  'window-reserved',
  'reservation-start',
  'reservation-moves',
  'reservation-places',
  'reservation-on-time',
  'reservation-kills',
  'backfill-window',
  'backfill-no-delay',
  'easy-first-reservation',
  'conservative-first-reservation',
])

/** Returns the reason why an invariant does not apply to the log of a part of a run; undefined for other invariants. */
export function whyNotOfPart({ part }: Header, invariant: string): string | undefined {
  return part === undefined || (invariant !== 'workload-count' && invariant !== 'submits-checksum')
    ? undefined
    : `the header describes the jobs of the whole run (a part of a run: ${part.from} s to ${part.until} s)`
}

/** Invariants that test the order of the waiting jobs, or which jobs of the queue a scheduling pass tries. */
const ofQueueOrder: ReadonlySet<string> = new Set([
  'queue-order',
  'head-reserved',
  'window-reserved',
  'backfill-window',
  'backfill-counts',
  'refusals-complete',
])

/** Returns the checks of an invariant; the reason, a text, if the checks need a queue order that the auditor does not know. */
export function whyNotInOrder(model: ClusterModel, invariant: string, checks: Checks | string): Checks | string {
  return typeof checks !== 'string' && ofQueueOrder.has(invariant) ? (model.whyOrderUnknown ?? checks) : checks
}

/** Further invariants with tests of the queue order. They leave out these tests if the auditor does not know the order. */
const ofOrderAndMore: ReadonlySet<string> = new Set([
  'any-free-nodes',
  'complete',
  'reservations',
  'reservation-moves',
  'reservation-places',
  'reservation-on-time',
  'reservation-kills',
  'backfill',
])

/**
 * Returns the tally itself. For an invariant of whole states, returns a tally that counts nothing before the part of a
 * run. For an invariant on the queue order, returns a tally without violations in a pass whose order is in doubt.
 */
export function tallyWithin(model: ClusterModel, invariant: string, tally: Tally): Tally {
  const { part, order } = model.header
  const needsWhole = part !== undefined && ofWholeStates.has(invariant)
  const needsOrder = order !== undefined && (ofQueueOrder.has(invariant) || ofOrderAndMore.has(invariant))
  if (!needsWhole && !needsOrder) return tally
  return {
    tested() {
      if (needsWhole && model.isBeforePart) model.passedOver++
      else tally.tested()
    },
    untested: (claim, reason) => tally.untested(claim, reason),
    inapplicable: (reason) => tally.inapplicable(reason),
    violated(record, message) {
      if (needsWhole && model.isBeforePart) return
      if (needsOrder && model.isOrderInDoubt()) model.doubtful++
      else tally.violated(record, message)
    },
  }
}
