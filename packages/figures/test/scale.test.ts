import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Axis } from '../src/figure.ts'
import { type Scale, scaleOf } from '../src/scale.ts'
import { textWidth } from '../src/text-width.ts'

const room = (length: number) => ({ length, need: (label: string) => textWidth(label, 10) + 5 })
const axis = (more: Partial<Axis> = {}): Axis => ({ label: 'x', field: 'x', scale: 'linear', ...more })
const labelled = ({ ticks }: Scale) => ticks.filter(({ label }) => label !== '')

/** Returns the place of a value on an axis of a length, in pixels, by the definition of the scales. */
function placeOf({ type, domain: [from, to] }: Scale, length: number, value: number): number {
  const along = (each: number): number =>
    type === 'linear' ? each : type === 'log' ? Math.log(each) : Math.log1p(each)
  return ((along(value) - along(from)) / (along(to) - along(from))) * length
}

const value = fc.double({ min: 0.001, max: 1e6, noNaN: true })
const lengths = fc.integer({ min: 60, max: 800 })

describe('ticks of an axis', () => {
  it('ticks of a linear axis lie on the axis at round values, at most eight, and their labels do not overlap', () => {
    fc.assert(
      fc.property(value, value, lengths, (a, b, length) => {
        fc.pre(Math.abs(a - b) > 1e-3)
        const scale = scaleOf(axis({ domain: [Math.min(a, b), Math.max(a, b)] }), [], room(length))
        const ticks = labelled(scale)
        expect(ticks.length).toBeLessThanOrEqual(8)
        for (const [at, tick] of ticks.entries()) {
          expect(tick.at).toBeGreaterThanOrEqual(scale.domain[0] * (1 - 1e-6))
          expect(tick.at).toBeLessThanOrEqual(scale.domain[1] * (1 + 1e-6))
          const gap = at === 0 ? Infinity : placeOf(scale, length, tick.at) - placeOf(scale, length, ticks[at - 1].at)
          // Two labels may stay on an axis that is too short for both.
          if (ticks.length > 2) expect(gap).toBeGreaterThan(textWidth(tick.label, 10))
        }
      }),
    )
  })

  it('labels of a logarithmic axis are at 1, 2 or 5 times powers of ten, and do not overlap', () => {
    const lowest = fc.oneof(fc.constant(0), value)
    fc.assert(
      fc.property(lowest, value, fc.integer({ min: 150, max: 800 }), (low, factor, length) => {
        const high = Math.max(low, 1) * (1 + factor)
        const scale = scaleOf(axis({ scale: 'log', domain: [low, high] }), [], room(length))
        expect(scale.type).toBe(low > 0 ? 'log' : 'symlog')
        const ticks = labelled(scale)
        for (const [at, tick] of ticks.entries()) {
          expect(tick.at === 0 || /^[125](e|$)/.test(tick.at.toExponential())).toBe(true)
          const gap = at === 0 ? Infinity : placeOf(scale, length, tick.at) - placeOf(scale, length, ticks[at - 1].at)
          expect(gap, `${tick.label} on ${low} to ${high}, ${length}`).toBeGreaterThan(textWidth(tick.label, 10) * 0.9)
        }
      }),
    )
  })

  it('a logarithmic axis without 0 has labels at powers of ten, and ticks without labels between', () => {
    const { ticks } = scaleOf(axis({ scale: 'log' }), [1, 3200], room(200))
    expect(ticks.filter(({ label }) => label !== '')).toEqual([
      { at: 1, label: '1' },
      { at: 10, label: '10' },
      { at: 100, label: '100' },
      { at: 1000, label: '1,000' },
    ])
    expect(ticks).toContainEqual({ at: 2000, label: '' })
  })

  it('clock times have labels at times of day, and at midnight the date, as in the calendar of JavaScript', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 4e9 }), fc.integer({ min: 600, max: 1e8 }), (epoch, span) => {
        const scale = scaleOf(axis({ scale: 'time', epoch, domain: [0, span] }), [], room(400))
        expect(scale.label).toBe(`x, UTC, from ${new Date(epoch * 1000).toISOString().slice(0, 10)}`)
        for (const { at, label } of scale.ticks) {
          const iso = new Date(at).toISOString()
          const month = new Date(at).toLocaleString('en-US', { month: 'short', timeZone: 'UTC' })
          expect([iso.slice(0, 10), `${month} ${new Date(at).getUTCDate()}`, iso.slice(11, 16)]).toContain(label)
        }
      }),
    )
  })

  it('a time axis has days, hours or minutes as its unit', () => {
    const labelOf = (end: number): string =>
      scaleOf(axis({ scale: 'time', label: 'time', domain: [0, end] }), [], room(300)).label
    expect([7200, 86_400, 864_000].map(labelOf)).toEqual(['time, minutes', 'time, hours', 'time, days'])
  })
})
