import { bindOrder } from '@cloister/ordering'
import { queueView, scoresOf } from '@cloister/ordering/checks'
import { orderSuite } from '@cloister/ordering/testing'
import { expect, test } from 'vitest'
import { templated } from '../src/index.ts'

orderSuite(templated)

test('the order templated prefers small jobs, until a job has waited for patienceHours', () => {
  const hour = 3_600_000
  const { ordering } = bindOrder(templated, { nodes: 16 }, { patienceHours: 10 })
  const waiting = [
    { id: 'wide', size: 8, estimate: hour, submitted: 0 },
    { id: 'small', size: 2, estimate: hour, submitted: 5 * hour },
  ]
  expect(scoresOf(ordering, queueView({ now: 5 * hour, waiting }))).toEqual([4, 2])
  expect(scoresOf(ordering, queueView({ now: 10 * hour, waiting }))).toEqual([0, 1])
})

test('a config with an unknown option or a wrong value is refused', () => {
  expect(() => bindOrder(templated, { nodes: 16 }, { patience: 1 })).toThrow('patience is unknown')
  expect(() => bindOrder(templated, { nodes: 16 }, { patienceHours: 0 })).toThrow('patienceHours is 0')
})
