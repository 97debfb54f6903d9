import type { QueueDiscipline, QueueOrder } from '@cloister/kernel'
import { OptionError } from './errors.ts'

/** Accepted forms of the option `queue`, for help and errors. */
export const queueForms =
  'fcfs, easy:WINDOW or conservative:WINDOW, such as easy:50; then ,sjf or ,smallest for the queue order, and ,kill for easy to kill backfilled jobs that delay a reservation'

const orders: ReadonlyMap<string, QueueOrder> = new Map([
  ['sjf', 'estimate'],
  ['smallest', 'size'],
])

/**
 * Reads a queue discipline: `fcfs`, `easy:50`, `conservative:50`, `easy:50,smallest,kill`.
 *
 * @throws OptionError for any other form
 */
export function parseQueue(text: string): QueueDiscipline {
  const [first, ...options] = text.split(',')
  const window = /^(?:easy|conservative):([1-9]\d{0,8})$/.exec(first)
  const name = first.split(':')[0]
  const order = orders.get(options[0]) ?? 'submit'
  const rest = order === 'submit' ? options : options.slice(1)
  const kill = name === 'easy' && rest.length === 1 && rest[0] === 'kill'
  if (rest.length === (kill ? 1 : 0)) {
    if (first === 'fcfs') return { order, backfill: 'none' }
    if (window !== null && name === 'easy')
      return { order, backfill: 'easy', window: Number(window[1]), ...(kill ? { kill } : {}) }
    if (window !== null) return { order, backfill: 'conservative', window: Number(window[1]) }
  }
  throw new OptionError({ option: 'queue', reason: `found ${JSON.stringify(text)}, expected ${queueForms}` })
}

/** Returns the canonical spelling of a queue discipline from an option or from a log's header. */
export function formatQueue(queue: {
  readonly order: string
  readonly backfill: string
  readonly window?: number
  readonly kill?: boolean
}): string {
  // The log of another scheduler, whose discipline is unknown.
  if (queue.backfill === 'external') return 'external'
  const name = queue.backfill === 'none' ? 'fcfs' : `${queue.backfill}:${queue.window}`
  const order = [...orders].filter(([, meaning]) => meaning === queue.order).map(([word]) => `,${word}`)
  return `${name}${order.join('')}${queue.kill === true ? ',kill' : ''}`
}

/** Options that form the queue discipline of kernel and log. */
export interface QueueOptions {
  readonly queue: QueueDiscipline
  readonly reservation: 'movable' | 'fixed'
  readonly windowOrder: 'queue' | 'largest' | 'smallest' | 'shortest'
  readonly replan: boolean
  /** Least size of a job that may move a reservation, in nodes. Default: 1. */
  readonly movers?: number
}

/**
 * Returns the queue discipline with the settings of reservations and window. Settings without effect on the discipline
 * are left out: under `kill`, for example, reservations are always fixed.
 */
export function appliedQueue({ queue, reservation, windowOrder, replan, movers = 1 }: QueueOptions): QueueDiscipline {
  if (queue.backfill === 'none') return queue
  const mayMove = queue.backfill === 'conservative' || queue.kill !== true
  const reserved = mayMove && reservation === 'movable' ? { ...queue, reservation } : queue
  if (reserved.backfill === 'conservative') return reserved
  return {
    ...reserved,
    ...(windowOrder === 'queue' ? {} : { passing: windowOrder }),
    ...(replan && mayMove ? { replans: true } : {}),
    ...(reserved.reservation === 'movable' && movers > 1 ? { movers } : {}),
  }
}
