import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FlowPaths, maxMinRates } from '../src/index.ts'
import { unfairness } from './fairness.ts'

/** Returns FlowPaths of flows that are given by their links. */
function pathsOf(flows: ReadonlyArray<ReadonlyArray<number>>): FlowPaths {
  const first = [0]
  for (const links of flows) first.push(first[first.length - 1] + links.length)
  return { flows: flows.length, first: Int32Array.from(first), links: Int32Array.from(flows.flat()) }
}

const rates = (
  flows: Parameters<typeof pathsOf>[0],
  capacity: ReadonlyArray<number>,
  weights?: ReadonlyArray<number>,
): ReadonlyArray<number> => [
  ...maxMinRates(pathsOf(flows), Float64Array.from(capacity), weights && Float64Array.from(weights)),
]

describe('maxMinRates agrees with closed forms:', () => {
  test('each of k flows on one link has one kth of the capacity', () => {
    for (let k = 1; k < 40; k++)
      expect(
        rates(
          Array.from({ length: k }, () => [0]),
          [12],
        ),
      ).toEqual(Array(k).fill(12 / k))
  })

  test('if each of n links has one further flow, a flow over all n links gets the same rate as each further flow', () => {
    for (let n = 1; n < 10; n++) {
      const long = Array.from({ length: n }, (_, link) => link)
      expect(rates([long, ...long.map((link) => [link])], Array(n).fill(2))).toEqual(Array(n + 1).fill(1))
    }
  })

  test('if a second link slows a flow, the other flows on its first link share the capacity that the flow leaves', () => {
    expect(rates([[0], [0, 1], [1]], [1, 10])).toEqual([0.5, 0.5, 9.5])
    expect(rates([[0, 1], [0], [1, 2], [2]], [4, 1, 8])).toEqual([0.5, 3.5, 0.5, 7.5])
  })

  test('weights set the ratio of rates on a full link, and only on a full link', () => {
    expect(rates([[0], [0]], [9], [1, 2])).toEqual([3, 6])
    expect(rates([[0, 1], [0]], [9, 1], [1, 2])).toEqual([1, 8])
  })

  test('a flow without links has an infinite rate, and the flows of a full link use all its capacity', () => {
    expect(rates([[], [0]], [5])).toEqual([Infinity, 5])
    expect(rates([[0], [0]], [0])).toEqual([0, 0])
  })
})

const cases = fc
  .integer({ min: 1, max: 12 })
  .chain((links) =>
    fc.record({
      capacity: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: links, maxLength: links }),
      flows: fc.array(fc.uniqueArray(fc.nat(links - 1), { minLength: 1 }), { minLength: 1, maxLength: 25 }),
      weights: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 25, maxLength: 25 }),
    }),
  )

test('maxMinRates with any weights gives every flow a bottleneck, and loads no link above its capacity', () => {
  fc.assert(
    fc.property(cases, ({ capacity, flows, weights }) => {
      const paths = pathsOf(flows)
      const capacities = Float64Array.from(capacity)
      const own = Float64Array.from(weights.slice(0, flows.length))
      const found = maxMinRates(paths, capacities, own)
      expect(unfairness(paths, capacities, found, own)).toBeUndefined()
      expect([...maxMinRates(paths, capacities, own)]).toEqual([...found])
    }),
    { numRuns: 1000 },
  )
})

test('maxMinRates gives a flow of weight k the sum of the rates of k flows of weight 1', () => {
  fc.assert(
    fc.property(cases, ({ capacity, flows, weights }) => {
      const capacities = Float64Array.from(capacity)
      const own = Float64Array.from(weights.slice(0, flows.length))
      const several = pathsOf(flows.flatMap((links, flow) => Array.from({ length: own[flow] }, () => links)))
      const each = maxMinRates(several, capacities)
      let at = 0
      maxMinRates(pathsOf(flows), capacities, own).forEach((rate, flow) => {
        for (let k = 0; k < own[flow]; k++) expect(each[at++] * own[flow]).toBeCloseTo(rate, 9)
      })
    }),
  )
})

test("the tests' check of max-min fairness finds a rate that is too high, and a rate that is too low", () => {
  const paths = pathsOf([[0], [0, 1], [1]])
  const capacity = Float64Array.of(1, 10)
  expect(unfairness(paths, capacity, [0.5, 0.5, 9.5])).toBeUndefined()
  expect(unfairness(paths, capacity, [0.5, 0.5, 9.6])).toBe('link 1 carries 10.1, its capacity is 10')
  expect(unfairness(paths, capacity, [0.5, 0.5, 9])).toBe('flow 2 could have more than 9')
  expect(unfairness(paths, capacity, [0.7, 0.3, 9.7])).toBe('flow 1 could have more than 0.3')
})
