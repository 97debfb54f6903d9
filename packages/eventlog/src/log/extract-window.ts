import { lowerBound } from '@cloister/topology'
import { LogState } from './fold.ts'
import { headerTopology } from './header.ts'
import type { HashFunction } from './hash-function.ts'
import type { Header, LogRecord } from '../records/types.ts'
import { type Fields, MAX_MS, milliseconds, reference } from '../records/kinds.ts'
import { recordTable } from '../records/table.ts'
import type { Appendable, Totals } from './recorder.ts'
import { LogWriter } from './writer.ts'

/**
 * Writes a part of a run as a separate log. The part has all records of the run up to `until`, except the records of
 * jobs that ended before `from` and that no later record needs. From `from` on, the states of the part are the states
 * of the run.
 *
 * The header of the part has `from` and `until` in `part`, limited to the times of the run, from the first submit to
 * the last record. The end record of the part has the time `until`. If the cause of a record was left out, `cause`
 * names the last record of the part before this cause. The part has no records of unknown types.
 *
 * @param records returns all records of the log, from the header on; called twice, or three times if the run ends
 *   before `from`
 * @param from start of the part, in seconds
 * @param until end of the part, in seconds
 * @param sink receives the bytes of the part, chunk by chunk
 * @throws FoldError if a record before `from` cannot follow the earlier records
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
  // A `from` after the end of the run stands for the last instant of the run.
  if (asked.from > survey.last) return extractWindow(records, survey.last, until, sink, hash)
  const { wanted, ...times } = survey
  let copy: Copy | undefined
  for (const record of records()) {
    if (record.type === 'header') copy = new Copy(record, partOf(record, asked, times), sink, hash)
    else if (record.t > asked.until) break
    else if (!('job' in record) || record.job === undefined || record.t >= asked.from || wanted.has(record.job))
      copy!.add(record)
  }
  copy?.end()
}

type Part = NonNullable<Header['part']>

interface Survey {
  /**
   * Jobs that waited, ran, were killed, or had routes or a reservation just before `from`; also jobs whose reserve
   * record a copied allocate names as `backfill`.
   */
  readonly wanted: ReadonlySet<string>
  /** Time of the first submit, or of the last record if no job was submitted. */
  readonly first: number
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
  for (const jobs of [state?.waiting, state?.running, state?.killed, state?.reservations])
    for (const job of jobs?.keys() ?? []) wanted.add(job)
  for (const { job } of state?.routes.values() ?? []) if (job !== undefined) wanted.add(job)
  // A loop over a set also visits the members added during the loop.
  for (const job of wanted) for (const other of besideWhom.get(job) ?? []) wanted.add(other)
  return { wanted, first: first ?? last, last }
}

/** Returns the requested times, limited to the times of the log; a part of a part stays within the larger part. */
function partOf(header: Header, asked: Part, { first, last }: Pick<Survey, 'first' | 'last'>): Part {
  const bounds = header.part ?? { from: first, until: last }
  const until = Math.min(asked.until, bounds.until)
  return { from: Math.min(until, Math.max(asked.from, bounds.from)), until }
}

/** Names of the fields of each type of record that hold a seq. */
const REFERENCES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries<Fields>(recordTable).map(([type, fields]) => [
    type,
    new Set(Object.entries(fields).flatMap(([name, { kind }]) => (kind === reference ? [name] : []))),
  ]),
)

const TOTALS: { readonly [Type in LogRecord['type']]?: keyof Totals } = {
  submit: 'submitted',
  allocate: 'started',
  finish: 'finished',
  reject: 'rejected',
  kill: 'killed',
  cancel: 'cancelled',
}

class Copy {
  readonly #writer: LogWriter
  /** Seqs of the copied records in the log, ascending; `#news` has the seqs of the same records in the copy. */
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
    const { revision: _, ...described } = header
    this.#writer = new LogWriter({ ...described, part }, headerTopology(header), sink, hash)
  }

  add(record: Exclude<LogRecord, Header>): void {
    // The copy gets new seals and a new end record.
    if (record.type === 'seal' || record.type === 'end' || record.type === 'unknown') return
    const total = TOTALS[record.type]
    // A job that is cancelled while running counts as killed. The allocate record of a move is no start.
    const isKilled = record.type === 'cancel' && this.#running.has(record.job)
    const moves = record.type === 'allocate' && record.moved !== undefined
    if (total !== undefined && !isKilled && !moves) this.#totals[total]++
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
      .filter(([name]) => REFERENCES.get(record.type)!.has(name))
      .map(([name, seq]) => [name, this.#here(seq as number)])
    return { ...record, ...Object.fromEntries(references) }
  }

  /** Returns a record's seq in the copy; for a record that was left out, the seq of the last copied record before. */
  #here(old: number): number {
    const later = lowerBound(this.#olds.length, (at) => this.#olds[at] <= old)
    return this.#news[Math.max(0, later - 1)]
  }
}

function inRange(seconds: number): number {
  return Math.min(MAX_MS, Math.max(0, milliseconds(seconds))) / 1000
}
