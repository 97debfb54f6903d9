import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { historyFit, NodesInUse, nodeTimeByDay } from '../src/index.ts'

describe('historyFit', () => {
  it('compares the waits of five jobs, computed by hand', () => {
    // Ranks 0 1 2 3 4 against 1 0 2 4 3: the sum of squared differences is 4, so 1 - 6 · 4 / (5 · 24) = 0.8.
    expect(historyFit([0, 100, 200, 1000, 2000, Number.NaN], [100, 0, 200, 3000, 2500, 5])).toEqual({
      jobs: 5,
      recorded: { mean: 660, median: 200 },
      simulated: { mean: 1160, median: 200 },
      meanAbsoluteError: 540,
      withinFiveMinutes: 0.6,
      rankCorrelation: 0.8,
    })
  })

  it('is 1 for any ascending function of the waits, -1 for any descending function, and the mean of ranks for ties', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(10_000), { minLength: 2 }), (waits) => {
        expect(
          historyFit(
            waits,
            waits.map((wait) => wait * wait + 1),
          )!.rankCorrelation,
        ).toBeCloseTo(1, 12)
        expect(
          historyFit(
            waits,
            waits.map((wait) => 20_000 - wait),
          )!.rankCorrelation,
        ).toBeCloseTo(-1, 12)
      }),
    )
    // Ranks 0.5 0.5 2 against 0 1 2.
    expect(historyFit([0, 0, 9], [1, 2, 3])!.rankCorrelation).toBeCloseTo(Math.sqrt(3) / 2, 12)
  })

  it('has no correlation if all waits are equal, and no fit without a job', () => {
    expect(historyFit([7, 7], [1, 2])!.rankCorrelation).toBeNull()
    expect(historyFit([Number.NaN], [1])).toBeUndefined()
    expect(() => historyFit([1], [])).toThrow(RangeError)
  })
})

const uses = fc.array(
  fc.record({ size: fc.integer({ min: 1, max: 9 }), start: fc.nat(300_000), length: fc.nat(200_000) }),
  { maxLength: 12 },
)
type Use = { readonly size: number; readonly start: number; readonly length: number }
const columns = (rows: ReadonlyArray<Use>) => ({
  sizes: rows.map(({ size }) => size),
  starts: rows.map(({ start }) => start),
  lengths: rows.map(({ length }) => length),
})

it('NodesInUse has the most nodes in use within an interval', () => {
  fc.assert(
    fc.property(uses, fc.nat(500_000), fc.integer({ min: 1, max: 200_000 }), (rows, from, span) => {
      const used = (at: number): number =>
        rows.reduce((sum, { size, start, length }) => sum + (start <= at && at < start + length ? size : 0), 0)
      const times = [from, ...rows.map(({ start }) => start)].filter((at) => at >= from && at < from + span)
      expect(new NodesInUse(columns(rows)).mostIn(from, from + span)).toBe(Math.max(...times.map(used)))
    }),
  )
})

it('nodeTimeByDay shares the node-time of a use among its days', () => {
  expect(nodeTimeByDay(columns([{ size: 2, start: 86_000, length: 1000 }]))).toEqual([800, 1200])
  fc.assert(
    fc.property(uses, (rows) => {
      const sum = nodeTimeByDay(columns(rows)).reduce((all, each) => all + each, 0)
      expect(sum).toBe(rows.reduce((all, { size, length }) => all + size * length, 0))
    }),
  )
})
