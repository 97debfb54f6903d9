import { type LogRecord, milliseconds, type RecordedResources } from '@cloister/eventlog'
import type { LiveJob } from '@cloister/kernel'
import type { SlurmJob } from '@cloister/slurm'
import type { DrivenLog } from './driven-log.ts'
import {
  areSameNodes,
  HANDED_BACK,
  type Happening,
  happenings,
  isDriven,
  isIn,
  markDefect,
  type Observation,
  Starts,
  takenNodes,
  unreadDefect,
} from './observations.ts'

/** Estimate, in ms, of a job without a walltime: a year. */
export const WITHOUT_LIMIT_MS: number = 365 * 86_400_000

/**
 * Controller's decisions at each poll of Slurm. A driver reads no clock and runs no command: the same log and the same
 * observations give the same records and the same changes of Slurm's jobs.
 */
export class Driver {
  readonly log: DrivenLog
  readonly #partition: string
  readonly #startWithin: number
  readonly #epoch: number
  readonly #starts = new Starts()
  /** True until the first scheduling pass, because the previous controller may have stopped in the middle of a pass. */
  #isPassDue = true

  /**
   * @param startWithin longest time, in ms, for Slurm to start a released job; after this time other jobs may get the
   *   job's nodes
   */
  constructor(log: DrivenLog, partition: string, startWithin: number) {
    this.log = log
    this.#partition = partition
    this.#startWithin = startWithin
    this.#epoch = (log.state.header.epoch ?? 0) * 1000
  }

  /** Calls `decide`, then `changes`. @throws PolicyFaultError if the policy fails */
  look(observation: Observation): ReadonlyArray<JobChange> {
    this.decide(observation)
    return this.changes(observation)
  }

  /**
   * Writes the new events to the log, and runs a scheduling pass if there are events or a pass is due. If the policy
   * fails, throws a PolicyFaultError; the log then ends with a fault record, and Slurm should serve the queue.
   */
  decide(observation: Observation): void {
    const { scheduler } = this.log
    scheduler.catchUp(observation.now)
    const taken = takenNodes(this.log, observation)
    const found = happenings({
      log: this.log,
      observation,
      taken,
      partition: this.#partition,
      epoch: this.#epoch,
      starts: this.#starts,
      startWithin: this.#startWithin,
    })
    const nodes = this.#nodesAfter(found, taken)
    const isDue = this.#isPassDue || scheduler.wakeTime === observation.now
    if (isDue || found.length + nodes.down.length + nodes.up.length > 0) {
      scheduler.at(observation.now)
      this.#tellAll(found, nodes, observation.now)
      this.#isPassDue = false
      scheduler.pass()
    }
    this.#noteStarts(observation)
  }

  /** Notes each job's number of restarts at the decision of its start: Slurm may requeue it before the next poll. */
  #noteStarts({ jobs, now }: Observation): void {
    for (const job of jobs) {
      const name = this.log.nameOf(job.id)
      const running = name === undefined ? undefined : this.log.state.running.get(name)
      if (running !== undefined) this.#starts.look(name!, running, now, job)
    }
  }

  /** Returns the changes of Slurm's jobs. @param unrouted names in the log of jobs whose routes the switches lack */
  changes(observation: Observation, unrouted: ReadonlySet<string> = new Set()): ReadonlyArray<JobChange> {
    this.#starts.putOff(unrouted, observation.now)
    return jobChanges(this.log, observation, this.#partition, this.#starts, unrouted)
  }

  /**
   * Passes events to the scheduler in this order: ends of jobs, which free nodes; changes of nodes; other events of
   * jobs.
   */
  #tellAll(
    found: ReadonlyArray<Happening>,
    { down, up }: { readonly down: ReadonlyArray<number>; readonly up: ReadonlyArray<number> },
    now: number,
  ): void {
    const { scheduler } = this.log
    const isEnd = ({ kind }: Happening): boolean => kind === 'ended' || kind === 'not-started'
    for (const happening of found.filter(isEnd)) this.#tell(happening, now)
    if (up.length > 0) scheduler.change('up', { nodes: up, links: [] })
    if (down.length > 0) scheduler.change('down', { nodes: down, links: [] })
    for (const happening of found.filter((each) => !isEnd(each))) this.#tell(happening, now)
  }

  #tell(happening: Happening, now: number): void {
    const { scheduler } = this.log
    const { job } = happening
    switch (happening.kind) {
      case 'ended':
        return this.#tellEnd(happening)
      case 'not-started':
        return scheduler.withdraw(job)
      case 'left':
        return scheduler.cancel(job, happening.at < now ? happening.at : undefined)
      case 'came':
        return void scheduler.submit(liveJob(job, happening.seen, now))
      case 'came-back':
        return scheduler.requeue(job, this.log.endedBy(job))
    }
  }

  #tellEnd({ job, how, at, again }: Extract<Happening, { kind: 'ended' }>): void {
    const { scheduler, state } = this.log
    const { allocate, nodes }: RecordedResources & { allocate: LogRecord } = state.running.get(job)!
    const happened = Math.max(at, 't' in allocate ? milliseconds(allocate.t) : 0)
    if (again)
      scheduler.kill(
        job,
        nodes.some((node) => state.downNodes.has(node)) ? 'node-down' : 'requeued',
        undefined,
        happened,
      )
    else if (how === 'finished' || how === 'failed') scheduler.finish(job, how === 'failed', happened)
    else if (how === 'cancel') scheduler.cancel(job, happened)
    else scheduler.kill(job, how, undefined, happened)
  }

  /** Returns the nodes that go down or come up in the log. An allocated node goes down only after its job has ended. */
  #nodesAfter(
    found: ReadonlyArray<Happening>,
    taken: ReadonlySet<number>,
  ): { down: ReadonlyArray<number>; up: ReadonlyArray<number> } {
    const { state } = this.log
    const over = new Set(found.flatMap(({ kind, job }) => (kind === 'ended' || kind === 'not-started' ? [job] : [])))
    const useless = new Set(taken)
    for (const [job, { nodes }] of state.running) if (!over.has(job)) for (const node of nodes) useless.delete(node)
    const up = [...state.downNodes.ids()].filter((node) => !useless.has(node))
    const down = [...useless].filter((node) => !state.downNodes.has(node))
    return { down: down.sort((a, b) => a - b), up: up.sort((a, b) => a - b) }
  }
}

function liveJob(id: string, { size, limit, labels }: SlurmJob, now: number): LiveJob {
  return { id, submit: now, size, walltime: limit ?? WITHOUT_LIMIT_MS, ...labels }
}

/** Change of a Slurm job. Making the change a second time has no further effect. */
export type JobChange = { readonly id: string } & (
  | { readonly kind: 'hold' | 'release' | 'free' | 'free-started' }
  /** `defect`: reason why no controller can place the job, for a message to people. */
  | { readonly kind: 'hand-back'; readonly defect?: string }
  | { readonly kind: 'require'; readonly nodes: Int32Array }
)

/**
 * Returns the changes that make Slurm's jobs follow the log. Earlier changes do not matter, so that a controller can
 * complete the changes of a stopped predecessor.
 *
 * - hold: Slurm does not start the job.
 * - require: the job starts on the given nodes and nowhere else.
 * - release: Slurm may start the job. A job whose routes the switches lack gets a `require`, but no release yet.
 * - free: the job may start on any nodes.
 * - free-started: a running job may start on any nodes at its next start.
 * - hand-back: from now on Slurm decides about the job.
 */
export function jobChanges(
  log: DrivenLog,
  observation: Observation,
  partition: string,
  starts: Starts,
  unrouted: ReadonlySet<string>,
): ReadonlyArray<JobChange> {
  const placed = observation.jobs.flatMap((job) => [...changesFor(log, job, partition, starts, unrouted)])
  return [...placed, ...changesForDefects(observation, partition)]
}

/** Returns a hand-back for each held job that carries the controller's mark and cannot be placed. */
export function changesForDefects(
  { jobs, unread }: Pick<Observation, 'jobs' | 'unread'>,
  partition: string,
): ReadonlyArray<JobChange> {
  const defects = [
    ...jobs.map((job) => [job.id, markDefect(job, partition)] as const),
    ...unread.map((job) => [job.id, unreadDefect(job, partition)] as const),
  ]
  return defects.flatMap(([id, defect]): ReadonlyArray<JobChange> =>
    id === undefined || defect === undefined ? [] : [{ kind: 'hand-back', id, defect }],
  )
}

function* changesFor(
  log: DrivenLog,
  job: SlurmJob,
  partition: string,
  starts: Starts,
  unrouted: ReadonlySet<string>,
): Generator<JobChange, void> {
  const { id, phase, isHeld } = job
  // Slurm would refuse a released job again. `changesForDefects` hands a driven job back.
  if (job.isRefused) return
  if (job.mark === HANDED_BACK && isIn(job.partition, partition) && phase === 'pending' && isHeld)
    yield { kind: 'release', id }
  if (!isDriven(job, partition) || phase === 'over') return
  const name = log.nameOf(id)
  const started = name === undefined ? undefined : log.state.running.get(name)
  if (phase === 'running') {
    // When slurmctld restarts, it kills a job if a node in the job's list of required nodes is gone.
    if (job.isRequiring && started !== undefined) yield { kind: 'free-started', id }
    return
  }
  if (started !== undefined && !starts.givenUp.has(name!))
    return yield* startChanges(job, started.nodes, unrouted.has(name!))
  if (job.demands.length > 0 || (name !== undefined && log.rejected.has(name))) return yield { kind: 'hand-back', id }
  if (!isHeld) yield { kind: 'hold', id }
  if (job.isRequiring) yield { kind: 'free', id }
}

function* startChanges(
  { id, isHeld, required }: SlurmJob,
  nodes: Int32Array,
  waits: boolean,
): Generator<JobChange, void> {
  const isRight = required !== undefined && areSameNodes(required, nodes)
  if (!isHeld && isRight && !waits) return
  // Slurm may start a released job on wrong nodes, or before the switches have the job's routes.
  if (!isHeld) yield { kind: 'hold', id }
  if (!isRight) yield { kind: 'require', id, nodes }
  if (!waits) yield { kind: 'release', id }
}
