import { type MigrationRules, migrationOf, type OptionsRef } from '@cloister/eventlog'
import type { Job } from '@cloister/workload'

/** EASY backfilling: each of the first `window` jobs behind the head may start if the start does not delay the head. */
export interface EasyBackfill {
  readonly backfill: 'easy'
  readonly window: number
  /**
   * True if backfilled jobs that block the reservation at its shadow time are killed. The reservation is then fixed.
   */
  readonly kill?: true
  /**
   * movable: a job may take nodes and links reserved for the head if the policy can place the head elsewhere at the
   * same time (the textbook's EASY). Default: the head keeps the first reserved placement.
   */
  readonly reservation?: 'movable'
  /** Order in which the jobs of the window are tried. Default: queue order. */
  readonly windowOrder?: 'largest' | 'smallest' | 'shortest'
  /**
   * True if the reserved placement becomes, at every scheduling pass, the policy's current answer for the head at its
   * shadow time; no effect with `kill`. By default, the reserved placement changes only with the shadow time or, if
   * movable, to make way for a job.
   */
  readonly replan?: true
  /**
   * Fewest nodes of a job that may move a movable reservation. Smaller jobs keep off reserved nodes and links. Default:
   * 1.
   */
  readonly moveMinNodes?: number
}

/** Conservative backfilling: each of the first `window` jobs has a reservation that no job behind it delays. */
interface ConservativeBackfill {
  readonly backfill: 'conservative'
  readonly window: number
  /**
   * movable: a reservation keeps its time, but moves to other nodes and links if a job needs the reserved ones (the
   * textbook's conservative backfilling). Default: a reservation keeps its first placement.
   */
  readonly reservation?: 'movable'
}

/**
 * Backfilling without reservations: each of the first `window` jobs behind the head starts if it fits, even if the head
 * then waits longer. Slurm does so if jobs have no time limits.
 */
interface UnreservedBackfill {
  readonly backfill: 'unreserved'
  readonly window: number
}

/**
 * EASY backfilling that counts nodes: the head's reservation is a number of nodes at its shadow time, the first time at
 * which enough nodes are expected to be free anywhere. The log has no record of this reservation.
 */
export interface CountingBackfill {
  readonly backfill: 'counting'
  readonly window: number
  /**
   * Jobs that may start before the head. early: only jobs that end by the shadow time, and none if enough nodes are free
   * now. in-order: likewise, and the first job that may not start ends the search. Default: also jobs that leave the
   * head enough nodes at its shadow time.
   */
  readonly passing?: 'early' | 'in-order'
}

/** Backfilling of a queue. With `backfill: none`, no job passes the head. */
export type QueueDiscipline =
  | { readonly backfill: 'none' }
  | UnreservedBackfill
  | CountingBackfill
  | EasyBackfill
  | ConservativeBackfill

/** Rules by which a scheduler decides, without the queue order: queue discipline, estimates, treatment of overruns and of killed jobs. */
export interface SchedulingRules {
  readonly queue: QueueDiscipline
  /** Source of estimates. exact: the run time. requested: the walltime, or the run time without a walltime. */
  readonly estimates: 'exact' | 'requested'
  /** Treatment of a job at the end of its estimate: the job runs on to its real end, or is killed. */
  readonly overrun: 'run-on' | 'kill'
  /** True if a job killed for a reservation or an outage waits again, at its old place in the queue. */
  readonly requeue: boolean
  /** `kill`: a job that loses its routes by a failure is killed. Default: the job runs on. */
  readonly unroutable?: 'kill'
  /**
   * True if the log gets `refuse` records, with the reason why each tried job did not start, and the policy's notes.
   * The kernel then asks the policy again even if it remembers the refusal, so the run is slower.
   */
  readonly refusals: boolean
  /** Moves of running jobs for a start. Default: running jobs stay on their nodes. */
  readonly migrate?: MigrationRules
}

/** Unknown queue discipline of a log that a foreign scheduler made. */
export interface ExternalQueue {
  readonly backfill: 'external'
}

/** Queue discipline of a log, simulated or not. */
export type LoggedQueue = QueueDiscipline | ExternalQueue

/**
 * Returns the kernel's rules for the options of a run. Simulations, controllers and reruns all use this translation.
 *
 * @throws RangeError if the discipline is `external`, because the rules of a foreign scheduler are unknown
 */
export function schedulingRules(options: OptionsRef): SchedulingRules {
  const queue = loggedQueue(options)
  if (queue.backfill === 'external')
    throw new RangeError('the queue is external: the rules of a foreign scheduler are unknown')
  return rulesUnder(queue, options)
}

/** Returns the kernel's rules for the options of a run, with a given queue discipline. */
export function rulesUnder(queue: QueueDiscipline, options: OptionsRef): SchedulingRules {
  const { estimates, overrun = 'kill', requeue = false, unroutable, refusals = false, migrate } = options
  return {
    queue,
    estimates,
    overrun: overrunInRun(overrun),
    requeue,
    ...(unroutable && { unroutable }),
    refusals,
    ...(migrate !== undefined && { migrate: migrationOf(migrate)! }),
  }
}

/** Returns true if jobs may move under a queue discipline: no reservation counts on the end of a job that moves. */
export function mayMigrate(queue: LoggedQueue): boolean {
  return (
    queue.backfill === 'none' || queue.backfill === 'unreserved' || (queue.backfill === 'easy' && queue.kill !== true)
  )
}

/**
 * Returns the queue discipline for the options of a run. Options without effect are left out: under `kill`, for
 * example, the reservation is always fixed.
 */
export function loggedQueue(options: QueueOptions): LoggedQueue {
  const { reservation = 'movable', windowOrder, replan, moveMinNodes = 1 } = options
  if (options.queue === 'external') return { backfill: 'external' }
  const queue = parseDiscipline(options.queue)
  if (queue === undefined) throw new RangeError(`queue: found ${options.queue}, expected a queue discipline`)
  if (queue.backfill !== 'easy' && queue.backfill !== 'conservative') return queue
  const mayMove = queue.backfill === 'conservative' || queue.kill !== true
  const reserved: typeof queue = mayMove && reservation === 'movable' ? { ...queue, reservation } : queue
  if (reserved.backfill === 'conservative') return reserved
  return {
    ...reserved,
    ...(windowOrder === undefined ? {} : { windowOrder }),
    ...(replan === true && mayMove ? { replan } : {}),
    ...(reserved.reservation === 'movable' && moveMinNodes > 1 ? { moveMinNodes } : {}),
  }
}

/** Returns the options of a run for the given rules, for runs without a user: the inverse of `schedulingRules`. */
export function optionsOfRules(
  {
    queue,
    estimates,
    overrun,
    requeue,
    unroutable,
    refusals,
    migrate,
  }: Omit<SchedulingRules, 'requeue'> & { readonly requeue?: boolean },
  arrivals: string,
): OptionsRef {
  return {
    arrivals,
    ...queueOptions(queue),
    estimates,
    ...(overrun === 'kill' ? {} : { overrun }),
    ...(requeue === true ? { requeue } : {}),
    ...(unroutable && { unroutable }),
    ...(refusals ? { refusals } : {}),
    ...(migrate && { migrate: `cost=${migrate.cost / 1000},limit=${migrate.limit}` }),
  }
}

/** The options of a run that choose its queue discipline. */
export type QueueOptions = Pick<OptionsRef, 'queue' | 'reservation' | 'windowOrder' | 'replan' | 'moveMinNodes'>

/** Returns the options of a queue discipline: the inverse of `loggedQueue`. */
export function queueOptions(queue: QueueDiscipline): QueueOptions {
  const easy: Partial<EasyBackfill> = queue.backfill === 'easy' ? queue : {}
  const reserves = queue.backfill === 'easy' || queue.backfill === 'conservative'
  const isFixed = reserves && easy.kill !== true && queue.reservation === undefined
  return {
    queue: formatDiscipline(queue),
    ...(isFixed ? { reservation: 'fixed' } : {}),
    ...(easy.windowOrder === undefined ? {} : { windowOrder: easy.windowOrder }),
    ...(easy.replan === undefined ? {} : { replan: easy.replan }),
    ...(easy.moveMinNodes === undefined ? {} : { moveMinNodes: easy.moveMinNodes }),
  }
}

/** Returns the options of a run without those that have no effect on the queue discipline. */
export function effectiveOptions(options: OptionsRef): OptionsRef {
  const {
    queue: _queue,
    reservation: _reservation,
    windowOrder: _windowOrder,
    replan: _replan,
    moveMinNodes: _moveMinNodes,
    ...others
  } = options
  return { ...others, ...queueOptions(schedulingRules(options).queue) }
}

/**
 * Returns the kernel's rule for a job that outlives its estimate. Under `clamp`, only a job on a slow placement does
 * so; the kernel kills it.
 */
export function overrunInRun(overrun: NonNullable<OptionsRef['overrun']> | 'kill'): 'kill' | 'run-on' {
  return overrun === 'kill' || overrun === 'clamp' ? 'kill' : 'run-on'
}

/**
 * Returns the queue discipline in a text such as `fcfs`, `easy:50`, `conservative:50`, `unreserved:100`, `counting:50,early`
 * or `easy:50,kill`; undefined if the text is no queue discipline.
 */
export function parseDiscipline(text: string): QueueDiscipline | undefined {
  const [first, last, ...more] = text.split(',')
  const window = Number(/^(?:easy|conservative|unreserved|counting):([1-9]\d{0,8})$/.exec(first)?.[1])
  const backfill = first.split(':')[0]
  if (more.length > 0) return undefined
  if (window > 0 && backfill === 'easy' && (last === undefined || last === 'kill'))
    return { backfill, window, ...(last === 'kill' ? { kill: true } : {}) }
  if (window > 0 && backfill === 'counting' && (last === undefined || last === 'early' || last === 'in-order'))
    return { backfill, window, ...(last === undefined ? {} : { passing: last }) }
  if (last !== undefined) return undefined
  if (first === 'fcfs') return { backfill: 'none' }
  if (window > 0 && (backfill === 'unreserved' || backfill === 'conservative')) return { backfill, window }
  return undefined
}

/** Returns the canonical spelling of a queue discipline: discipline, window, and `kill` or `passing`. */
export function formatDiscipline(queue: QueueDiscipline): string {
  const name = queue.backfill === 'none' ? 'fcfs' : `${queue.backfill}:${queue.window}`
  const last =
    queue.backfill === 'easy' && queue.kill === true ? 'kill' : queue.backfill === 'counting' && queue.passing
  return `${name}${last ? `,${last}` : ''}`
}

/**
 * Returns the least size, in nodes, of a job that may move the reservation of the head to other nodes and links;
 * Infinity if the reservation is fixed.
 */
export function leastMovingSize(queue: EasyBackfill | Exclude<LoggedQueue, EasyBackfill>): number {
  if (queue.backfill !== 'easy' || queue.reservation !== 'movable' || queue.kill === true) return Infinity
  return queue.moveMinNodes ?? 1
}

/** Returns the number of jobs, from the head on, that a scheduling pass tries; Infinity for an external scheduler. */
export function triedJobs(queue: LoggedQueue): number {
  switch (queue.backfill) {
    case 'none':
      return 1
    case 'easy':
    case 'unreserved':
    case 'counting':
      return 1 + queue.window
    case 'conservative':
      return queue.window
    case 'external':
      return Infinity
  }
}

/** Returns the estimate of a job: its run time or its walltime, integer milliseconds. */
export function estimateOf(job: Job, estimates: SchedulingRules['estimates']): number {
  return estimates === 'exact' ? job.runTime : (job.walltime ?? job.runTime)
}
