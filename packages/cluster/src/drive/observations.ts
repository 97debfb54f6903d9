import type { LogState, RunningJob } from '@cloister/eventlog'
import type { RunEnd, SlurmJob, UnreadJob } from '@cloister/slurm'
import type { DrivenLog } from './driven-log.ts'

/** Event of a job that the log lacks, with the job's name in the log. Times are in ms since t = 0 of the log. */
export type Happening =
  | { readonly kind: 'ended'; readonly job: string; readonly how: RunEnd; readonly at: number; readonly again: boolean }
  | { readonly kind: 'not-started'; readonly job: string }
  | { readonly kind: 'left'; readonly job: string; readonly at: number }
  | { readonly kind: 'came'; readonly job: string; readonly seen: SlurmJob }
  | { readonly kind: 'came-back'; readonly job: string }

/** Kinds of events, in the order in which the scheduler gets the events of a poll. */
const order: ReadonlyArray<Happening['kind']> = ['ended', 'not-started', 'left', 'came', 'came-back']

/** First observation of each decided start; a restarted controller collects the observations again. */
export class Starts {
  /**
   * Map from a job's name in the log to the `seq` of the job's start, and to the time and the job's number of restarts
   * when the start was first observed.
   */
  readonly #seen = new Map<string, { readonly seq: number; readonly since: number; readonly restarts: number }>()
  /** Names in the log of jobs whose start the controller withdraws as soon as Slurm holds the job again. */
  readonly givenUp: Set<string> = new Set()

  /** Returns the first observation of a job's start, which is the present observation if the start is new. */
  look(name: string, { allocate }: RunningJob, now: number, job: SlurmJob): { since: number; restarts: number } {
    const known = this.#seen.get(name)
    if (known?.seq === allocate.seq) return known
    this.givenUp.delete(name)
    const first = { seq: allocate.seq, since: now, restarts: job.restarts }
    this.#seen.set(name, first)
    return first
  }

  /** Begins the time limit of the given jobs' starts again, because Slurm may not start the jobs yet. */
  putOff(names: Iterable<string>, now: number): void {
    for (const name of names) {
      const known = this.#seen.get(name)
      if (known !== undefined) this.#seen.set(name, { ...known, since: now })
    }
  }

  keep(state: LogState): void {
    for (const name of this.#seen.keys())
      if (!state.running.has(name)) {
        this.#seen.delete(name)
        this.givenUp.delete(name)
      }
  }
}

interface Comparing {
  readonly log: DrivenLog
  readonly observation: Observation
  /** Nodes on which no job can start, from `takenNodes`. */
  readonly taken: ReadonlySet<number>
  readonly partition: string
  readonly epoch: number
  readonly starts: Starts
  /** Longest time, in ms, for Slurm to start a released job. */
  readonly startWithin: number
}

/** Returns the events that explain the difference between the log and an observation. */
export function happenings(comparing: Comparing): ReadonlyArray<Happening> {
  return new Comparison(comparing).happenings()
}

class Comparison {
  readonly #found: Array<Happening> = []
  readonly #log: DrivenLog
  readonly #observation: Observation
  readonly #partition: string
  readonly #epoch: number
  readonly #starts: Starts
  readonly #startWithin: number
  readonly #taken: ReadonlySet<number>

  constructor({ log, observation, taken, partition, epoch, starts, startWithin }: Comparing) {
    this.#log = log
    this.#observation = observation
    this.#partition = partition
    this.#epoch = epoch
    this.#starts = starts
    this.#startWithin = startWithin
    this.#taken = taken
  }

  happenings(): ReadonlyArray<Happening> {
    const { state } = this.#log
    const unread = this.#observation.unread.flatMap(({ id }) => (id === undefined ? [] : [this.#log.nameOf(id)]))
    const seen = new Set(unread.filter((name) => name !== undefined))
    // Jobs that are new since the last poll enter the queue in the order of their Slurm ids.
    for (const job of this.#observation.jobs.toSorted(byNumber)) {
      const name = this.#log.nameOf(job.id)
      if (name !== undefined) seen.add(name)
      this.#compare(job, name)
    }
    for (const name of state.running.keys())
      if (!seen.has(name)) this.#end(name, 'finished', this.#observation.now, false)
    for (const name of state.waiting.keys()) if (!seen.has(name)) this.#leave(name, this.#observation.now)
    this.#starts.keep(state)
    return this.#found
      .map((happening, at) => ({ happening, at }))
      .sort((a, b) => order.indexOf(a.happening.kind) - order.indexOf(b.happening.kind) || a.at - b.at)
      .map(({ happening }) => happening)
  }

  #compare(job: SlurmJob, name: string | undefined): void {
    const { state } = this.#log
    const running = name === undefined ? undefined : state.running.get(name)
    if (name !== undefined && running !== undefined) this.#compareStart(job, name, running)
    else if (name !== undefined && state.waiting.has(name))
      this.#compareWaiting(job, name, state.waiting.get(name)!.size)
    else if (this.#isWaiting(job)) this.#come(job, name)
  }

  #isWaiting(job: SlurmJob): boolean {
    return (
      job.phase === 'pending' && job.isHeld && job.isReady && isDriven(job, this.#partition) && job.demands.length === 0
    )
  }

  #come(job: SlurmJob, name: string | undefined): void {
    if (name !== undefined && this.#log.rejected.has(name)) return
    const killed = name === undefined ? undefined : this.#log.state.killed.get(name)
    if (killed !== undefined && killed.size === job.size) this.#found.push({ kind: 'came-back', job: name! })
    else this.#found.push({ kind: 'came', job: this.#log.nextName(job.id), seen: job })
  }

  #compareWaiting(job: SlurmJob, name: string, size: number): void {
    if (job.phase === 'pending' && isDriven(job, this.#partition) && job.isReady) {
      if (job.size === size) return
      this.#leave(name, this.#observation.now)
      if (this.#isWaiting(job)) this.#found.push({ kind: 'came', job: this.#log.nextName(job.id), seen: job })
    } else this.#leave(name, this.#timeOf(job.phase === 'running' ? job.start : job.end))
  }

  #compareStart(job: SlurmJob, name: string, running: RunningJob): void {
    const first = this.#starts.look(name, running, this.#observation.now, job)
    const hasRun = job.start !== undefined && runsOn(job, running.nodes)
    if (job.restarts > first.restarts && !(hasRun && job.phase === 'running')) {
      this.#end(name, 'node-down', this.#observation.now, true)
      if (this.#isWaiting(job) && job.size === running.submit.size) this.#found.push({ kind: 'came-back', job: name })
    } else if (job.phase === 'pending') this.#comparePending(job, name, running, first.since)
    else if (!hasRun) this.#undo(name, this.#timeOf(job.start ?? job.end))
    else if (job.phase === 'over') this.#end(name, job.how, this.#timeOf(job.end), false)
  }

  #comparePending(job: SlurmJob, name: string, running: RunningJob, since: number): void {
    const canStart =
      job.size === running.submit.size &&
      job.isReady &&
      isDriven(job, this.#partition) &&
      !running.nodes.some((node) => this.#taken.has(node)) &&
      this.#observation.now - since <= this.#startWithin
    if (canStart && !this.#starts.givenUp.has(name)) return
    this.#starts.givenUp.add(name)
    if (!isDriven(job, this.#partition)) return this.#undo(name, this.#observation.now)
    // Slurm may still start a job that is not held, so the start is not withdrawn yet.
    if (!job.isHeld) return
    this.#found.push({ kind: 'not-started', job: name })
    if (!job.isReady || job.size !== running.submit.size) this.#leave(name, this.#observation.now)
    if (job.size !== running.submit.size && this.#isWaiting(job))
      this.#found.push({ kind: 'came', job: this.#log.nextName(job.id), seen: job })
  }

  /** Withdraws a start that was not carried out, and removes the job from the queue. */
  #undo(name: string, at: number): void {
    this.#found.push({ kind: 'not-started', job: name })
    this.#leave(name, at)
  }

  #end(job: string, how: RunEnd, at: number, again: boolean): void {
    this.#found.push({ kind: 'ended', job, how, at, again })
  }

  #leave(job: string, at: number): void {
    this.#found.push({ kind: 'left', job, at })
  }

  #timeOf(unix: number | undefined): number {
    const { now } = this.#observation
    return unix === undefined ? now : Math.min(now, Math.max(0, unix - this.#epoch))
  }
}

function byNumber(a: SlurmJob, b: SlurmJob): number {
  const [[first, task = 0], [second, other = 0]] = [a, b].map(({ id }) => id.split(/[_+]/).map(Number))
  return first - second || task - other
}

/**
 * Returns the nodes on which no job can start: nodes to which Slurm gives no job, and nodes of foreign jobs. A foreign
 * job runs on other nodes than in the log, or does not run in the log.
 */
export function takenNodes(log: DrivenLog, { jobs, useless }: Observation): ReadonlySet<number> {
  const nodes = new Set(Array.from(useless))
  for (const job of jobs) {
    if (job.phase !== 'running') continue
    const name = log.nameOf(job.id)
    const own = name === undefined ? undefined : log.state.running.get(name)
    if (own !== undefined && own.ended === undefined && runsOn(job, own.nodes)) continue
    for (const node of job.nodes) nodes.add(node)
  }
  return nodes
}

/** Observation of the cluster at one time. */
export interface Observation {
  /** Time of the observation: integer milliseconds since t = 0 of the log, later than any earlier observation. */
  readonly now: number
  /** All jobs that Slurm lists. Jobs of other partitions may hold nodes of the machine. */
  readonly jobs: ReadonlyArray<SlurmJob>
  /** Jobs in squeue's output with values that cannot be parsed: the log gets no events of these jobs. */
  readonly unread: ReadonlyArray<UnreadJob>
  /** Nodes to which Slurm gives no job, ascending. */
  readonly useless: ArrayLike<number>
}

/** The `AdminComment` of a job that the controller places. The submitting user or a submit plugin of Slurm sets it. */
export const MARK = 'cloister'
/** The `AdminComment` of a job that the controller has left to Slurm again. */
export const HANDED_BACK = 'cloister-handed-back'

/** Returns true if the controller places the job: the job carries the mark and is in this partition alone. */
export function isDriven(job: SlurmJob, partition: string): boolean {
  return job.mark === MARK && job.partition === partition
}

/** Finds the mark `cloister` as a word in a longer AdminComment, for example of another submit plugin. */
const holdsMark = /\bcloister\b/i

/** Explains why no controller can place a held job with the mark; undefined for every other job. */
export function markDefect(job: SlurmJob, partition: string): string | undefined {
  if (job.phase !== 'pending' || !job.isHeld || !isIn(job.partition, partition)) return undefined
  if (isDriven(job, partition))
    return job.isRefused
      ? 'Slurm finds no nodes for its request (BadConstraints), for example after a change of NumNodes without NumCPUs'
      : undefined
  if (job.mark === HANDED_BACK || !holdsMark.test(job.mark)) return undefined
  return job.mark === MARK
    ? `its partition is ${job.partition}, expected ${partition} alone`
    : `its AdminComment is ${JSON.stringify(job.mark)}, expected ${MARK} alone`
}

/** Explains why a held job with the mark, and with values that cannot be parsed, cannot be placed; else undefined. */
export function unreadDefect(
  { isHeld, mark, partition: named, reason }: UnreadJob,
  partition: string,
): string | undefined {
  return isHeld && isIn(named, partition) && mark !== HANDED_BACK && holdsMark.test(mark) ? reason : undefined
}

/** Slurm separates the partitions of one job by commas. */
export function isIn(named: string, partition: string): boolean {
  return named.split(',').includes(partition)
}

/** Returns true if a job runs, or ran, on the given nodes. A completing job lacks the nodes that are free again. */
function runsOn({ nodes, isCompleting }: SlurmJob, given: Int32Array): boolean {
  return isCompleting ? nodes.every((node) => given.includes(node)) : areSameNodes(nodes, given)
}

export function areSameNodes(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return a.length === b.length && Array.prototype.every.call(a, (node: number, at: number) => node === b[at])
}
