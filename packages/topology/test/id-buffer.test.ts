import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatIdset, IdBuffer, parseIdset } from '../src/index.ts'
import { nearly } from './arbitraries.ts'

const idsets = fc
  .array(fc.nat(2000), { maxLength: 400 })
  .map((ids) => Int32Array.from([...new Set(ids)].sort((a, b) => a - b)))
const held = ({ ids, count }: IdBuffer): ReadonlyArray<number> => [...ids.subarray(0, count)]

describe('an IdBuffer', () => {
  test('an IdBuffer holds all ids that were read or added since `clear`, in order, each plus its offset', () => {
    const parts = fc.array(fc.record({ ids: idsets, offset: fc.nat(5000), isText: fc.boolean() }), { maxLength: 4 })
    const buffer = new IdBuffer()
    fc.assert(
      fc.property(parts, (all) => {
        buffer.clear()
        for (const { ids, offset, isText } of all) {
          if (isText) expect(buffer.read(formatIdset(ids), 2001, offset)).toBe(true)
          else buffer.add(ids, offset)
        }
        expect(held(buffer)).toEqual(all.flatMap(({ ids, offset }) => [...ids].map((id) => id + offset)))
      }),
    )
  })

  test('an IdBuffer reads only canonical idsets with ids below the limit', () => {
    const texts = fc.oneof(
      idsets.chain((ids) => nearly(formatIdset(ids))),
      fc.array(fc.constantFrom(...'0123459,-[] '.split('')), { maxLength: 8 }).map((all) => all.join('')),
    )
    const buffer = new IdBuffer()
    let refused = 0
    fc.assert(
      fc.property(texts, fc.constantFrom(10, 2001, 10_000), (text, limit) => {
        buffer.clear()
        if (buffer.read(text, limit)) {
          expect(formatIdset(held(buffer))).toBe(text)
          expect(held(buffer).every((id) => id < limit)).toBe(true)
        } else {
          refused++
          expect(() => parseIdset(text, limit)).toThrow()
        }
      }),
      { numRuns: 2000 },
    )
    expect(refused).toBeGreaterThan(100)
  })

  test('an IdBuffer frees the memory of a large set when cleared', () => {
    const buffer = new IdBuffer()
    expect(buffer.read('0-1000000', 2 ** 22)).toBe(true)
    expect(buffer.count).toBe(1_000_001)
    buffer.clear()
    expect(buffer.ids.length).toBeLessThan(100_000)
  })
})
