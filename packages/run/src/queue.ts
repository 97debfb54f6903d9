import type { QueueDiscipline, QueueOrder } from '@cloister/kernel'
import { OptionError } from './errors.ts'

/** How a queue discipline is written. */
export const queueForms =
  'fcfs, easy:WINDOW or conservative:WINDOW, such as easy:50; then ,sjf or ,smallest for the queue order, and ,kill for easy to kill backfilled jobs that delay a reservation'

const orders: ReadonlyMap<string, QueueOrder> = new Map([
  ['sjf', 'estimate'],
  ['smallest', 'size'],
])

/** Reads `fcfs`, `easy:50`, `conservative:50`, `easy:50,smallest,kill`. @throws OptionError */
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

/** The canonical spelling of a queue discipline, or of what a log's header says of one. */
export function formatQueue(queue: {
  readonly order: string
  readonly backfill: string
  readonly window?: number
  readonly kill?: boolean
}): string {
  // Of a log that tells what somebody else's scheduler decided.
  if (queue.backfill === 'external') return 'external'
  const name = queue.backfill === 'none' ? 'fcfs' : `${queue.backfill}:${queue.window}`
  const order = [...orders].filter(([, meaning]) => meaning === queue.order).map(([word]) => `,${word}`)
  return `${name}${order.join('')}${queue.kill === true ? ',kill' : ''}`
}

/** The options that are part of the queue as the kernel and the log have it. */
export interface QueueOptions {
  readonly queue: QueueDiscipline
  readonly reservation: 'movable' | 'fixed'
  readonly windowOrder: 'queue' | 'largest' | 'smallest' | 'shortest'
  readonly replan: boolean
  /** Without it every job may move a reservation. */
  readonly movers?: number
}

/** The queue with what its reservations are, and how its window is tried; under the kill option reservations are always fixed. */
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
