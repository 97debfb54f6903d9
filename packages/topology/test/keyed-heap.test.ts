import { describe, expect, it } from 'vitest'
import { KeyedHeap, seededDraws } from '../src/index.ts'

/** Naive model of KeyedHeap: a list that is sorted after each addition. */
class NaiveQueue {
  #entries: Array<readonly [key: number, item: number]> = []
  push(key: number, item: number): void {
    this.#entries.push([key, item])
    this.#entries.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  }
  get first(): readonly [number, number] {
    return this.#entries[0] ?? [Infinity, -1]
  }
  pop(): number {
    return this.#entries.shift()?.[1] ?? -1
  }
}

describe('a keyed heap', () => {
  it('a KeyedHeap agrees with a sorted list on random pushes and pops, also after growth and when empty', () => {
    for (let seed = 0; seed < 100; seed++) {
      const draw = seededDraws(seed)
      const heap = new KeyedHeap(1)
      const naive = new NaiveQueue()
      for (let step = 0; step < 300; step++) {
        expect([heap.firstKey, heap.first]).toEqual(naive.first)
        if (draw(5) < 3) {
          const [key, item] = [draw(8) / 2, draw(20)]
          heap.push(key, item)
          naive.push(key, item)
        } else expect(heap.pop()).toBe(naive.pop())
      }
    }
  })

  it('a KeyedHeap gives the same order after `append` and `order` as after single pushes', () => {
    const draw = seededDraws(3)
    const heap = new KeyedHeap()
    for (let size = 0; size < 200; size++) {
      const entries = Array.from({ length: size }, () => [draw(9), draw(50)] as const)
      heap.clear()
      for (const [key, item] of entries) heap.append(key, item)
      heap.order()
      const expected = [...entries].sort((a, b) => a[0] - b[0] || a[1] - b[1])
      expect(expected.map(() => heap.pop())).toEqual(expected.map(([, item]) => item))
      expect(heap.pop()).toBe(-1)
    }
  })
})
