import { describe, expect, it } from 'vitest'
import { ratioOf } from '../src/bench/ratio.ts'

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, at) => count - at)

describe('ratioOf', () => {
  it('returns the median, and ranks around the median with 95 % confidence', () => {
    // For 6 values the least and the most leave out 2 x 1/64. For 20 values the sixth leaves out 2 x 0.0207, and the
    // seventh 2 x 0.0577.
    expect(ratioOf(upTo(6))).toEqual({ median: 3.5, from: 1, to: 6 })
    expect(ratioOf(upTo(8))).toEqual({ median: 4.5, from: 1, to: 8 })
    expect(ratioOf(upTo(9))).toEqual({ median: 5, from: 2, to: 8 })
    expect(ratioOf(upTo(20))).toEqual({ median: 10.5, from: 6, to: 15 })
  })

  it('returns the least and the most of a few values', () => {
    expect(ratioOf([2])).toEqual({ median: 2, from: 2, to: 2 })
    expect(ratioOf(upTo(5))).toEqual({ median: 3, from: 1, to: 5 })
  })
})
