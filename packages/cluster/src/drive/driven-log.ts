import {
  type Appendable,
  decodeRecord,
  firstSwitchOfLevels,
  type HashFunction,
  type LogHeader,
  type LogRecord,
  LogState,
  LogWriter,
  spellEntries,
} from '@cloister/eventlog'
import { type LiveRules, LiveScheduler } from '@cloister/kernel'

/**
 * Log of a controller, with the state and the scheduler that follow from the log. The log gets each record before the
 * controller acts on the record. A restarted controller therefore knows as much as its predecessor.
 */
export class DrivenLog {
  scheduler: LiveScheduler<unknown>
  /** Number of `allocate` and `reserve` records in the log. */
  decisions = 0
  /** Names in the log of the jobs that the policy can never place. */
  readonly rejected: Set<string> = new Set()
  readonly #rules: LiveRules<unknown>
  readonly #writer: LogWriter
  readonly #write: (chunk: Uint8Array) => void
  #state: LogState | undefined
  /** Last name in the log of each Slurm job, by Slurm's id. */
  readonly #names = new Map<string, string>()
  /** `seq` of the last release record of each job; empty without routes. */
  readonly #releasedBy = new Map<string, number>()
  /** The `kill` or `withdraw` record that last ended a job's run early. */
  readonly #endedBy = new Map<string, { readonly seq: number; readonly type: 'kill' | 'withdraw' }>()

  /** Begins the log of a controller. @param write stores the header, each record and each seal durably */
  constructor(header: LogHeader, rules: LiveRules<unknown>, write: (chunk: Uint8Array) => void, hash: HashFunction) {
    this.#rules = rules
    this.#write = write
    this.#writer = new LogWriter(header, rules.topology, this.#take, hash, { chunks: 'record' })
    this.scheduler = new LiveScheduler(rules, this.#writer)
  }

  /** Applies the records of an existing log to the state, and passes the bytes of the records to `write` again. */
  retell(records: Iterable<LogRecord>): void {
    for (const record of records)
      if (record.type !== 'seal' && record.type !== 'header') this.#writer.append(record as Appendable)
  }

  /**
   * Continues the log of a controller that stopped after any record: completes the records of a start or an end, writes
   * a `gap`, and removes all reservations. The next scheduling pass makes reservations again.
   *
   * @param now integer milliseconds since t = 0 of the log, after the last record
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

  /** Returns the last name in the log of a Slurm job; undefined if the log does not have the job. */
  nameOf(id: string): string | undefined {
    return this.#names.get(id)
  }

  /** Returns the name under which a Slurm job enters the queue: `12`, then `12/2` if the log already has a job `12`. */
  nextName(id: string): string {
    const name = this.#names.get(id)
    if (name === undefined) return id
    return `${id}/${name === id ? 2 : Number(name.slice(id.length + 1)) + 1}`
  }

  /** Returns the `seq` of the record that ended a job's last run early; 0 if the log has no such record. */
  endedBy(name: string): number {
    return this.#endedBy.get(name)?.seq ?? 0
  }

  #finishRoutes(): void {
    const { t, running, routes, topology } = this.state
    const routed = new Set<string>()
    for (const { job } of routes.values()) {
      if (job === undefined) continue
      routed.add(job)
      if (!running.has(job)) this.#removeRoutes(job)
    }
    const tables = this.#rules.makeRouting?.().tables
    if (tables === undefined) return
    for (const [job, { allocate, ...parts }] of running) {
      if (routed.has(job)) continue
      const change = tables.start(job, parts)
      // The scheduler that continues the log reports the fault of a job without routes.
      if ('unroutable' in change) continue
      const entries = spellEntries(firstSwitchOfLevels(topology), change)
      this.#writer.append({ seq: 0, t, type: 'route', cause: allocate.seq, job, entries })
    }
  }

  #removeRoutes(job: string): void {
    const { t } = this.state
    const cause = this.#releasedBy.get(job) ?? 0
    const undo = this.state.routesOf(job)[0]?.seq
    if (undo !== undefined) this.#writer.append({ seq: 0, t, type: 'route', cause, job, undo })
  }

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

  readonly #take = (chunk: Uint8Array): void => {
    this.#write(chunk)
    const record = decodeRecord(new TextDecoder().decode(chunk.subarray(0, -1)))
    if (record.type === 'header') this.#state = new LogState(record)
    else this.#state!.apply(record)
    if (record.type === 'submit') this.#names.set(record.job.replace(/\/\d+$/, ''), record.job)
    if (record.type === 'allocate' || record.type === 'reserve') this.decisions++
    if (record.type === 'reject') this.rejected.add(record.job)
    if (record.type === 'release' && this.#rules.makeRouting !== undefined) this.#releasedBy.set(record.job, record.seq)
    if (record.type === 'kill' || record.type === 'withdraw')
      this.#endedBy.set(record.job, { seq: record.seq, type: record.type })
  }
}
