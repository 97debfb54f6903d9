import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JobSlots } from '../src/log/ids.ts'

test('JobSlots gives each running job a different slot, and uses as many slots as jobs ran at one time', () => {
  const ids = fc.oneof(
    fc.nat(30).map(String),
    fc.nat(9000).map(String),
    fc.constantFrom('', '00', '7 ', 'a', '999999999', '9999999999', '__proto__'),
  )
  fc.assert(
    fc.property(fc.array(ids, { maxLength: 200 }), (events) => {
      const slots = new JobSlots()
      const naive = new Map<string, number>()
      let most = 0
      for (const id of events) {
        if (naive.has(id)) {
          expect(slots.giveBack(id)).toBe(naive.get(id))
          naive.delete(id)
        } else {
          const slot = slots.take(id)
          expect([...naive.values()]).not.toContain(slot)
          naive.set(id, slot)
        }
        most = Math.max(most, naive.size)
        for (const each of events) expect(slots.get(each)).toBe(naive.get(each))
        for (const slot of naive.values()) expect(slot).toBeLessThan(most)
      }
    }),
  )
})

test('JobSlots finds an id that was stored as a text, even after the array could hold the number', () => {
  const slots = new JobSlots()
  expect(slots.take('50000')).toBe(0)
  for (let job = 0; job < 20_000; job++) {
    slots.take(String(job))
    expect(slots.giveBack(String(job))).toBe(1)
  }
  expect(slots.take('49999')).toBe(1)
  expect(slots.giveBack('50000')).toBe(0)
  expect(slots.get('50000')).toBeUndefined()
  expect(slots.giveBack('50000')).toBeUndefined()
})
