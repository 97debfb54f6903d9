import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Case,
  type MeanTime,
  statedOfHpc2n,
  statedOfOthers,
  statedOfWaits,
  timesBySpeedup,
  waitsWithoutSpeedup,
} from '../src/pascual/speedups.ts'
import * as paper from '../src/pascual/paper.ts'
import { threshold } from '../src/report/numbers.ts'

const step = fc.nat(100)
const curves = fc
  .array(fc.record({ dx: fc.integer({ min: 1, max: 10 }), y: step }), { maxLength: 8 })
  .map((points) =>
    points.map(({ y }, index) => ({ x: points.slice(0, index).reduce((sum, { dx }) => sum + dx, 0), y })),
  )

describe('the threshold of a curve', () => {
  it('threshold returns the point at which the line through the curve’s points falls to the level for the last time', () => {
    fc.assert(
      fc.property(curves, step, (curve, level) => {
        const found = threshold(curve, level)
        if (found === undefined) {
          expect(curve.length === 0 || curve.at(-1)!.y > level).toBe(true)
          return
        }
        expect(heightAt(curve, found)).toBeLessThanOrEqual(level + 1e-9)
        for (const { x, y } of curve) if (x >= found) expect(y).toBeLessThanOrEqual(level)
        // Just before the crossing the line is above the level, except at the curve's beginning.
        if (found > 0) expect(heightAt(curve, found - 1e-6)).toBeGreaterThan(level)
      }),
    )
  })

  it('threshold returns the values computed by hand for a curve and three levels', () => {
    const curve = [
      { x: 0, y: 9 },
      { x: 0.1, y: 5 },
      { x: 0.2, y: 6 },
      { x: 0.3, y: 2 },
    ]
    expect(threshold(curve, 4)).toBeCloseTo(0.25)
    expect(threshold(curve, 9)).toBe(0)
    expect(threshold(curve, 1)).toBeUndefined()
  })
})

/** Returns the height of the curve at `x`, on straight lines between the curve's points. */
function heightAt(curve: ReadonlyArray<{ readonly x: number; readonly y: number }>, x: number): number {
  const after = curve.findIndex((point) => point.x >= x)
  if (after <= 0) return curve.at(after)!.y
  const [a, b] = [curve[after - 1], curve[after]]
  return a.y + ((x - a.x) / (b.x - a.x)) * (b.y - a.y)
}

describe("the report on Pascual's figures", () => {
  const cases: ReadonlyArray<Case> = paper.logs.flatMap(({ name: log }) =>
    (['FCFS', 'EASY'] as const).map((queue) => ({ log, queue })),
  )

  /** Speed-up factor at which the invented mean times under contiguous allocation fall to the time under first fit. */
  const meets = { HPC2N: 0.25, SDSC: 0.28, LLNL: 0.33 } as const
  const mean: MeanTime = (of, { log, queue }, search, factor) => {
    const base = (of === 'wait' ? 100 : 500) + (queue === 'FCFS' ? 100 : 0)
    return search === 'first-fit' ? base : base * (1 + 4 * (meets[log] - factor))
  }
  const nothing: MeanTime = () => undefined
  const ours = (
    made: ReadonlyArray<{ readonly what: string; readonly ours: number | boolean | null }>,
    part: string,
  ): ReadonlyArray<number | boolean | null> => made.filter(({ what }) => what.includes(part)).map((each) => each.ours)

  it('finds the speed-ups at which contiguous allocation is ahead, and judges the Pascual paper’s statements on them', () => {
    expect(ours(statedOfHpc2n(mean), 'is ahead')).toEqual([expect.closeTo(0.25), expect.closeTo(0.25)])
    expect(ours(statedOfHpc2n(mean), 'about the same')).toEqual([true])
    expect(ours(statedOfHpc2n(mean), 'less time with backfilling')).toEqual([true])
    expect(statedOfOthers(mean).map((each) => each.ours)).toEqual([expect.closeTo(0.28), expect.closeTo(0.33), true])
    expect(statedOfOthers(mean).map((each) => each.difference)).toEqual([0, expect.closeTo(0.03), null])
    expect(ours(statedOfWaits(cases, mean), 'fall')).toEqual(cases.map(() => true))
    expect(ours(statedOfWaits(cases, mean), 'most of the time')).toEqual(cases.map(() => false))
  })

  it('judges a statement of the Pascual paper as false if the runs contradict the statement', () => {
    const contrary: MeanTime = (of, at, search, factor) =>
      search === 'first-fit' ? mean(of, at, search, factor) : 1000 + factor
    expect(ours(statedOfWaits(cases, contrary), 'fall')).toEqual(cases.map(() => false))
    // Contiguous allocation is never ahead, so no value can be compared.
    expect(ours(statedOfOthers(contrary), 'is ahead')).toEqual([null, null])
    expect(ours(statedOfHpc2n(contrary), 'less time with backfilling')).toEqual([false])
    expect(timesBySpeedup('total', cases, contrary, 'x.svg', []).tables.at(-1)!.rows[0]).toEqual([
      'HPC2N, FCFS',
      'none up to 0.4',
      'none up to 0.4',
    ])
    const apart: MeanTime = (of, at, search, factor) =>
      mean(of, at, search, at.queue === 'EASY' ? factor + 0.1 : factor)
    expect(ours(statedOfHpc2n(apart), 'about the same')).toEqual([false])
  })

  it('waitsWithoutSpeedup divides waits under contiguous allocation by waits under first fit', () => {
    const { comparisons, tables, charts } = waitsWithoutSpeedup(cases, mean, 'x.svg')
    expect(comparisons.map((each) => each.ours)).toEqual(
      cases.map(({ log }) => expect.closeTo(1 + 4 * meets[log]) as number),
    )
    expect(tables[0].rows.map(([name]) => name)).toEqual(cases.map(({ log, queue }) => `${log}, ${queue}`))
    expect(charts[0].chart.panels[0].groups[0].bars).toEqual([
      { value: expect.closeTo(2) as number },
      { value: expect.closeTo(2) as number },
    ])
  })

  it('has no values of ours if there are no runs', () => {
    expect(waitsWithoutSpeedup([], nothing, 'x.svg').comparisons.every((each) => each.ours === null)).toBe(true)
    expect(
      [...statedOfHpc2n(nothing), ...statedOfWaits(cases, nothing), ...statedOfOthers(nothing)].every(
        (each) => each.ours === null,
      ),
    ).toBe(true)
  })
})
