import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Anonymiser, parseFilter, formatFilter, tellsPeople } from '../src/index.ts'

const text = fc.string({ minLength: 1, maxLength: 12 })

test('an Anonymiser gives a name equal digests only for equal salts, and keeps absent labels absent', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const job = { id: '7', user: one, account: one, name: one, qos: one, queue: one, size: 4 }
      const [a, again, b] = ['a salt of ours', 'a salt of ours', 'another salt'].map((salt) =>
        new Anonymiser(salt).labels(job),
      )
      expect(a).toEqual(again)
      expect(a).toMatchObject({ id: '7', queue: one, size: 4 })
      expect(a.user).toMatch(/^user-[0-9a-f]{12}$/)
      expect(
        new Set([a.user, a.account, a.name, a.qos, b.user].map((label) => label.replace(/^[a-z]+-/, ''))).size,
      ).toBe(5)
      expect(new Anonymiser('a salt of ours').labels({ user: other }).user === a.user).toBe(one === other)
    }),
    { numRuns: 50 },
  )
  expect(new Anonymiser('a salt of ours').labels({ user: 'ann' })).toEqual({ user: 'user-cf115b3d2622' })
  const inLog = new Anonymiser('a salt of ours').labels({ advance_reservation: 'course' })
  expect(inLog.advance_reservation).toBe(
    new Anonymiser('a salt of ours').labels({ advanceReservation: 'course' }).advanceReservation,
  )
  expect(new Anonymiser('a salt of ours').number('user', 'ann')).toBeLessThan(2 ** 39)
  expect(() => new Anonymiser('short')).toThrow('at least 8 characters')
})

test('tellsPeople finds every filter that compares users or groups', () => {
  for (const filter of ['user=ann', 'runtime>0,group!=3', 'nodes>4|user=bob'])
    expect(tellsPeople(formatFilter(parseFilter(filter)))).toBe(true)
  for (const filter of ['', 'queue=batch,partition!=debug', 'requested>4,status!=5'])
    expect(tellsPeople(formatFilter(parseFilter(filter)))).toBe(false)
})
