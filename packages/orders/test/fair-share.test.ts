import { bindOrder } from '@cloister/ordering'
import { type QueueRows, queueView, type RunRow, scoresOf } from '@cloister/ordering/checks'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fairShare } from '../src/index.ts'

const HOUR = 3_600_000
/** Without the age, the score is the negative part of the share. */
const config = { ageWeight: 0, halfLifeHours: 1 }
const users = ['ada', 'bea', 'cem', undefined]

/** Returns 2^(-usage / share) of each user at a time. */
function shares(rows: Omit<QueueRows, 'waiting'>, options: object = config): ReadonlyArray<number> {
  const { ordering } = bindOrder(fairShare, { nodes: 64 }, options)
  const waiting = users.map((user, at) => ({ id: `${at}`, size: 1, estimate: HOUR, submitted: rows.now, user }))
  return scoresOf(ordering, queueView({ ...rows, waiting })).map((score) => -score)
}

const run = (user: string | undefined, nodes: number, started: number, hours: number): RunRow => ({
  user,
  nodes,
  started: started * HOUR,
  end: (started + hours) * HOUR,
})

test('a user alone has all usage and one share, and a user without runs has none', () => {
  expect(shares({ now: 5 * HOUR, ended: [run('ada', 8, 0, 2)] })).toEqual([0.5, 1, 1, 1])
  expect(shares({ now: 0 })).toEqual([1, 1, 1, 1])
})

test('usage counts node-seconds, and a half-life later half of them', () => {
  // Ada uses 4 nodes in hour 1, and Bea uses 2 nodes in hour 2. One half-life makes them equal.
  const [ada, bea] = shares({ now: 9 * HOUR, ended: [run('ada', 4, 0, 1), run('bea', 2, 1, 1)] })
  expect([ada, bea]).toEqual([0.5, 0.5])
  // Three parts of four for two shares.
  const [most, least] = shares({ now: 2 * HOUR, ended: [run('ada', 3, 0, 1), run('bea', 1, 0, 1)] })
  expect(most).toBeCloseTo(2 ** -1.5, 14)
  expect(least).toBeCloseTo(2 ** -0.5, 14)
})

test('a running job counts until now, as an ended run would', () => {
  const others = [run('bea', 5, 0, 1), run('cem', 2, 1, 2)]
  const last = run('ada', 3, 2, 2)
  const running = [{ ...last, end: 90 * HOUR }]
  expect(shares({ now: 4 * HOUR, ended: others, running })).toEqual(shares({ now: 4 * HOUR, ended: [...others, last] }))
})

test('the share falls with usage', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 63 }), fc.integer({ min: 1, max: 500 }), (nodes, hours) => {
      const other = run('bea', 8, 0, 4)
      const [less] = shares({ now: 600 * HOUR, ended: [other, run('ada', nodes, 4, hours)] }, { ageWeight: 0 })
      const [more] = shares({ now: 600 * HOUR, ended: [other, run('ada', nodes + 1, 4, hours)] }, { ageWeight: 0 })
      expect(more).toBeLessThan(less)
    }),
  )
})

test('the shares stay exactly equal over thousands of half-lives without runs', () => {
  const ended = [run('ada', 3, 0, 1), run('bea', 1, 0, 1)]
  const early = shares({ now: HOUR, ended })
  for (const now of [2, 513, 5000, 100_000]) expect(shares({ now: now * HOUR, ended }), `${now} h`).toEqual(early)
})

test('equal runs give equal shares, thousands of half-lives after the first run', () => {
  const first = [run('ada', 3, 0, 1), run('bea', 1, 0, 1)]
  const old = run('cem', 64, 0, 1)
  const later = first.map(({ user, nodes }) => run(user, nodes, 7000, 1))
  const [ada, bea] = shares({ now: 7001 * HOUR, ended: later })
  expect(shares({ now: 7001 * HOUR, ended: [old, ...later] }).slice(0, 2)).toEqual([ada, bea])
})

test('equal to a sum over all runs, in any history', () => {
  const drawn = fc.record({
    user: fc.constantFrom(...users),
    nodes: fc.integer({ min: 1, max: 64 }),
    started: fc.integer({ min: 0, max: 40 }),
    hours: fc.integer({ min: 1, max: 10 }),
  })
  fc.assert(
    fc.property(fc.array(drawn, { minLength: 1, maxLength: 12 }), (given) => {
      const ended = given.map(({ user, nodes, started, hours }) => run(user, nodes, started, hours))
      ended.sort((a, b) => a.end - b.end)
      const weight = (time: number): number => 2 ** (time / HOUR)
      const used = (user: string | undefined): number =>
        ended
          .filter((each) => each.user === user)
          .reduce((sum, { nodes, started, end }) => sum + nodes * (weight(end) - weight(started)), 0)
      const total = users.reduce((sum, user) => sum + used(user), 0)
      const sharing = users.filter((user) => used(user) > 0).length
      const expected = users.map((user) => 2 ** -((used(user) / total) * sharing))
      shares({ now: 60 * HOUR, ended }).forEach((share, at) => expect(share).toBeCloseTo(expected[at], 9))
    }),
  )
})

test('age grows up to maxAge, and the weights multiply age and share', () => {
  const { ordering } = bindOrder(fairShare, { nodes: 64 }, { maxAgeHours: 10, ageWeight: 3, shareWeight: 2 })
  const waits = [0, 5, 10, 400]
  const waiting = waits.map((hours, at) => ({ id: `${at}`, size: 1, estimate: 0, submitted: (400 - hours) * HOUR }))
  expect(scoresOf(ordering, queueView({ now: 400 * HOUR, waiting }))).toEqual([-2, -3.5, -5, -5])
})

test.each([
  [{ halfLifeHours: 0 }, 'halfLifeHours: found 0, expected a number from 0.001'],
  [{ ageWeight: -1 }, 'ageWeight: found -1, expected a number from 0'],
  [{ shareWeight: '1' }, 'shareWeight: found "1", expected a number from 0'],
  [{ halflife: 3 }, 'halflife: expected one of halfLifeHours, maxAgeHours, ageWeight, shareWeight'],
])('refuses the config %j', (given, message) => {
  expect(() => bindOrder(fairShare, { nodes: 1 }, given)).toThrow(message)
})
