import { describe, expect, test } from 'vitest'
import { queueView, scoresOf, waitsUnder } from '../src/checks.ts'
import { bindOrder, OrderError, orderDefects } from '../src/index.ts'
import { samples, scoredOrder } from './sample-orders.ts'

describe('bindOrder', () => {
  test('returns the config with every default, and a new ordering at each call', () => {
    const validate = (value: any) => ({ value: { weight: 2, ...value } })
    const order = { ...samples[0], config: { '~standard': { version: 1, vendor: 'test', validate } } } as const
    const bound = bindOrder(order, { nodes: 4 })
    expect(bound.config).toEqual({ weight: 2 })
    expect(bindOrder(order, { nodes: 4 }, { weight: 3 }).config).toEqual({ weight: 3 })
    expect(bindOrder(order, { nodes: 4 }).ordering).not.toBe(bound.ordering)
  })

  test.each([
    [{ contract: 2 }, {}, 'order aged: contract is 2, expected 1'],
    [{}, { fast: true }, 'order aged: config {"fast":true} is not valid: the order has no options'],
    [{ make: () => undefined }, {}, 'order aged: make returned missing; expected an ordering'],
    [
      { make: () => ({ claims: { fixed: true, history: true }, score() {} }) },
      {},
      'fixed scores do not see the history',
    ],
    [{ make: () => ({ claims: { fixed: true }, score() {}, scoreBehindHead: 1 }) }, {}, 'scoreBehindHead is 1'],
  ])('refuses an order with %j and the config %j', (members, config, message) => {
    const bind = () => bindOrder({ ...samples[0], ...members } as never, { nodes: 4 }, config)
    expect(bind).toThrow(OrderError)
    expect(bind).toThrow(message)
  })

  test('orderDefects names every wrong member', () => {
    expect(orderDefects(samples[0])).toEqual([])
    expect(orderDefects(undefined)).toEqual(['the default export is missing, expected an object'])
    const names = orderDefects({ contract: 1, name: 'x--y' }).map((defect) => defect.split(' ')[0])
    expect(names).toEqual(['name', 'version', 'config', 'make'])
  })
})

describe('queueView', () => {
  const waiting = [
    { id: 'a', size: 1, estimate: 5, submitted: 0, user: 'bea' },
    { id: 'b', size: 2, estimate: Infinity, submitted: 1 },
    { id: 'c', size: 3, estimate: 0, submitted: 2, user: 'ada' },
  ]

  test('numbers users in the order of the rows, and keeps the numbers in later views', () => {
    const users: Array<string> = []
    const first = queueView({ now: 9, waiting, ended: [{ nodes: 1, started: 0, end: 3, user: 'cem' }] }, users)
    expect([...Array.from(first.waiting.user), first.ended.user[0], first.running.length]).toEqual([0, -1, 1, 2, 0])
    expect(first.users).toEqual(['bea', 'ada', 'cem'])
    const second = queueView({ now: 9, waiting: [{ ...waiting[0], user: 'dov' }, waiting[2]] }, users)
    expect([Array.from(second.waiting.user), second.users.length, first.users.length]).toEqual([[3, 1], 4, 3])
  })

  test('scoresOf shows a missing score as NaN', () => {
    const score = (_view: unknown, scores: Float64Array): void => void (scores[1] = 7)
    expect(scoresOf({ claims: { fixed: true }, score }, queueView({ now: 0, waiting }))).toEqual([NaN, 7, NaN])
  })
})

test('waitsUnder shows starvation: large jobs wait longer if small jobs are first', () => {
  const waits = (sign: number) =>
    waitsUnder(
      scoredOrder('by-size', { fixed: true }, () => ({ waiting }, scores) => {
        for (let row = 0; row < waiting.length; row++) scores[row] = sign * waiting.size[row]
      }),
    )
  const [fair, smallFirst] = [waits(0), waits(1)]
  expect(fair).toHaveLength(400)
  expect(waits(0)).toEqual(fair)
  expect(smallFirst.at(-1)).toBeGreaterThan(fair.at(-1)!)
  expect(smallFirst[200]).toBeLessThan(fair[200])
})
