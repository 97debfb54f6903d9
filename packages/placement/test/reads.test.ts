import { describe, expect, test } from 'vitest'
import { policyChecks, readsOf, runChecks } from '../src/checks.ts'
import { endPlacing, startPlacing, takeReads, withTraps } from '../src/checks/reads.ts'
import { firstNodes, placing } from './sample-policies.ts'

const holders: ReadonlyArray<readonly [object, string]> = [
  ...['Date', 'performance', 'process', 'crypto', 'Temporal'].map((name) => [globalThis, name] as const),
  [Math, 'random'],
  [Object.getPrototypeOf(performance), 'now'],
  [process, 'env'],
  [process, 'hrtime'],
]
const descriptors = (): ReadonlyArray<PropertyDescriptor | undefined> =>
  holders.map(([holder, name]) => Object.getOwnPropertyDescriptor(holder, name))

describe('reads of the clock, of random numbers and of the environment', () => {
  test.each([
    ['Date.now', () => Date.now(), ['Date.now']],
    ['a new Date', () => new Date().getMinutes(), ['new Date()']],
    ['performance.now', () => performance.now(), expect.arrayContaining(['performance.now'])],
    ['Math.random', () => Math.random(), ['Math.random']],
    ['process.env', () => process.env['PATH'], expect.arrayContaining(['process.env.PATH'])],
    ['a program that names its reads', () => ({ ok: false, reads: ['time.time'] }), ['time.time']],
    ['nothing', () => Math.max(1, 2), []],
    ['a test for a date', () => ({}) instanceof Date, []],
  ])('readsOf names the reads of %s', (_, run, names) => {
    expect(readsOf(run)).toEqual(names)
  })

  test('reads return the true values', () => {
    process.env['PLACEMENT_READS'] = 'true value'
    const read: Array<unknown> = []
    readsOf(() =>
      read.push(process.env['PLACEMENT_READS'], new Date(5).getTime(), Date.now() > 1e12, Math.random() < 1),
    )
    expect(read).toEqual(['true value', 5, true, true])
  })

  test('outside of a call of place, withTraps records nothing', () => {
    withTraps(() => {
      startPlacing()
      endPlacing()
      expect([Date.now() > 0, new Date() instanceof Date, process.env['PATH']?.length]).not.toEqual([])
      expect(takeReads()).toEqual([])
    })
  })
})

test('after the suite all globals are as before, also after a call that was stopped and an error', () => {
  const before = descriptors()
  const stops = firstNodes({
    place: placing((placement, _, __, { nodes }) => {
      for (; nodes === 7;);
      return placement
    }),
  })
  const throws = firstNodes({
    place: () => () => {
      throw new Error('no placement')
    },
  })
  for (const policy of [firstNodes(), stops, throws])
    expect([...runChecks(policyChecks(policy, { histories: 1, maxPlaceMs: 100 }))]).not.toEqual([])
  expect(descriptors()).toEqual(before)
  expect(readsOf(() => 1)).toEqual([])
})
