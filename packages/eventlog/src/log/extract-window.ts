import { lowerBound } from '@cloister/topology'
import { LogState } from './fold.ts'
import { headerTopology } from './header-topology.ts'
import type { HashFunction } from './hash.ts'
import type { Header, LogRecord } from '../records/types.ts'
import { type Fields, reference } from '../records/kinds.ts'
import { recordTable } from '../records/table.ts'
import { MAX_MS, milliseconds } from '../records/time.ts'
import type { Totals } from './recorder.ts'
import { type Appendable, LogWriter } from './writer.ts'

/**
 * Writes a part of a run as a log of its own: all that happened up to `until`, except jobs that had ended before `from` and
 * that no later record needs. The states from `from` on are those of the run, with fewer records behind them.
 *
 * The header names the times by `part`, cut to those of the run: its first submit, its last record. The end record has the
 * time `until`, because the last state lasts until then. A cause that was left out is replaced by the last record before it.
 * Records that a newer revision added are left out.
 *
 * @param records gives all records of the log, each time anew: it is read twice, three times if the run ends before `from`
 * @param from seconds
 * @param until seconds
 * @param sink gets the bytes
 * @throws FoldError where the records are out of order
 */
export function extractWindow(
  records: () => Iterable<LogRecord>,
  from: number,
  until: number,
  sink: (chunk: Uint8Array) => void,
  hash: HashFunction,
): void {
  const asked = { from: inRange(from), until: inRange(until) }
  const survey = surveyed(records(), asked.from)
  // Times after the run are its last instant.
  if (asked.from > survey.last) return extractWindow(records, survey.last, until, sink, hash)
  const { wanted, ...times } = survey
  let copy: Copy | undefined
  for (const record of records()) {
    if (record.type === 'header') copy = new Copy(record, partOf(record, asked, times), sink, hash)
    else if (record.t > asked.until) break
    else if (!('job' in record) || record.t >= asked.from || wanted.has(record.job)) copy!.add(record)
  }
  copy?.end()
}

/** Times of a run, in seconds. */
type Part = NonNullable<Header['part']>

/** Facts about a log that its copy needs from the beginning on. */
interface Survey {
  /** Jobs that waited, ran, or had routes or a reservation just before `from`, and jobs whose reservations the backfilled ones name. */
  readonly wanted: ReadonlySet<string>
  /** Time of the first submit; of the last record if there is none. */
  readonly first: number
  /** Time of the last record. */
  readonly last: number
}

function surveyed(records: Iterable<LogRecord>, from: number): Survey {
  let first: number | undefined
  let last = 0
  const reservedFor = new Map<number, string>()
  const besideWhom = new Map<string, Set<string>>()
  const wanted = new Set<string>()
  let state: LogState | undefined
  for (const record of records) {
    if (record.type === 'header') {
      state = new LogState(record)
      continue
    }
    last = record.t
    if (record.type === 'submit') first ??= record.t
    if (record.t < from) state!.apply(record)
    if (record.type === 'reserve') reservedFor.set(record.seq, record.job)
    if (record.type !== 'allocate' || record.backfill === undefined) continue
    const other = reservedFor.get(record.backfill)
    if (other !== undefined && record.t >= from) wanted.add(other)
    else if (other !== undefined) besideWhom.set(record.job, (besideWhom.get(record.job) ?? new Set()).add(other))
  }
  for (const jobs of [state?.waiting, state?.running, state?.killed, state?.routes, state?.reservations])
    for (const job of jobs?.keys() ?? []) wanted.add(job)
  // Jobs that come to a set while it is gone through are gone through too.
  for (const job of wanted) for (const other of besideWhom.get(job) ?? []) wanted.add(other)
  return { wanted, first: first ?? last, last }
}

/** Returns the times that were asked for, cut to those of the log: a part of a part is no longer than that. */
function partOf(header: Header, asked: Part, { first, last }: Pick<Survey, 'first' | 'last'>): Part {
  const bounds = header.part ?? { from: first, until: last }
  const until = Math.min(asked.until, bounds.until)
  return { from: Math.min(until, Math.max(asked.from, bounds.from)), until }
}

/** Fields that hold the seq of an earlier record. */
const REFERENCES: ReadonlySet<string> = new Set(
  Object.values<Fields>(recordTable).flatMap((fields) =>
    Object.entries(fields).flatMap(([name, { kind }]) => (kind === reference ? [name] : [])),
  ),
)

/** Which total of the end record counts a type. */
const TOTALS: { readonly [Type in LogRecord['type']]?: keyof Totals } = {
  submit: 'submitted',
  allocate: 'started',
  finish: 'finished',
  reject: 'rejected',
  kill: 'killed',
  cancel: 'cancelled',
}

/** Writes records anew, with seqs of their own. */
class Copy {
  readonly #writer: LogWriter
  /** Seqs in the log, ascending, and here. */
  readonly #olds: Array<number> = [0]
  readonly #news: Array<number> = [0]
  readonly #totals: { -readonly [Total in keyof Totals]: number } = {
    submitted: 0,
    started: 0,
    finished: 0,
    rejected: 0,
    killed: 0,
    cancelled: 0,
  }
  readonly #running: Set<string> = new Set()
  readonly #until: number

  constructor(header: Header, part: Part, sink: (chunk: Uint8Array) => void, hash: HashFunction) {
    this.#until = part.until
    this.#writer = new LogWriter(
      { ...header, requires: [...new Set([...(header.requires ?? []), 'part'])].sort(), part },
      headerTopology(header),
      sink,
      hash,
    )
  }

  add(record: Exclude<LogRecord, Header>): void {
    // The copy has seals and an end of its own.
    if (record.type === 'seal' || record.type === 'end' || record.type === 'unknown') return
    const total = TOTALS[record.type]
    // What is cancelled while it runs is killed.
    const isKilled = record.type === 'cancel' && this.#running.has(record.job)
    if (total !== undefined && !isKilled) this.#totals[total]++
    if (record.type === 'allocate') this.#running.add(record.job)
    if (record.type === 'release') this.#running.delete(record.job)
    this.#news.push(this.#writer.append(this.#renumbered(record)))
    this.#olds.push(record.seq)
  }

  end(): void {
    this.#writer.append({ seq: 0, t: this.#until, type: 'end', ...this.#totals })
  }

  #renumbered(record: Appendable): Appendable {
    const references = Object.entries(record)
      .filter(([name]) => REFERENCES.has(name))
      .map(([name, seq]) => [name, this.#here(seq as number)])
    return { ...record, ...Object.fromEntries(references) }
  }

  /** The seq here of a record, or of the last one before it that is here. */
  #here(old: number): number {
    const later = lowerBound(this.#olds.length, (at) => this.#olds[at] <= old)
    return this.#news[Math.max(0, later - 1)]
  }
}

/** Seconds as a record has them. */
function inRange(seconds: number): number {
  return Math.min(MAX_MS, Math.max(0, milliseconds(seconds))) / 1000
}
