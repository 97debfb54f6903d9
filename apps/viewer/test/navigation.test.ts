import { linkId, parentOf, pgft } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { boxOf } from '../src/page/gantt/pointing.ts'
import { GUTTER, ROWS_TOP } from '../src/page/drawing/canvas.tsx'
import { parseMoment, parseTimes, type Suggestion, suggestionsFor } from '../src/page/controls/meanings.ts'
import { placeOfLink, placesNamed, whyNoLink, whyNoPlace } from '../src/page/controls/places.ts'
import { calendarTime, shortened, ticks } from '../src/words.ts'
import { dragged, gripAt } from '../src/page/tracks/minimap.tsx'

/** 2007-03-02 at midnight in UTC. */
const epoch = Date.UTC(2007, 2, 2) / 1000
const tree = pgft({ m: [3, 3, 6], w: [1, 3, 3], p: [1, 1, 1] })

describe('`parseMoment`', () => {
  test.each([
    ['11d 13:46', { t: 11 * 86_400 + 13 * 3600 + 46 * 60 }],
    ['11 d 13:46:05', { t: 11 * 86_400 + 13 * 3600 + 46 * 60 + 5 }],
    ['00:00:01.5', { t: 1.5 }],
    ['3h', { t: 10_800 }],
    ['1d 12h', { t: 129_600 }],
    ['950000', { t: 950_000 }],
    ['#700', { seq: 700 }],
    ['Record 700', { seq: 700 }],
    ['2007-03-02 14:00', { t: 14 * 3600 }],
    ['2007-03-03', { t: 86_400 }],
    ['2007-03-01', undefined],
    ['2007-02-31', undefined],
    ['25:00', undefined],
    ['13:60', undefined],
    ['nobody', undefined],
    ['', undefined],
  ])('`parseMoment` gives the expected time or record, or no moment, for the text `%s`', (text, moment) => {
    expect(parseMoment(text, epoch, 'utc')).toEqual(moment)
  })

  it('`parseMoment` reads a time by the calendar only if the run has an epoch', () => {
    expect(parseMoment('2007-03-02 14:00', undefined, 'utc')).toBeUndefined()
  })

  it('`parseMoment` reads times that `calendarTime` has written', () => {
    fc.assert(
      fc.property(fc.nat(100_000_000), fc.constantFrom('utc' as const, 'local' as const), (t, by) => {
        const read = parseMoment(calendarTime(t, epoch, by), epoch, by)
        // When clocks are set back, an hour of local time comes twice, so the result may differ by an hour.
        expect(Math.abs((read as { readonly t: number }).t - t) % 3600).toBe(0)
        if (by === 'utc') expect(read).toEqual({ t })
      }),
      { numRuns: 50 },
    )
  })
})

test.each([
  ['1h', { length: 3600, from: undefined }],
  ['30m', { length: 1800, from: undefined }],
  ['2 d', { length: 172_800, from: undefined }],
  ['3600s', { length: 3600, from: undefined }],
  ['1h@3d', { length: 3600, from: 259_200 }],
  ['1h @ 3d 06:00', { length: 3600, from: 280_800 }],
  ['1h@2007-03-03', { length: 3600, from: 86_400 }],
  ['3600', undefined],
  ['0s', undefined],
  ['1h@', undefined],
  ['1h@#7', undefined],
  ['1h@3d@4d', undefined],
  ['13:46', undefined],
  ['nobody', undefined],
])('`parseTimes` gives the expected length and begin of the visible times, or undefined, for `%s`', (text, times) => {
  expect(parseTimes(text, epoch, 'utc')).toEqual(times)
})

it('`whyNoLink` names the pods of two switches without a cable, and the switches above the lower switch', () => {
  expect(whyNoLink('leaf 4 -> l2 0', tree)).toBe(
    'no cable joins leaf4 and l2-0: leaf4 is in pod 1, l2-0 in pod 0; leaf4 has cables to l2-3, l2-4, l2-5',
  )
  expect(whyNoLink('spine 5 to l2 0', tree)).toMatch(/^no cable joins l2-0 and spine5; l2-0 has cables to spine0, /)
  for (const other of ['leaf 0 -> l2 0', 'leaf 0 -> nobody', 'leaf 0', 'a -> b -> c'])
    expect(whyNoLink(other, tree)).toBeUndefined()
})

it('regression: `whyNoPlace` names the leaves, pods or nodes of a machine that lacks the named one', () => {
  expect(whyNoPlace('leaf 18', tree)).toBe('no leaf 18: leaf0 to leaf17')
  expect(whyNoPlace('pod 6', tree)).toBe('no pod 6: pod 0 to pod 5')
  expect(whyNoPlace('node54', tree)).toBe('no node54: node0 to node53')
  for (const other of ['leaf 17', 'nobody', 'leaf', 'leaf 0 -> l2 0']) expect(whyNoPlace(other, tree)).toBeUndefined()
})

it('regression: `ticks` are at round times of the calendar', () => {
  const from = Date.UTC(2025, 9, 9, 8, 55, 31) / 1000
  const labels = ticks(0, 172_800, 8, from).map((t) => calendarTime(t, from, 'utc'))
  expect(labels.slice(0, 3)).toEqual(['2025-10-09 12:00:00', '2025-10-09 18:00:00', '2025-10-10 00:00:00'])
  expect(ticks(0, 100, 5)).toEqual([0, 30, 60, 90])
})

describe('`placesNamed`', () => {
  test.each(['leaf 12', 'leaf12', 'l12', 'Leaf-12'])('`placesNamed` finds leaf 12 by the text `%s`', (text) => {
    expect(placesNamed(text, tree)).toEqual([{ kind: 'nodes', name: 'leaf12', from: 36, to: 39 }])
  })

  it('`placesNamed` finds pods and nodes by name, and finds nothing for a text without a meaning', () => {
    expect(placesNamed('pod 3', tree)).toEqual([{ kind: 'nodes', name: 'pod 3', from: 27, to: 36, isPod: true }])
    expect(placesNamed('node 7', tree)).toEqual([{ kind: 'nodes', name: 'node7', from: 7, to: 8 }])
    for (const none of [
      'pod 6',
      'leaf 18',
      'node 54',
      '',
      'leaf',
      'leaf 1 -> spine 0',
      'leaf 0 -> l2 5',
      'a -> b -> c',
    ])
      expect(placesNamed(none, tree), none).toEqual([])
  })

  it('`placesNamed` finds every cable by the names of its two switches, in either order', () => {
    for (const [level, names] of [
      [0, ['leaf', 'l2 ']],
      [1, ['l2-', 'spine ']],
    ] as const)
      for (let sw = 0; sw < tree.levels[level].switches; sw++)
        for (let port = 0; port < 3; port++) {
          const upper = parentOf(tree, level, sw, port)
          const [low, high] = [`${names[0]}${sw}`, `${names[1]}${upper}`]
          const found = placesNamed(`${low} -> ${high}`, tree)
          expect(found).toMatchObject([{ kind: 'link', level, link: linkId(tree, level, sw, port) }])
          expect(placesNamed(`${high} to ${low}`, tree)).toEqual(found)
          const { name } = placeOfLink(tree, level, linkId(tree, level, sw, port))
          expect(placesNamed(name, tree)).toEqual(found)
        }
  })
})

it('`suggestionsFor` suggests the meanings of a text in the search field, the likeliest meaning first', () => {
  const ids = ['250', '25', '2500', 'a=b']
  const kinds = (text: string): ReadonlyArray<string> =>
    suggestionsFor(text, {
      topology: tree,
      ids,
      isJob: (id) => ids.includes(id),
      epoch,
      clockBy: 'utc',
      commands: ['go to the end', 'list the keys'],
    }).map((suggestion: Suggestion) => suggestion.kind)
  expect(kinds('')).toEqual(['command', 'command'])
  expect(kinds('25')).toEqual(['job', 'moment', 'job', 'job'])
  expect(kinds('Job 25')).toEqual(['job'])
  expect(kinds('job 26')).toEqual([])
  expect(kinds('size>256 wait>3h')).toEqual(['query'])
  expect(kinds('wiat>3h')).toEqual([])
  expect(kinds('leaf 0 -> l2 0')).toEqual(['place'])
  expect(kinds('leaf 0 -> l2 0 @ 06:12')).toEqual(['place'])
  expect(kinds('1h')).toEqual(['times', 'moment'])
  expect(kinds('@1h')).toEqual(['moment'])
  expect(kinds('end')).toEqual(['command'])
  expect(kinds('a=b')).toEqual(['job'])
  expect(kinds('alice')).toEqual([])
})

it('an id of a job is cut only beyond 14 characters', () => {
  expect(['1', '12345678901234', '1234567890.server', '123456789.server-a'].map(shortened)).toEqual([
    '1',
    '12345678901234',
    '1234567890.ser…',
    '123456789.serv…',
  ])
})

describe('the window of the minimap', () => {
  const whole = { from: 0, to: 1000 }
  const spans = fc
    .tuple(fc.nat(1000), fc.nat(1000))
    .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
    .filter(({ from, to }) => to - from >= 20)

  it('`dragged` keeps the minimap window within the run, and keeps the least length of the window', () => {
    fc.assert(
      fc.property(
        spans,
        fc.constantFrom('from' as const, 'to' as const, 'window' as const, 'outside' as const),
        fc.integer({ min: -2000, max: 2000 }),
        (window, grip, by) => {
          const { from, to } = dragged(grip, window, by, whole, 10)
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeLessThanOrEqual(1000)
          expect(to - from).toBeGreaterThanOrEqual(10)
          if (grip === 'window') expect(to - from).toBe(window.to - window.from)
          if (grip === 'from') expect(to).toBe(window.to)
        },
      ),
    )
  })

  it('`gripAt` tells an edge of the minimap window from places within the window and places outside of the window', () => {
    const window = { from: 200, to: 600 }
    expect([198, 203, 400, 604, 700].map((x) => gripAt(x, window, whole, 1000))).toEqual([
      'from',
      'from',
      'window',
      'to',
      'outside',
    ])
  })
})

it('`boxOf` returns the times and nodes within a box that was dragged in any direction', () => {
  const frame = { from: 100, to: 200, firstNode: 10, endNode: 50, width: 400, height: 80 }
  const corner = { x: GUTTER + 100, y: ROWS_TOP + 20 }
  const other = { x: GUTTER + 200, y: ROWS_TOP + 41 }
  const area = { times: { from: 125, to: 150 }, nodes: { from: 20, to: 31 } }
  expect(boxOf({ from: corner, to: other }, frame)).toEqual(area)
  expect(boxOf({ from: other, to: corner }, frame)).toEqual(area)
  expect(boxOf({ from: corner, to: { x: 9999, y: corner.y + 1 } }, frame)).toEqual({
    times: { from: 125, to: 200 },
    nodes: { from: 10, to: 50 },
  })
  expect(boxOf({ from: corner, to: { x: corner.x + 2, y: 300 } }, frame)).toBeUndefined()
})
