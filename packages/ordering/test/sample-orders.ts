import type { OrderClaims, Ordering, QueueOrder, QueueView } from '../src/contract.ts'

type Score = Ordering['score']

const config: QueueOrder['config'] = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      JSON.stringify(value) === '{}' ? { value: {} } : { issues: [{ message: 'the order has no options' }] },
  },
}

/** Returns an order with a new ordering for each call of `make`. */
export function madeOrder(name: string, make: (nodes: number) => Ordering): QueueOrder {
  return { contract: 1, name, version: '1.0.0', config, make: ({ nodes }) => make(nodes) }
}

/** Returns an order whose `make` returns a score function. */
export function scoredOrder(name: string, claims: OrderClaims, make: (nodes: number) => Score): QueueOrder {
  return madeOrder(name, (nodes) => ({ claims, score: make(nodes) }))
}

/** Smallest job first, and of equal jobs the job that waits longest. */
export function writeAged({ now, waiting, running }: QueueView, scores: Float64Array): void {
  for (let row = 0; row < waiting.length; row++)
    scores[row] = waiting.size[row] + running.length - (now - waiting.submitted[row]) / (now + 1)
}

/** A job of a user with few nodes in ended runs first. */
export function writeUsed({ waiting, ended }: QueueView, scores: Float64Array): void {
  for (let row = 0; row < waiting.length; row++) {
    scores[row] = 0
    for (let at = 0; at < ended.length; at++) if (ended.user[at] === waiting.user[row]) scores[row] += ended.nodes[at]
  }
}

/** Right orders: with each claim, and with the function `scoreBehindHead`. */
export const samples: ReadonlyArray<QueueOrder> = [
  scoredOrder('aged', { fixed: false }, () => writeAged),
  scoredOrder('with-history', { fixed: false, history: true }, () => writeUsed),
  scoredOrder('smallest', { fixed: true }, () => ({ waiting }, scores) => {
    for (let row = 0; row < waiting.length; row++) scores[row] = waiting.size[row]
  }),
  madeOrder('short-behind-head', () => ({
    claims: { fixed: true },
    score: (view, scores) => scores.fill(0, 0, view.waiting.length),
    scoreBehindHead: ({ waiting }, scores) => {
      for (let row = 1; row < waiting.length; row++)
        scores[row] = waiting.estimate[row] > waiting.estimate[0] ? Infinity : waiting.estimate[row]
    },
  })),
]
