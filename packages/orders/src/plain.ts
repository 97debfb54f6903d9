import type { OrderClaims, Ordering, QueueOrder, WaitingColumns } from '@cloister/ordering'

/** Returns an order without options. @param scoreOf returns the score of a row; the lowest score is first */
export function plainOrder(
  name: string,
  fixed: boolean,
  scoreOf: (jobs: WaitingColumns, row: number, now: number) => number,
  claims: Omit<OrderClaims, 'fixed'> = {},
): QueueOrder {
  const ordering: Ordering = {
    claims: { fixed, ...claims },
    score({ waiting, now }, scores) {
      for (let row = 0; row < waiting.length; row++) scores[row] = scoreOf(waiting, row, now)
    },
  }
  return { contract: 1, name, version: '1.0.0', config: noOptions, make: () => ordering }
}

const noOptions: QueueOrder['config'] = {
  '~standard': {
    version: 1,
    vendor: 'cloister',
    validate: (value) =>
      typeof value === 'object' && value !== null && Object.keys(value).length === 0
        ? { value: {} }
        : { issues: [{ message: 'expected {}, because the order has no options' }] },
  },
}
