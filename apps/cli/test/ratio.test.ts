import { describe, expect, it } from 'vitest'
import { ratioOf } from '../src/bench/timing.ts'

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, at) => count - at)

describe('ratioOf', () => {
  it('ratioOf returns the median, and the 95 % confidence interval of the median by ranks', () => {
    // For 6 values the interval from the least to the largest misses the median with probability 2 x 1/64. For 20
    // values the sixth rank misses with 2 x 0.0207, the seventh rank with 2 x 0.0577.
    expect(ratioOf(upTo(6))).toEqual({ median: 3.5, from: 1, to: 6 })
    expect(ratioOf(upTo(8))).toEqual({ median: 4.5, from: 1, to: 8 })
    expect(ratioOf(upTo(9))).toEqual({ median: 5, from: 2, to: 8 })
    expect(ratioOf(upTo(20))).toEqual({ median: 10.5, from: 6, to: 15 })
  })

  it('ratioOf returns the least and the largest value for fewer than six values', () => {
    expect(ratioOf([2])).toEqual({ median: 2, from: 2, to: 2 })
    expect(ratioOf(upTo(5))).toEqual({ median: 3, from: 1, to: 5 })
  })
})
