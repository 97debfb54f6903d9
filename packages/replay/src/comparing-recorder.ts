import type {
  Json,
  Kill,
  LogRecord,
  RecordedAllocation,
  Recorder,
  Resources,
  SubmittedJob,
  Totals,
} from '@cloister/eventlog'
import { formatIdset } from '@cloister/topology'

/** Thrown to end a rerun from within, because the comparison is over. */
export class ComparisonEnd extends Error {}

/**
 * Compares a rerun with a log, decision by decision. Each record of the rerun gets the seq of the equal record in the
 * log. The causes of both records are then comparable, although the log has records without an equal in the rerun.
 */
export class ComparingRecorder implements Recorder {
  /** Number of the log's records that the rerun has repeated, or that no rerun writes (header, seals and others). */
  compared = 0
  t = 0
  /** First record of the log from `until` on that is compared; undefined if the rerun ended before this record. */
  reached: SimulatedRecord | undefined
  /** First record of the log that the rerun does not repeat; undefined if the rerun repeats all. */
  recorded: SimulatedRecord | undefined
  /** Record that the rerun has in place of `recorded`; undefined if the rerun has ended. */
  repeated: SimulatedRecord | undefined
  readonly #records: Iterator<LogRecord>
  readonly #notes: boolean
  readonly #until: number

  /** @param until seq of the record before which the rerun ends, even without a difference */
  constructor(records: Iterable<LogRecord>, notes: boolean, until: number = Infinity) {
    this.#records = records[Symbol.iterator]()
    this.#notes = notes
    this.#until = until
  }

  submit(t: number, { id, size }: SubmittedJob): number {
    return this.#compare({ seq: 0, t: t / 1000, type: 'submit', job: id, size })
  }
  cancel(t: number, job: string): number {
    return this.#compare({ seq: 0, t: t / 1000, type: 'cancel', job })
  }
  finish(t: number, job: string, cause: number): number {
    return this.#compare({ seq: 0, t: t / 1000, type: 'finish', job, cause })
  }
  down(t: number, resources: Resources): number {
    return this.#compare({ seq: 0, t: t / 1000, type: 'down', ...named(resources) })
  }
  up(t: number, resources: Resources): number {
    return this.#compare({ seq: 0, t: t / 1000, type: 'up', ...named(resources) })
  }
  reserve(t: number, job: string, start: number, allocation: RecordedAllocation, cause: number): number {
    const bandwidth = given('bandwidth', allocation.bandwidth)
    const resources = named(allocation)
    return this.#compare({
      seq: 0,
      t: t / 1000,
      type: 'reserve',
      job,
      start: start / 1000,
      ...resources,
      ...bandwidth,
      cause,
    })
  }
  unreserve(t: number, job: string, reserveSeq: number, cause: number): number {
    return this.#compare({ seq: 0, t: t / 1000, type: 'unreserve', job, for: reserveSeq, cause })
  }
  allocate(
    t: number,
    job: string,
    allocation: RecordedAllocation,
    backfill: number,
    cause: number,
    estimate?: number,
  ): number {
    return this.#compare({
      seq: 0,
      t: t / 1000,
      type: 'allocate',
      job,
      ...named(allocation),
      ...given('ranks', allocation.ranks && Array.from(allocation.ranks)),
      ...given('bandwidth', allocation.bandwidth),
      ...given('estimate', estimate && estimate / 1000),
      ...given('backfill', backfill < 0 ? undefined : backfill),
      ...given('note', this.#notes ? allocation.note : undefined),
      cause,
    })
  }
  release(t: number, job: string, cause: number): number {
    return this.#compare({ seq: 0, t: t / 1000, type: 'release', job, cause })
  }
  route(
    t: number,
    job: string,
    op: 'add' | 'remove',
    scheme: string,
    entries: number,
    digest: string,
    cause: number,
  ): number {
    return this.#compare({ seq: 0, t: t / 1000, type: 'route', job, op, scheme, entries, digest, cause })
  }
  kill(t: number, job: string, code: Kill['code'], cause: number): number {
    return this.#compare({ seq: 0, t: t / 1000, type: 'kill', job, code, cause })
  }
  requeue(t: number, job: string, cause: number): number {
    return this.#compare({ seq: 0, t: t / 1000, type: 'requeue', job, cause })
  }
  reject(t: number, job: string, code: string, constraint: string, cause: number): number {
    return this.#compare({ seq: 0, t: t / 1000, type: 'reject', job, code, constraint, cause })
  }
  refuse(t: number, job: string, code: string, constraint: string, nearest: Json | undefined, cause: number): number {
    const miss = given('nearest', nearest)
    return this.#compare({ seq: 0, t: t / 1000, type: 'refuse', job, code, constraint, ...miss, cause })
  }
  /** A rerun compares no rates of jobs: a rate is no decision, and the finishes come from the log. */
  progress(): number {
    return 0
  }
  fault(
    t: number,
    job: string,
    purpose: string,
    request: Json,
    message: string,
    cause: number,
    more: { readonly code?: string } = {},
  ): number {
    return this.#compare({ seq: 0, t: t / 1000, type: 'fault', job, purpose, request, message, cause, ...more })
  }
  end(t: number, totals: Totals): number {
    return this.#compare({ seq: 0, t: t / 1000, type: 'end', ...totals })
  }

  /** Call this method after the rerun: the next record of the log, if there is one, becomes `recorded`. */
  finishComparison(): void {
    this.recorded = this.#next()
  }

  #compare(repeated: SimulatedRecord): number {
    const recorded = this.#next()
    // A log that was cut off is compared up to its end.
    if (recorded === undefined) throw new ComparisonEnd()
    if (recorded.seq >= this.#until) {
      this.reached = recorded
      throw new ComparisonEnd()
    }
    if (!isSameDecision(recorded, repeated)) {
      this.recorded = recorded
      this.repeated = { ...repeated, seq: recorded.seq }
      throw new ComparisonEnd()
    }
    this.#pass(recorded)
    return recorded.seq
  }

  #next(): SimulatedRecord | undefined {
    for (let next = this.#records.next(); next.done !== true; next = this.#records.next()) {
      if (isSimulated(next.value)) return next.value
      this.#pass(next.value)
    }
    return undefined
  }

  #pass(record: LogRecord): void {
    this.compared++
    if (record.type !== 'header') this.t = record.t
  }
}

function named({ nodes, links }: Resources): { readonly nodes: string; readonly links?: ReadonlyArray<string> } {
  let levels = links.length
  while (levels > 0 && links[levels - 1].length === 0) levels--
  if (levels === 0) return { nodes: formatIdset(nodes) }
  return { nodes: formatIdset(nodes), links: links.slice(0, levels).map((ids) => formatIdset(ids)) }
}

function given<Name extends string, Value>(name: Name, value: Value | undefined): { readonly [K in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [K in Name]?: Value })
}

/** Record that a rerun compares: an input, a decision, a fault or the end. */
type SimulatedRecord = Exclude<LogRecord, { readonly type: (typeof notSimulated)[number] }>

const notSimulated = ['header', 'seal', 'unknown', 'progress', 'withdraw', 'gap'] as const
const skipped: ReadonlySet<string> = new Set(notSimulated)

function isSimulated(record: LogRecord): record is SimulatedRecord {
  return !skipped.has(record.type)
}

type Fields<Record extends SimulatedRecord> = ReadonlyArray<Exclude<keyof Record, 'seq' | 'type'>>

/** Fields that a rerun compares, by record type: few of an input, because its content comes from the log. */
const decisive: {
  readonly [Type in SimulatedRecord['type']]: Fields<Extract<SimulatedRecord, { readonly type: Type }>>
} = {
  submit: ['t', 'job'],
  cancel: ['t', 'job'],
  finish: ['t', 'job', 'cause'],
  down: ['t', 'nodes', 'links'],
  up: ['t', 'nodes', 'links'],
  reserve: ['t', 'job', 'start', 'nodes', 'links', 'bandwidth', 'cause'],
  unreserve: ['t', 'job', 'for', 'cause'],
  allocate: ['t', 'job', 'nodes', 'links', 'ranks', 'bandwidth', 'estimate', 'backfill', 'note', 'cause'],
  release: ['t', 'job', 'cause'],
  route: ['t', 'job', 'op', 'scheme', 'entries', 'digest', 'cause'],
  kill: ['t', 'job', 'code', 'cause'],
  requeue: ['t', 'job', 'cause'],
  reject: ['t', 'job', 'code', 'constraint', 'cause'],
  refuse: ['t', 'job', 'code', 'constraint', 'nearest', 'cause'],
  // The message of an error depends on the JavaScript engine, so messages are not compared.
  fault: ['t', 'job', 'purpose', 'code', 'cause'],
  end: ['t', 'submitted', 'started', 'finished', 'rejected', 'killed', 'cancelled'],
}

/** Returns true if two records are the same input or decision. The causes of `a` and `b` SHALL be seqs of one log. */
function isSameDecision(a: SimulatedRecord, b: SimulatedRecord): boolean {
  if (a.type !== b.type) return false
  for (const field of decisive[a.type]) {
    if (!isEqual(a[field as keyof SimulatedRecord], b[field as keyof SimulatedRecord])) return false
  }
  return true
}

function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
}
