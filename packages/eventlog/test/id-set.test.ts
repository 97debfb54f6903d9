import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../src/log/ids.ts'

const limits = fc.integer({ min: 1, max: 130 })

describe('IdSet', () => {
  it('IdSet behaves like a Set', () => {
    const calls = fc.array(fc.record({ adds: fc.boolean(), id: fc.nat(200) }))
    fc.assert(
      fc.property(limits, fc.boolean(), calls, (limit, isFull, some) => {
        const plain = new Set(isFull ? Array(limit).keys() : [])
        const set = isFull ? IdSet.all(limit) : new IdSet(limit)
        for (const { adds, id } of some.filter((call) => call.id < limit)) {
          if (adds) plain.add(id)
          else plain.delete(id)
          if (adds) set.add(id)
          else set.delete(id)
          expect(set.size).toBe(plain.size)
        }
        expect([...set]).toEqual([...plain].sort((a, b) => a - b))
        for (let id = 0; id < limit + 40; id++) expect(set.has(id)).toBe(plain.has(id))
      }),
    )
  })

  it('IdSet.all has all ids below its limit, and refuses ids beyond the limit', () => {
    fc.assert(
      fc.property(limits, (limit) => {
        expect([...IdSet.all(limit).ids()]).toEqual([...Array(limit).keys()])
        expect(() => new IdSet(limit).add(limit + 32)).toThrow(RangeError)
        expect(() => new IdSet(limit).add(2 ** 22)).toThrow(/^found id 4194304, expected an id below \d+$/)
      }),
    )
  })
})
