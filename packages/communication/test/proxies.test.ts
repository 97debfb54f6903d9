import { seededDraws } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { gridOf, type Pattern, periodicStencil, rowsAllToAll, unstructuredMesh } from '../src/index.ts'

/** Returns the pairs of each step of a pattern, with their sizes. */
function stepsOf(pattern: Pattern, ranks: number): Array<Map<string, number>> {
  const steps: Array<Map<string, number>> = []
  let step = new Map<string, number>()
  pattern.forEachPair(
    ranks,
    (first, second, size) => {
      const key = `${Math.min(first, second)}-${Math.max(first, second)}`
      expect(step.has(key), `${key} is visited twice`).toBe(false)
      expect(first).not.toBe(second)
      step.set(key, size)
    },
    () => {
      steps.push(step)
      step = new Map()
    },
  )
  expect(step.size).toBe(0)
  return steps
}

/** Returns the sum of sent and received sizes of each rank in a step. */
function perRank(step: ReadonlyMap<string, number>, ranks: number): ReadonlyArray<number> {
  const sums = Array<number>(ranks).fill(0)
  for (const [key, size] of step) for (const rank of key.split('-')) sums[Number(rank)] += size
  return sums
}

const all: ReadonlyArray<readonly [string, (ranks: number) => Pattern]> = [
  ['periodic stencil', (ranks) => periodicStencil(gridOf(ranks, 4))],
  ['all to all in rows', (ranks) => rowsAllToAll(gridOf(ranks, 3))],
  ['mesh', (ranks) => unstructuredMesh(gridOf(ranks, 3), { least: 5, below: 10, reach: 3 }, seededDraws(1))],
]

describe.each(all)('the pattern %s', (_, patternFor) => {
  test('a pattern of proxies.ts has no messages for one rank', () => expect(stepsOf(patternFor(1), 1)).toEqual([]))
  test.each([2, 3, 7, 12, 16, 60, 81])(
    'a pattern of proxies.ts visits only existing ranks of %d ranks, and no pair twice in a step',
    (ranks) => {
      for (const step of stepsOf(patternFor(ranks), ranks))
        for (const key of step.keys()) for (const rank of key.split('-')) expect(Number(rank)).toBeLessThan(ranks)
    },
  )
  test('a pattern of proxies.ts refuses a number of ranks that differs from the number of ranks in the grid', () =>
    expect(() => stepsOf(patternFor(12), 13)).toThrow(RangeError))
})

test('periodicStencil of a grid of 3 x 3 x 3 x 3 has two neighbours of each rank along each dimension, in one step', () => {
  const [step, ...more] = stepsOf(periodicStencil([3, 3, 3, 3]), 81)
  expect(more).toEqual([])
  expect(step.size).toBe(81 * 4)
  expect(perRank(step, 81)).toEqual(Array(81).fill(16))
})

test('periodicStencil with an extent of 2 has the same rank as both neighbours, which gets both messages', () => {
  const [step] = stepsOf(periodicStencil([2, 2, 2, 2]), 16)
  expect([...new Set(step.values())]).toEqual([4])
  expect(perRank(step, 16)).toEqual(Array(16).fill(16))
})

test('rowsAllToAll has all-to-all exchanges in rows of 4, 3 and 2 ranks, one dimension after the next', () => {
  const steps = stepsOf(rowsAllToAll([4, 3, 2]), 24)
  expect(steps.map((step) => step.size)).toEqual([6 * 6, 3 * 8, 1 * 12])
  expect(steps[0].get('0-6')).toBe(2)
  expect(steps[2].has('0-1')).toBe(true)
})

test('unstructuredMesh has the drawn messages of each rank to near ranks, except messages of a rank to itself', () => {
  const [step] = stepsOf(unstructuredMesh([10, 10, 10], { least: 5, below: 6, reach: 2 }, seededDraws(3)), 1000)
  const messages = [...step.values()].reduce((sum, size) => sum + size, 0)
  expect(messages).toBeLessThanOrEqual(5000)
  expect(messages).toBeGreaterThan(4000)
  const far = (a: number, b: number) => Math.min(Math.abs(a - b), 10 - Math.abs(a - b))
  for (const key of step.keys()) {
    const [a, b] = key.split('-').map(Number)
    for (const unit of [1, 10, 100])
      expect(far(Math.floor(a / unit) % 10, Math.floor(b / unit) % 10)).toBeLessThanOrEqual(1)
  }
})
