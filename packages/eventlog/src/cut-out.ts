import { partsOf } from './decode.ts'
import { LogState } from './fold.ts'
import { headerTopology } from './header-topology.ts'
import type { HashFunction } from './hash.ts'
import type { Header, LogRecord } from './record.ts'
import type { Grant, Totals } from './recorder.ts'
import { LogWriter } from './writer.ts'

type Body = Exclude<LogRecord, Header>

/**
 * A log of its own of a part of a run: all that happened up to `until`, but for jobs that had ended before `from` and that no
 * later record needs. Its states from `from` on are those of the run, with fewer records behind them. The header says so
 * under `x.cut`; a cause that was left out is replaced by the last record before it.
 *
 * @param records gives all records of the log, each time anew: it is read twice
 * @param from seconds
 * @param until seconds
 * @param sink gets the bytes
 * @throws FoldError where the records are out of order
 */
export function cutOut(
  records: () => Iterable<LogRecord>,
  from: number,
  until: number,
  sink: (chunk: Uint8Array) => void,
  hash: HashFunction,
): void {
  const wanted = wantedJobs(records(), from)
  let copy: Copy | undefined
  for (const record of records()) {
    if (record.type === 'header') copy = new Copy(record, from, until, sink, hash)
    else if (record.t > until) break
    else if (!('job' in record) || record.t >= from || wanted.has(record.job)) copy!.add(record)
  }
  copy?.end()
}

/** Who waited, ran or had routes or a reservation just before a time, and whose reservations those that are kept were backfilled beside. */
function wantedJobs(records: Iterable<LogRecord>, from: number): ReadonlySet<string> {
  const reservedFor = new Map<number, string>()
  const besideWhom = new Map<string, ReadonlyArray<string>>()
  const wanted = new Set<string>()
  let state: LogState | undefined
  for (const record of records) {
    if (record.type === 'header') {
      state = new LogState(record)
      continue
    }
    if (record.t < from) state!.apply(record)
    if (record.type === 'reserve') reservedFor.set(record.seq, record.job)
    if (record.type !== 'allocate' || record.backfill === undefined) continue
    const other = reservedFor.get(record.backfill)
    if (other !== undefined && record.t >= from) wanted.add(other)
    else if (other !== undefined) besideWhom.set(record.job, [...(besideWhom.get(record.job) ?? []), other])
  }
  for (const jobs of [state?.waiting, state?.running, state?.killed, state?.routes, state?.reservations])
    for (const job of jobs?.keys() ?? []) wanted.add(job)
  // Jobs that come to a set while it is gone through are gone through too.
  for (const job of wanted) for (const other of besideWhom.get(job) ?? []) wanted.add(other)
  return wanted
}

/** Writes records anew, with seqs of their own. */
class Copy {
  readonly #writer: LogWriter
  /** Seqs in the log, ascending, and here. */
  readonly #olds: Array<number> = [0]
  readonly #news: Array<number> = [0]
  readonly #totals: { -readonly [Figure in keyof Totals]: number } = {
    submitted: 0,
    started: 0,
    finished: 0,
    rejected: 0,
    killed: 0,
    cancelled: 0,
  }
  #t = 0

  constructor(header: Header, from: number, until: number, sink: (chunk: Uint8Array) => void, hash: HashFunction) {
    this.#writer = new LogWriter(
      { ...header, x: { ...header.x, cut: { from, until } } },
      headerTopology(header),
      sink,
      hash,
    )
  }

  add(record: Body): void {
    const seq = this.#write(record, milliseconds(record.t))
    if (seq === undefined) return
    this.#olds.push(record.seq)
    this.#news.push(seq)
    this.#t = record.t
  }

  end(): void {
    this.#writer.end(milliseconds(this.#t), this.#totals)
  }

  #write(record: Body, t: number): number | undefined {
    const to = this.#writer
    switch (record.type) {
      case 'submit': {
        this.#totals.submitted++
        const { job, size, walltime, name, bw, comm } = record
        return to.submit(t, {
          id: job,
          size,
          walltime: walltime === undefined ? undefined : milliseconds(walltime),
          ...(name === undefined ? {} : { name }),
          ...(bw === undefined ? {} : { bandwidth: bw }),
          ...(comm === undefined ? {} : { communication: comm }),
        })
      }
      case 'cancel':
        this.#totals.cancelled++
        return to.cancel(t, record.job)
      case 'finish':
        this.#totals.finished++
        return to.finish(t, record.job, this.#here(record.cause), record.status === 'failed')
      case 'down':
        return to.down(t, partsOf(record))
      case 'up':
        return to.up(t, partsOf(record))
      case 'reserve':
        return to.reserve(t, record.job, milliseconds(record.start), grantOf(record), this.#here(record.cause))
      case 'unreserve':
        return to.unreserve(t, record.job, this.#here(record.for), this.#here(record.cause))
      case 'allocate':
        this.#totals.started++
        return to.allocate(
          t,
          record.job,
          grantOf(record),
          record.backfill === undefined ? -1 : this.#here(record.backfill),
          this.#here(record.cause),
          record.walltime === undefined ? undefined : milliseconds(record.walltime),
        )
      case 'release':
        return to.release(t, record.job, this.#here(record.cause))
      case 'route':
        return to.route(
          t,
          record.job,
          record.op,
          record.scheme,
          record.entries,
          record.digest,
          this.#here(record.cause),
        )
      case 'kill':
        this.#totals.killed++
        return to.kill(t, record.job, record.why, this.#here(record.cause))
      case 'requeue':
        return to.requeue(t, record.job, this.#here(record.cause))
      case 'reject':
        this.#totals.rejected++
        return to.reject(t, record.job, record.why, record.constraint, this.#here(record.cause))
      case 'refuse':
        return to.refuse(t, record.job, record.code, record.constraint, record.nearest, this.#here(record.cause))
      // The copy has seals and an end of its own.
      case 'seal':
      case 'end':
        return undefined
    }
  }

  /** The seq here of a record, or of the last one before it that is here. */
  #here(old: number): number {
    let low = 0
    for (let high = this.#olds.length; low + 1 < high;) {
      const middle = (low + high) >>> 1
      if (this.#olds[middle] <= old) low = middle
      else high = middle
    }
    return this.#news[low]
  }
}

function grantOf(record: Extract<Body, { readonly type: 'reserve' | 'allocate' }>): Grant {
  const { bw } = record
  const { ranks, note } = record.type === 'allocate' ? record : { ranks: undefined, note: undefined }
  return {
    ...partsOf(record),
    ...(ranks === undefined ? {} : { ranks }),
    ...(bw === undefined ? {} : { bandwidth: bw }),
    ...(note === undefined ? {} : { note }),
  }
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000)
}
