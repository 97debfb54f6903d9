import type { LogRecord, RecordResources } from '@cloister/eventlog'
import type { LiveJob } from '@cloister/kernel'
import type { SlurmJob } from '@cloister/slurm'
import { type Act, acts } from './acts.ts'
import type { DrivenLog } from './driven-log.ts'
import { foreignNodes, type Happening, happenings, type Patience, Starts } from './happened.ts'
import type { Sight } from './sight.ts'

/** A job without a limit is expected to run for a year. */
export const WITHOUT_LIMIT_MS: number = 365 * 86_400_000

/**
 * What the controller does at each look: it writes what happened, decides, and says what is to be done. It reads no clock and does
 * nothing itself: the same log and the same looks give the same records and the same acts.
 */
export class Driver<Index> {
  readonly log: DrivenLog<Index>
  readonly #partition: string
  readonly #patience: Patience
  /** Unix milliseconds of the log's start. */
  readonly #epoch: number
  readonly #starts = new Starts()
  /** After a start of the controller what it was about to decide is decided. */
  #isPassDue = true

  constructor(log: DrivenLog<Index>, partition: string, patience: Patience) {
    this.log = log
    this.#partition = partition
    this.#patience = patience
    this.#epoch = (log.state.header.epoch ?? 0) * 1000
  }

  /** `decide`, then `acts`. @throws PolicyFaultError as `decide` */
  look(sight: Sight): ReadonlyArray<Act> {
    this.decide(sight)
    return this.acts(sight)
  }

  /** @throws PolicyFaultError where the policy fails: it is in the log, and the queue is Slurm's to serve */
  decide(sight: Sight): void {
    const { scheduler } = this.log
    scheduler.catchUp(sight.now)
    const found = happenings({
      log: this.log,
      sight,
      partition: this.#partition,
      epoch: this.#epoch,
      starts: this.#starts,
      patience: this.#patience,
    })
    const nodes = this.#nodesAfter(found, sight)
    const isDue = this.#isPassDue || scheduler.wakeTime === sight.now
    if (isDue || found.length + nodes.down.length + nodes.up.length > 0) {
      scheduler.at(sight.now)
      this.#tellAll(found, nodes, sight.now)
      this.#isPassDue = false
      scheduler.pass()
    }
    this.#noteStarts(sight)
  }

  /** How often a job had been restarted when its start was decided: it may run, and be requeued, before the next look. */
  #noteStarts({ jobs, now }: Sight): void {
    for (const job of jobs) {
      const name = this.log.nameOf(job.id)
      const running = name === undefined ? undefined : this.log.state.running.get(name)
      if (running !== undefined) this.#starts.look(name!, running, now, job)
    }
  }

  /** @param unrouted by the log's names, the jobs whose routes the switches do not have yet */
  acts(sight: Sight, unrouted: ReadonlySet<string> = new Set()): ReadonlyArray<Act> {
    this.#starts.putOff(unrouted, sight.now)
    return acts(this.log, sight, this.#partition, this.#starts, unrouted)
  }

  /** Ends free nodes, nodes change, then jobs leave and come. */
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
        return scheduler.cancel(job, learnedLater(happening.at, now))
      case 'came':
        return void scheduler.submit(liveJob(job, happening.seen, now))
      case 'came-back':
        return scheduler.requeue(job, this.log.endedBy(job))
    }
  }

  #tellEnd({ job, how, at, again }: Extract<Happening, { kind: 'ended' }>): void {
    const { scheduler, state } = this.log
    const { allocate, nodes }: RecordResources & { allocate: LogRecord } = state.running.get(job)!
    const more = { happened: Math.max(at / 1000, 't' in allocate ? allocate.t : 0) }
    if (again)
      scheduler.kill(job, nodes.some((node) => state.downNodes.has(node)) ? 'node-down' : 'cancel', undefined, more)
    else if (how === 'finished' || how === 'failed') scheduler.finish(job, how === 'failed', more)
    else if (how === 'cancel') scheduler.cancel(job, more)
    else scheduler.kill(job, how, undefined, more)
  }

  /** What nodes are of no use once this has happened: those that jobs of the log hold stay theirs until they end. */
  #nodesAfter(
    found: ReadonlyArray<Happening>,
    sight: Sight,
  ): { down: ReadonlyArray<number>; up: ReadonlyArray<number> } {
    const { state } = this.log
    const over = new Set(found.flatMap(({ kind, job }) => (kind === 'ended' || kind === 'not-started' ? [job] : [])))
    const useless = new Set([...Array.from(sight.useless), ...foreignNodes(this.log, sight)])
    for (const [job, { nodes }] of state.running) if (!over.has(job)) for (const node of nodes) useless.delete(node)
    const up = [...state.downNodes.ids()].filter((node) => !useless.has(node))
    const down = [...useless].filter((node) => !state.downNodes.has(node))
    return { down: down.sort((a, b) => a - b), up: up.sort((a, b) => a - b) }
  }
}

function learnedLater(at: number, now: number): { readonly happened?: number } {
  return at < now ? { happened: at / 1000 } : {}
}

function liveJob(id: string, { size, limit, labels }: SlurmJob, now: number): LiveJob {
  return { id, submit: now, size, walltime: limit ?? WITHOUT_LIMIT_MS, ...labels }
}
