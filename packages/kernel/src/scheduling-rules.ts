import type { OptionsRef } from '@cloister/eventlog'
import type { EasyBackfill, QueueDiscipline, QueueOrder, Simulation } from './simulation.ts'

/** Rules by which a scheduler decides: queue discipline, estimates, treatment of overruns and of killed jobs. */
export type SchedulingRules = Pick<Simulation, 'queue' | 'estimates' | 'overrun' | 'refusals'> & {
  readonly requeue: boolean
}

/** Unknown queue discipline of a log that a foreign scheduler made. */
export interface ExternalQueue {
  readonly order: 'submit'
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
  const { estimates, overrun = 'kill', requeue = false, refusals = false } = options
  return { queue, estimates, overrun: overrunInRun(overrun), requeue, refusals }
}

/**
 * Returns the queue discipline for the options of a run. Options without effect are left out: under `kill`, for
 * example, the reservation is always fixed.
 */
export function loggedQueue(options: QueueOptions): LoggedQueue {
  const { reservation = 'movable', windowOrder, replan, moveMinNodes = 1 } = options
  if (options.queue === 'external') return { order: 'submit', backfill: 'external' }
  const queue = parseDiscipline(options.queue)
  if (queue === undefined) throw new RangeError(`queue: found ${options.queue}, expected a queue discipline`)
  if (queue.backfill === 'none') return queue
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
  { queue, estimates, overrun, requeue, refusals }: Omit<SchedulingRules, 'requeue'> & { readonly requeue?: boolean },
  arrivals: string,
): OptionsRef {
  return {
    arrivals,
    ...queueOptions(queue),
    estimates,
    ...(overrun === 'kill' ? {} : { overrun }),
    ...(requeue === true ? { requeue } : {}),
    ...(refusals ? { refusals } : {}),
  }
}

/** The options of a run that choose its queue discipline. */
export type QueueOptions = Pick<OptionsRef, 'queue' | 'reservation' | 'windowOrder' | 'replan' | 'moveMinNodes'>

/** Returns the options of a queue discipline: the inverse of `loggedQueue`. */
export function queueOptions(queue: QueueDiscipline): QueueOptions {
  const easy: Partial<EasyBackfill> = queue.backfill === 'easy' ? queue : {}
  const isFixed = queue.backfill !== 'none' && easy.kill !== true && queue.reservation === undefined
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

const orders: ReadonlyMap<string, QueueOrder> = new Map([
  ['sjf', 'estimate'],
  ['smallest', 'size'],
])

/**
 * Returns the queue discipline in a text such as `fcfs`, `easy:50`, `conservative:50` or `easy:50,smallest,kill`;
 * undefined if the text is no queue discipline.
 */
export function parseDiscipline(text: string): QueueDiscipline | undefined {
  const [first, ...words] = text.split(',')
  const window = /^(?:easy|conservative):([1-9]\d{0,8})$/.exec(first)
  const name = first.split(':')[0]
  const order = orders.get(words[0]) ?? 'submit'
  const rest = order === 'submit' ? words : words.slice(1)
  const kill = name === 'easy' && rest.length === 1 && rest[0] === 'kill'
  if (rest.length !== (kill ? 1 : 0)) return undefined
  if (first === 'fcfs') return { order, backfill: 'none' }
  if (window !== null && name === 'easy')
    return { order, backfill: 'easy', window: Number(window[1]), ...(kill ? { kill } : {}) }
  return window === null ? undefined : { order, backfill: 'conservative', window: Number(window[1]) }
}

/** Returns the canonical spelling of a queue discipline: discipline, window, queue order and `kill`. */
export function formatDiscipline(queue: QueueDiscipline): string {
  const name = queue.backfill === 'none' ? 'fcfs' : `${queue.backfill}:${queue.window}`
  const order = [...orders].filter(([, meaning]) => meaning === queue.order).map(([word]) => `,${word}`)
  return `${name}${order.join('')}${queue.backfill === 'easy' && queue.kill === true ? ',kill' : ''}`
}
