import {
  type Appendable,
  decodeRecord,
  type HashFunction,
  type LogHeader,
  type LogRecord,
  LogState,
  LogWriter,
  type Submit,
} from '@cloister/eventlog'
import { type LiveRecorder, type LiveRules, LiveScheduler } from '@cloister/kernel'

/** Writes records one by one, also those that only a controller has. */
class DrivenWriter extends LogWriter implements LiveRecorder {
  withdraw(t: number, job: string, of: number, cause: number): number {
    return this.append({ seq: 0, t: t / 1000, type: 'withdraw', job, of, cause })
  }
}

/**
 * The log of a controller, what it says, and the scheduler that goes on from it. Each record is written before the next one is made, and
 * before whoever acts on it learns of it; so what is known here is never more than what a controller that begins anew finds.
 */
export class DrivenLog<Index> {
  scheduler: LiveScheduler<Index>
  /** Starts and reservations. */
  decisions = 0
  /** Jobs that the policy can never place, by the log's names. */
  readonly rejected: Set<string> = new Set()
  readonly #rules: LiveRules<Index>
  readonly #writer: DrivenWriter
  readonly #write: (chunk: Uint8Array) => void
  #state: LogState | undefined
  /** Of jobs of Slurm, their last name in the log. */
  readonly #names = new Map<string, string>()
  /** Seq of the last release of each job that has routes. */
  readonly #releasedBy = new Map<string, number>()
  /** What ended a run that did not end by itself: the kill or withdraw. */
  readonly #endedBy = new Map<string, { readonly seq: number; readonly type: 'kill' | 'withdraw' }>()

  /**
   * Begins a log.
   *
   * @param write keeps a record for good; gets the header, each record and each seal
   */
  constructor(header: LogHeader, rules: LiveRules<Index>, write: (chunk: Uint8Array) => void, hash: HashFunction) {
    this.#rules = rules
    this.#write = write
    this.#writer = new DrivenWriter(header, rules.topology, this.#take, hash, { chunks: 'record' })
    this.scheduler = new LiveScheduler(rules, this.#writer)
  }

  /** Says what the log says already. @param records of the log; `write` gets the bytes that are there once more */
  retell(records: Iterable<LogRecord>): void {
    for (const record of records)
      if (record.type !== 'seal' && record.type !== 'header') this.#writer.append(record as Appendable)
  }

  /**
   * Goes on after a controller that may have been ended at any record: what it had begun to say of a start or an end is said, and
   * reservations are made anew.
   *
   * @param now integer milliseconds since the start of the log, after its last record
   * @throws PolicyFaultError
   */
  goOn(now: number): void {
    this.#finishRoutes()
    this.#finishEnds()
    const since = this.state.t
    const t = now / 1000
    const gap = this.#writer.append({ seq: 0, t, type: 'gap', since })
    for (const { job, seq } of this.state.reservations.values())
      this.#writer.append({ seq: 0, t, type: 'unreserve', job, for: seq, cause: gap })
    this.scheduler = LiveScheduler.from(this.state, this.#rules, this.#writer, gap)
    this.scheduler.recheck()
  }

  get state(): LogState {
    return this.#state!
  }

  /** The log's name of a job of Slurm; undefined where it has none. */
  nameOf(id: string): string | undefined {
    return this.#names.get(id)
  }

  /** Under which a job comes to the queue: `12`, then `12/2`, where it is another job than it was. */
  nextName(id: string): string {
    const name = this.#names.get(id)
    if (name === undefined) return id
    return `${id}/${name === id ? 2 : Number(name.slice(id.length + 1)) + 1}`
  }

  /** Its submit, where a job was killed and may come back. */
  killed(name: string): Submit | undefined {
    return this.state.killed.get(name)
  }

  /** Seq of what ended the last run of a job that was killed. */
  endedBy(name: string): number {
    return this.#endedBy.get(name)?.seq ?? 0
  }

  /** A start is followed by its routes, a release by their removal. */
  #finishRoutes(): void {
    const { t, running, routes } = this.state
    for (const { job } of routes.values()) if (!running.has(job)) this.#removeRoutes(job)
    const routing = this.#rules.makeRouting?.()
    if (routing === undefined) return
    const { name: scheme, tables } = routing
    for (const [job, { allocate, ...parts }] of running) {
      if (routes.has(job)) continue
      const change = tables.add(job, parts)
      // The scheduler that takes the job over says what is wrong with it.
      if ('unroutable' in change) continue
      const { entries, digest } = change
      this.#writer.append({ seq: 0, t, type: 'route', job, op: 'add', scheme, entries, digest, cause: allocate.seq })
    }
  }

  #removeRoutes(job: string): void {
    const { t, routes } = this.state
    const known = routes.get(job)
    if (known === undefined) return
    const { scheme, entries, digest } = known
    const cause = this.#releasedBy.get(job) ?? 0
    this.#writer.append({ seq: 0, t, type: 'route', job, op: 'remove', scheme, entries, digest, cause })
  }

  /** What a controller that was ended in the middle of it would have said next. */
  #finishEnds(): void {
    const { t } = this.state
    for (const [job, { ended }] of this.state.running) {
      if (ended === undefined) continue
      this.#writer.append({ seq: 0, t, type: 'release', job, cause: ended.seq })
      this.#removeRoutes(job)
    }
    for (const job of this.state.killed.keys()) {
      const end = this.#endedBy.get(job)
      if (end?.type === 'withdraw') this.#writer.append({ seq: 0, t, type: 'requeue', job, cause: end.seq })
    }
  }

  /** A seal tells nothing new. */
  readonly #take = (chunk: Uint8Array): void => {
    this.#write(chunk)
    const record = decodeRecord(new TextDecoder().decode(chunk.subarray(0, -1)))
    if (record.type === 'header') this.#state = new LogState(record)
    else this.#state!.apply(record)
    if (record.type === 'submit') this.#names.set(record.job.replace(/\/\d+$/, ''), record.job)
    if (record.type === 'allocate' || record.type === 'reserve') this.decisions++
    if (record.type === 'reject') this.rejected.add(record.job)
    if (record.type === 'release' && this.#state!.routes.has(record.job)) this.#releasedBy.set(record.job, record.seq)
    if (record.type === 'kill' || record.type === 'withdraw')
      this.#endedBy.set(record.job, { seq: record.seq, type: record.type })
  }
}
