import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { figuresOf } from '../src/run/moment.ts'
import type { Moment, StepsAnswer } from '../src/run/questions.ts'
import { differenceExtremes, type Steps } from '../src/page/tracks/figures-over-time.ts'
import { LogState, type Header } from '@cloister/eventlog'
import { runs, viewed } from './runs.ts'

const steps: fc.Arbitrary<Steps> = fc
  .record({
    first: fc.nat(3),
    lengths: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 12 }),
    seed: fc.array(fc.integer({ min: -3, max: 9 }), { minLength: 12, maxLength: 12 }),
  })
  .map(({ first, lengths, seed }) => {
    let until = first
    const t = lengths.map((length) => (until += length) - length)
    return { t, until, values: seed.slice(0, t.length) }
  })

/** Returns the value of a figure's steps in the second from `time` on; NaN if there is no value. */
function valueAt({ t, until, values }: Steps, time: number): number {
  const at = Array.from(t).findLastIndex((start) => start <= time)
  return at < 0 || time >= until ? Number.NaN : values[at]
}

it('`differenceExtremes` returns the least and greatest difference of a figure between two runs in each column', () => {
  const part = fc.record({
    from: fc.nat(20),
    points: fc.integer({ min: 1, max: 6 }),
    width: fc.constantFrom(0.5, 1, 2, 3),
  })
  fc.assert(
    fc.property(steps, steps, part, (first, other, { from, points, width }) => {
      const { low, high } = differenceExtremes(first, other, from, from + points * width, points)
      for (let point = 0; point < points; point++) {
        const [start, end] = [from + point * width, from + (point + 1) * width]
        const values: Array<number> = []
        for (let time = Math.floor(start); time < end; time++) {
          const difference = valueAt(other, time) - valueAt(first, time)
          if (!Number.isNaN(difference)) values.push(difference)
        }
        const expected = values.length === 0 ? [Number.NaN, Number.NaN] : [Math.min(...values), Math.max(...values)]
        expect([low[point], high[point]]).toEqual(expected)
      }
    }),
  )
})

it('the answer `steps` has every value of the figures `busy` and `waiting` of a run', () => {
  fc.assert(
    fc.property(runs, (log) => {
      const run = viewed(log)
      const { json, arrays } = run.answer('steps', {})
      const { t, busy, waiting, until } = { ...(json as object), ...arrays } as unknown as StepsAnswer
      const { topology } = new LogState(log.records[0] as Header)
      expect(until).toBe(log.records.findLast((record) => 't' in record)?.t)
      for (const [at, time] of t.entries()) {
        const moment = run.answer('moment', { t: time })
        const figures = figuresOf({ ...(moment.json as object), ...moment.arrays } as unknown as Moment, topology)
        expect([busy[at], waiting[at]]).toEqual([figures.busy, figures.waiting])
      }
    }),
    { numRuns: 20 },
  )
})
