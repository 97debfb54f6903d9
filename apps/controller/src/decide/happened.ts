import type { LogState, RunningJob } from '@cloister/eventlog'
import type { RunEnd, SlurmJob } from '@cloister/slurm'
import type { DrivenLog } from './driven-log.ts'
import { areSameNodes, isDriven, type Sight } from './sight.ts'

/** Something that happened, in the order in which it is told: by the log's names. Times are milliseconds since the start of the log. */
export type Happening =
  | { readonly kind: 'ended'; readonly job: string; readonly how: RunEnd; readonly at: number; readonly again: boolean }
  | { readonly kind: 'not-started'; readonly job: string }
  | { readonly kind: 'left'; readonly job: string; readonly at: number }
  | { readonly kind: 'came'; readonly job: string; readonly seen: SlurmJob }
  | { readonly kind: 'came-back'; readonly job: string }

const order: ReadonlyArray<Happening['kind']> = ['ended', 'not-started', 'left', 'came', 'came-back']

/** How long Slurm may take to start a job that was released, before its nodes are given to others, milliseconds. */
export interface Patience {
  readonly startWithin: number
}

/**
 * What becomes of starts that were decided. The log knows of decisions alone; this is what was seen of them, and whoever begins anew
 * sees it anew.
 */
export class Starts {
  /** By the log's names: when each was first looked at after its decision, how often the job had been restarted then. */
  readonly #seen = new Map<string, { readonly seq: number; readonly since: number; readonly restarts: number }>()
  /** Starts that are given up as soon as Slurm holds their jobs again. */
  readonly givenUp: Set<string> = new Set()

  /** @returns what was seen first of this start */
  look(name: string, { allocate }: RunningJob, now: number, job: SlurmJob): { since: number; restarts: number } {
    const known = this.#seen.get(name)
    if (known?.seq === allocate.seq) return known
    this.givenUp.delete(name)
    const first = { seq: allocate.seq, since: now, restarts: job.restarts }
    this.#seen.set(name, first)
    return first
  }

  /** Slurm was not told yet that they may start: its time begins later. */
  putOff(names: Iterable<string>, now: number): void {
    for (const name of names) {
      const known = this.#seen.get(name)
      if (known !== undefined) this.#seen.set(name, { ...known, since: now })
    }
  }

  /** Forgets those that are over. */
  keep(state: LogState): void {
    for (const name of this.#seen.keys())
      if (!state.running.has(name)) {
        this.#seen.delete(name)
        this.givenUp.delete(name)
      }
  }
}

/** What a log is compared with. */
export interface Comparing<Index> {
  readonly log: DrivenLog<Index>
  readonly sight: Sight
  readonly partition: string
  /** Unix milliseconds of the log's start. */
  readonly epoch: number
  readonly starts: Starts
  readonly patience: Patience
}

/** What happened between what a log says and what is seen. Where what is seen follows from the log, nothing did. */
export function happenings<Index>(comparing: Comparing<Index>): ReadonlyArray<Happening> {
  return new Comparison(comparing).happenings()
}

class Comparison<Index> {
  readonly #found: Array<Happening> = []
  readonly #log: DrivenLog<Index>
  readonly #sight: Sight
  readonly #partition: string
  readonly #epoch: number
  readonly #starts: Starts
  readonly #patience: Patience
  /** Nodes on which a decided start has to wait in vain. */
  readonly #taken: ReadonlySet<number>

  constructor({ log, sight, partition, epoch, starts, patience }: Comparing<Index>) {
    this.#log = log
    this.#sight = sight
    this.#partition = partition
    this.#epoch = epoch
    this.#starts = starts
    this.#patience = patience
    this.#taken = new Set([...Array.from(sight.useless), ...foreignNodes(log, sight)])
  }

  happenings(): ReadonlyArray<Happening> {
    const { state } = this.#log
    const unread = this.#sight.unread.flatMap(({ id }) => (id === undefined ? [] : [this.#log.nameOf(id)]))
    const seen = new Set(unread.filter((name) => name !== undefined))
    // Jobs that come between two looks come in the order in which Slurm numbered them.
    for (const job of this.#sight.jobs.toSorted(byNumber)) {
      const name = this.#log.nameOf(job.id)
      if (name !== undefined) seen.add(name)
      this.#compare(job, name)
    }
    for (const name of state.running.keys()) if (!seen.has(name)) this.#end(name, 'finished', this.#sight.now, false)
    for (const name of state.waiting.keys()) if (!seen.has(name)) this.#leave(name, this.#sight.now)
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

  /** It is in the queue: nothing but the controller keeps it from starting. */
  #isWaiting(job: SlurmJob): boolean {
    return (
      job.phase === 'pending' && job.isHeld && job.isReady && isDriven(job, this.#partition) && job.demands.length === 0
    )
  }

  #come(job: SlurmJob, name: string | undefined): void {
    if (name !== undefined && this.#log.rejected.has(name)) return
    const killed = name === undefined ? undefined : this.#log.killed(name)
    if (killed !== undefined && killed.size === job.size) this.#found.push({ kind: 'came-back', job: name! })
    else this.#found.push({ kind: 'came', job: this.#log.nextName(job.id), seen: job })
  }

  #compareWaiting(job: SlurmJob, name: string, size: number): void {
    if (job.phase === 'pending' && isDriven(job, this.#partition) && job.isReady) {
      if (job.size === size) return
      this.#leave(name, this.#sight.now)
      if (this.#isWaiting(job)) this.#found.push({ kind: 'came', job: this.#log.nextName(job.id), seen: job })
    } else this.#leave(name, this.#timeOf(job.phase === 'running' ? job.start : job.end))
  }

  #compareStart(job: SlurmJob, name: string, running: RunningJob): void {
    const first = this.#starts.look(name, running, this.#sight.now, job)
    const hasRun = job.start !== undefined && areSameNodes(job.nodes, running.nodes)
    if (job.restarts > first.restarts && !(hasRun && job.phase === 'running')) {
      this.#end(name, 'node-down', this.#sight.now, true)
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
      this.#sight.now - since <= this.#patience.startWithin
    if (canStart && !this.#starts.givenUp.has(name)) return
    this.#starts.givenUp.add(name)
    if (!isDriven(job, this.#partition)) return this.#undo(name, this.#sight.now)
    // Until it is held Slurm may start it.
    if (!job.isHeld) return
    this.#found.push({ kind: 'not-started', job: name })
    if (!job.isReady || job.size !== running.submit.size) this.#leave(name, this.#sight.now)
    if (job.size !== running.submit.size && this.#isWaiting(job))
      this.#found.push({ kind: 'came', job: this.#log.nextName(job.id), seen: job })
  }

  /** A start that was never carried out, of a job that is in the queue no more. */
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
    const { now } = this.#sight
    return unix === undefined ? now : Math.min(now, Math.max(0, unix - this.#epoch))
  }
}

function byNumber(a: SlurmJob, b: SlurmJob): number {
  const [[first, task = 0], [second, other = 0]] = [a, b].map(({ id }) => id.split(/[_+]/).map(Number))
  return first - second || task - other
}

/** Nodes on which jobs run that the log does not have there. */
export function foreignNodes<Index>(log: DrivenLog<Index>, { jobs }: Sight): ReadonlySet<number> {
  const nodes = new Set<number>()
  for (const job of jobs) {
    if (job.phase !== 'running') continue
    const name = log.nameOf(job.id)
    const own = name === undefined ? undefined : log.state.running.get(name)
    if (own !== undefined && own.ended === undefined && areSameNodes(own.nodes, job.nodes)) continue
    for (const node of job.nodes) nodes.add(node)
  }
  return nodes
}
