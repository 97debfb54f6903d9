import { type QueueBefore, RestoredQueue, WaitingQueue } from './waiting-queue.ts'
import { formatIdset, railCount, type Topology } from '@cloister/topology'
import { resourcesOf } from '../records/lines.ts'
import { headerTopology } from './header.ts'
import { type IdSet, JobNumbers } from './ids.ts'
import { EntryLimits } from './forwarding-tables.ts'
import { FoldError, MachineState, type RunningJob } from './machine-state.ts'
import type {
  Allocate,
  Cancel,
  Fault,
  Finish,
  Gap,
  Header,
  Kill,
  LogRecord,
  Progress,
  Reject,
  Release,
  Requeue,
  Reserve,
  Route,
  Submit,
  Unreserve,
  Withdraw,
} from '../records/types.ts'

/** Complete content of a `LogState`, as records. The constructor of `LogState` makes an equal state from a snapshot. */
export interface StateSnapshot {
  readonly seq: number
  readonly t: number
  readonly ended: boolean
  /** Returns true if the job was submitted before or at the snapshot. */
  readonly wasSubmitted: (job: string) => boolean
  /** Waiting jobs in the order of joining the queue: a list, or a `QueueBefore` that looks jobs up in an index. */
  readonly waiting: QueueBefore | Iterable<Submit>
  /** Running jobs, in the order of starts. */
  readonly running: Iterable<{
    readonly submit: Submit
    readonly allocate: Allocate
    readonly ended: RunningJob['ended']
    readonly progress: RunningJob['progress']
  }>
  readonly reservations: Iterable<Reserve>
  readonly routes: Iterable<Route>
  readonly killed: Iterable<Submit>
  readonly downNodes: Iterable<number>
  /** Failed links, one list a level. */
  readonly downLinks: ReadonlyArray<Iterable<number>>
  /** Rails with a failed cable of each link that is down only in some rails, one map a level. Default: none. */
  readonly downRails?: ReadonlyArray<ReadonlyMap<number, ReadonlyArray<number>>>
}

function queueOf(waiting: StateSnapshot['waiting']): Map<string, Submit> {
  if (!(Symbol.iterator in waiting)) return new RestoredQueue(waiting)
  const queue = new WaitingQueue()
  for (const submit of waiting) queue.set(submit.job, submit)
  return queue
}

/** Run of a job that has released its nodes. */
export interface EndedRun extends Pick<RunningJob, 'submit' | 'allocate' | 'nodes'> {
  /** Time of the release, in seconds. */
  readonly end: number
}

/**
 * State of queue and machine after the first records of a log. Apply the records in order, from the record after the
 * header on. The class uses plain sets and maps, and no code of the scheduler or of policies, because the class defines
 * the meaning of the records.
 */
export class LogState {
  readonly header: Header
  readonly topology: Topology
  /** Seq of the last applied record; 0 after the header. */
  seq = 0
  t = 0
  ended = false
  /** Waiting jobs by id, in the order of joining the queue. */
  readonly waiting: Map<string, Submit>
  /** Running jobs by id, in the order of starts. */
  readonly running: Map<string, RunningJob> = new Map()
  /** Reservations by job id. */
  readonly reservations: Map<string, Reserve> = new Map()
  /** Route records that no record has undone, by seq. The forwarding tables follow from the records in order. */
  readonly routes: Map<number, Route> = new Map()
  /** Route records of each job in `routes`, in order. The last one of a job without routes has `unroutable`. */
  readonly #routesOfJob: Map<string, Array<Route>> = new Map()
  /**
   * Released jobs by id that may run again: killed jobs, jobs whose start was withdrawn, and jobs on a move. A requeue
   * record returns a job to the queue; the allocate record of a move ends the move.
   */
  readonly killed: Map<string, Submit> = new Map()
  /** Runs that have ended, in the order of their ends; empty unless the order of the header claims `history`. */
  readonly endedRuns: Array<EndedRun> = []
  readonly #machine: MachineState
  #limits: EntryLimits | undefined
  readonly #submitted = new JobNumbers()
  #wasSubmitted: (job: string) => boolean = () => false

  /**
   * Makes the state of a snapshot, or the state after the header if there is no snapshot.
   *
   * @param from snapshot of a state of the same log; absent for the state after the header
   * @throws RecordError if the header's topology is impossible
   */
  constructor(header: Header, from?: StateSnapshot) {
    this.header = header
    this.topology = headerTopology(header)
    this.waiting = queueOf(from?.waiting ?? [])
    this.#machine = new MachineState(this.topology, header.policy.claims.links === 'capped')
    if (from !== undefined) this.#restore(from)
  }

  #restore(from: StateSnapshot): void {
    this.seq = from.seq
    this.t = from.t
    this.ended = from.ended
    this.#wasSubmitted = from.wasSubmitted
    for (const reserve of from.reservations) this.reservations.set(reserve.job, reserve)
    for (const route of from.routes) this.#addRoute(route)
    for (const submit of from.killed) this.killed.set(submit.job, submit)
    for (const job of from.running) this.#hold({ ...job, ...resourcesOf(job.allocate) })
    this.#machine.fail({ nodes: from.downNodes, links: from.downLinks })
    from.downRails?.forEach((ofLevel, level) => {
      for (const [link, rails] of ofLevel) this.#machine.downRails[level].set(link, rails)
    })
  }

  /** Nodes that are neither allocated nor down. */
  get freeNodes(): IdSet {
    return this.#machine.freeNodes
  }
  get downNodes(): IdSet {
    return this.#machine.downNodes
  }
  /** Failed links, one set a level. */
  get downLinks(): ReadonlyArray<IdSet> {
    return this.#machine.downLinks
  }
  /** Rails with a failed cable of each link that is down only in some rails of the machine, one map a level. */
  get downRails(): ReadonlyArray<ReadonlyMap<number, ReadonlyArray<number>>> {
    return this.#machine.downRails
  }
  /** Returns the rails in which the cable of a link is down, as an idset; undefined if the machine has a single rail. */
  railsOfDownLink(level: number, link: number): string | undefined {
    const rails = railCount(this.topology)
    if (rails === 1) return undefined
    if (!this.downLinks[level].has(link)) return ''
    return formatIdset(this.downRails[level].get(link) ?? [...Array(rails).keys()])
  }
  /** Returns the job that holds a node, even if the node is down; undefined if no job holds the node. */
  nodeOwner(node: number): RunningJob | undefined {
    return this.#machine.nodeOwner(node)
  }
  /** Returns the job that holds a link; undefined if no job does, or if the policy claims `capped` links. */
  linkOwner(level: number, link: number): RunningJob | undefined {
    return this.#machine.linkOwner(level, link)
  }
  /** Returns the route records of a job that no record has undone, in order; an empty list if the job has none. */
  routesOf(job: string): ReadonlyArray<Route> {
    return this.#routesOfJob.get(job) ?? []
  }
  /** Returns the description of the lost routes of a job; undefined if the job has all routes, or the log no router. */
  unroutable(job: string): string | undefined {
    return this.#routesOfJob.get(job)?.at(-1)?.unroutable
  }
  /** Returns the MB/s that all jobs together hold on a link; 0 unless the policy claims `capped` links. */
  bandwidthInUse(level: number, link: number): number {
    return this.#machine.bandwidthInUse(level, link)
  }

  /** Applies the next record of the log. @throws FoldError if the record cannot follow; the state stays unchanged */
  apply(record: LogRecord): void {
    this.#checkTurn(record)
    this.#change(record)
    this.seq = record.seq
    if ('t' in record) this.t = record.t
  }

  #checkTurn(record: LogRecord): void {
    if (record.type === 'header') throw new FoldError(record, 'a second header; a log has one header')
    if (record.seq !== this.seq + 1) throw new FoldError(record, `record ${this.seq + 1} comes next`)
    if (record.t < this.t)
      throw new FoldError(record, `t = ${record.t} is before ${this.t}, the time of the previous record`)
    if (this.ended && record.type !== 'seal') throw new FoldError(record, 'the log has ended')
  }

  #change(record: LogRecord): void {
    switch (record.type) {
      case 'submit':
        return this.#submit(record)
      case 'cancel':
        return this.#cancel(record)
      case 'reject':
        return this.#reject(record)
      case 'refuse':
        return void this.#waitingJob(record)
      case 'reserve':
        return this.#reserve(record)
      case 'unreserve':
        return this.#unreserve(record)
      case 'allocate':
        return this.#allocate(record)
      case 'finish':
      case 'kill':
        return this.#endJob(record)
      case 'release':
        return this.#release(record)
      case 'requeue':
        return this.#requeue(record)
      case 'route':
        return this.#route(record)
      case 'down':
      case 'up':
        return this.#machine.change(record)
      case 'progress':
        return this.#progress(record)
      case 'withdraw':
        return this.#withdraw(record)
      case 'fault':
        return this.#fault(record)
      case 'gap':
        return this.#gap(record)
      case 'end':
        this.ended = true
    }
  }

  #submit(record: Submit): void {
    if (this.#isSubmitted(record.job)) throw new FoldError(record, `job ${record.job} was submitted before`)
    this.#submitted.add(record.job)
    this.waiting.set(record.job, record)
  }

  /** Accepts any submitted job: the job of the last request may leave the queue before the failure is found. */
  #fault(record: Fault): void {
    if (!this.#isSubmitted(record.job)) throw new FoldError(record, `job ${record.job} was not submitted`)
  }

  #isSubmitted(job: string): boolean {
    return this.#submitted.get(job) !== undefined || this.#wasSubmitted(job)
  }

  /** A cancel of a running job changes nothing; a later record kills the job. */
  #cancel(record: Cancel): void {
    if (!this.running.has(record.job)) this.#waitingJob(record)
    this.waiting.delete(record.job)
  }

  #reject(record: Reject): void {
    this.#waitingJob(record)
    this.waiting.delete(record.job)
  }

  #reserve(record: Reserve): void {
    this.#waitingJob(record)
    const before = this.reservations.get(record.job)
    if (before !== undefined) throw new FoldError(record, `job ${record.job} has a reservation, record ${before.seq}`)
    this.#machine.checkInside(record, resourcesOf(record))
    this.reservations.set(record.job, record)
  }

  #unreserve(record: Unreserve): void {
    const reservation = this.reservations.get(record.job)
    if (reservation?.seq !== record.for)
      throw new FoldError(record, `record ${record.for} is no reservation of job ${record.job}`)
    this.reservations.delete(record.job)
  }

  #allocate(record: Allocate): void {
    const submit = record.moved === undefined ? this.#waitingJob(record) : this.#movingJob(record)
    const parts = resourcesOf(record)
    this.#machine.checkFree(record, parts)
    if (record.moved === undefined) this.waiting.delete(record.job)
    else this.killed.delete(record.job)
    this.reservations.delete(record.job)
    this.#hold({ submit, allocate: record, ...parts, ended: undefined, progress: undefined })
  }

  #hold(job: RunningJob): void {
    this.running.set(job.submit.job, job)
    this.#machine.hold(job)
  }

  #endJob(record: Finish | Kill): void {
    const job = this.#runningJob(record)
    if (job.ended !== undefined)
      throw new FoldError(record, `job ${record.job} has ended, with record ${job.ended.seq}`)
    job.ended = record
  }

  /** After a withdrawn allocate, a release returns the job's allocation. After a withdrawn kill, the job runs on. */
  #withdraw(record: Withdraw): void {
    const job = this.#runningJob(record)
    if (job.ended?.type === 'kill' && job.ended.seq === record.of) job.ended = undefined
    else if (job.ended === undefined && job.allocate.seq === record.of) job.ended = record
    else
      throw new FoldError(
        record,
        `record ${record.of} is no allocate or kill record of job ${record.job} that a withdraw can undo`,
      )
  }

  #progress(record: Progress): void {
    const job = this.#runningJob(record)
    if (job.ended !== undefined)
      throw new FoldError(record, `job ${record.job} has ended, with record ${job.ended.seq}`)
    job.progress = record
  }

  #gap(record: Gap): void {
    if (record.since > record.t) throw new FoldError(record, `since = ${record.since} is after t = ${record.t}`)
  }

  #release(record: Release): void {
    const job = this.#runningJob(record)
    if ((job.ended === undefined) !== (record.for !== undefined))
      throw new FoldError(
        record,
        record.for === undefined
          ? `job ${record.job} still runs: the log has no finish, kill or withdraw of the job`
          : `job ${record.job} moves for job ${record.for}, but has ended`,
      )
    this.running.delete(record.job)
    if (job.ended?.type !== 'finish') this.killed.set(record.job, job.submit)
    if (this.header.order?.claims.history === true) this.endedRuns.push({ ...job, end: record.t })
    this.#machine.release(job)
  }

  #requeue(record: Requeue): void {
    const submit = this.killed.get(record.job)
    if (submit === undefined) throw new FoldError(record, `job ${record.job} was not killed and released before`)
    this.killed.delete(record.job)
    this.waiting.set(record.job, submit)
  }

  #route(record: Route): void {
    const { job, entries, undo, unroutable } = record
    if ((undo === undefined) === (entries === undefined && unroutable === undefined))
      throw new FoldError(record, 'expected either entries that enter the tables, or undo for entries that leave')
    if (job === undefined && entries === undefined)
      throw new FoldError(record, 'expected a job: only the records of a job are undone, and only a job is unroutable')
    if (undo !== undefined) return this.#undo(record, job!)
    if (job !== undefined) this.#runningJob({ ...record, job })
    this.#limits ??= new EntryLimits(this.topology)
    this.#limits.check(record)
    this.#addRoute(record)
  }

  #addRoute(record: Route): void {
    const { job, seq } = record
    this.routes.set(seq, record)
    if (job === undefined) return
    const ofJob = this.#routesOfJob.get(job)
    if (ofJob === undefined) this.#routesOfJob.set(job, [record])
    else ofJob.push(record)
  }

  #undo(record: Route, job: string): void {
    const undone = this.routesOf(job)
    if (undone[0]?.seq !== record.undo)
      throw new FoldError(
        record,
        `found undo ${record.undo}, expected ${undone.length === 0 ? `no undo: job ${job} has no route records` : `${undone[0].seq}, the first route record of job ${job}`}`,
      )
    this.#routesOfJob.delete(job)
    for (const { seq } of undone) this.routes.delete(seq)
  }

  #waitingJob(record: LogRecord & { readonly job: string }): Submit {
    const submit = this.waiting.get(record.job)
    if (submit === undefined) throw new FoldError(record, `job ${record.job} is not waiting`)
    return submit
  }

  /** Returns the job of a move, which was released and not yet placed again. */
  #movingJob(record: Allocate): Submit {
    const submit = this.killed.get(record.job)
    if (submit === undefined) throw new FoldError(record, `job ${record.job} does not move`)
    return submit
  }

  #runningJob(record: LogRecord & { readonly job: string }): RunningJob {
    const job = this.running.get(record.job)
    if (job === undefined) throw new FoldError(record, `job ${record.job} is not running`)
    return job
  }
}

/**
 * Yields the given records, each after a check that the record can follow the earlier records. The check serves callers
 * that keep no state, because even a sealed log may, for example, end a job that was never submitted.
 *
 * @throws FoldError at the first record that cannot follow, RangeError if the first record is no header
 */
export function* replayable(records: Iterable<LogRecord>): Generator<LogRecord, void> {
  let state: LogState | undefined
  for (const record of records) {
    if (state !== undefined) state.apply(record)
    else if (record.type === 'header') state = new LogState(record)
    else break
    yield record
  }
  if (state === undefined) throw new RangeError('a log begins with its header')
}
