import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JobNumbers } from '../src/log/ids.ts'

test('JobNumbers gives the same numbers as a Map from the ids', () => {
  const ids = fc.oneof(
    fc.nat(3000).map(String),
    fc.nat(2 ** 31).map(String),
    fc.constantFrom('', '0', '00', '01', '1.5', '-1', '1e3', ' 7', '7 ', 'a', '999999999', '9999999999', '__proto__'),
    fc.nat(40).map((number) => `0${number}`),
    fc.uuid(),
  )
  fc.assert(
    fc.property(fc.uniqueArray(ids, { maxLength: 60 }), fc.array(ids, { maxLength: 60 }), (added, asked) => {
      const numbers = new JobNumbers()
      const naive = new Map<string, number>()
      for (const id of added) {
        expect(numbers.get(id)).toBeUndefined()
        numbers.add(id)
        naive.set(id, naive.size)
        for (const each of [...asked, ...added]) expect(numbers.get(each)).toBe(naive.get(each))
      }
    }),
  )
})

test('JobNumbers keeps the numbers of large ids that came first, even after the array could hold such ids', () => {
  const numbers = new JobNumbers()
  for (let job = 0; job < 20_000; job++) numbers.add(String(50_000 + job))
  for (let job = 0; job < 20_000; job++) expect(numbers.get(String(50_000 + job))).toBe(job)
  expect(numbers.get('49999')).toBeUndefined()
})
