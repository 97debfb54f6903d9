import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fewest, leastNumber, smallest } from '../src/search.ts'

describe('the search for the smallest faulty case', () => {
  it('`fewest` returns a faulty set of items in which each item is necessary', async () => {
    // A set of items is faulty if a listed set is a subset, except for certain numbers of items. A subset of a sound
    // set may therefore be faulty.
    const sets = fc.array(fc.uniqueArray(fc.nat(11), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(sets, fc.nat(3), async (all, odd) => {
        const isWrong = async (some: ReadonlyArray<number>): Promise<boolean> =>
          all.some((set) => set.every((each) => some.includes(each))) && some.length % 7 !== odd + 3
        const items = Array.from({ length: 14 }, (_, at) => at)
        if (!(await isWrong(items))) return
        const left = await fewest(items, isWrong)
        expect(await isWrong(left)).toBe(true)
        for (const each of left) expect(await isWrong(left.filter((other) => other !== each))).toBe(false)
      }),
    )
  })

  it('`fewest` may return the empty list, and keeps the order of items', async () => {
    expect(await fewest([1, 2, 3], async () => true)).toEqual([])
    expect(await fewest([3, 1, 2], async (some) => some.includes(2) && some.includes(3))).toEqual([3, 2])
    expect(await fewest([], async () => false)).toEqual([])
  })

  it('`fewest` finds the two faulty items among a thousand in fewer than a hundred tries', async () => {
    let tries = 0
    const isWrong = async (some: ReadonlyArray<number>): Promise<boolean> =>
      ++tries > 0 && some.includes(17) && some.includes(803)
    expect(
      await fewest(
        Array.from({ length: 1000 }, (_, at) => at),
        isWrong,
      ),
    ).toEqual([17, 803])
    expect(tries).toBeLessThan(100)
  })

  it('`leastNumber` finds the least faulty number', async () => {
    expect(await leastNumber(100, 1, async (value) => value >= 37)).toBe(37)
    expect(await leastNumber(100, 1, async () => true)).toBe(1)
    expect(await leastNumber(100, 1, async (value) => value >= 100)).toBe(100)
    expect(await leastNumber(1, 1, async () => false)).toBe(1)
  })

  it('`smallest` applies each function in turn until no function shrinks the case', async () => {
    const halve = async (value: number, isWrong: (value: number) => Promise<boolean>): Promise<number> =>
      (await isWrong(value >> 1)) ? value >> 1 : value
    const less = async (value: number, isWrong: (value: number) => Promise<boolean>): Promise<number> =>
      (await isWrong(value - 1)) ? value - 1 : value
    expect(await smallest(1000, [halve, less], async (value) => value >= 30)).toBe(30)
  })
})
