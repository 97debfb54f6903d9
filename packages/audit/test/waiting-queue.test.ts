import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WaitingQueue } from '../src/cluster/job-lists.ts'

interface Entry {
  readonly rank: number
  readonly order: number
}

const precedes = (a: Entry, b: Entry): boolean => a.rank < b.rank || (a.rank === b.rank && a.order < b.order)

test('WaitingQueue keeps the order of a sorted list, for any number of blocks', () => {
  // The jobs come in batches, so that some queues need several blocks.
  const batch = fc.record({
    size: fc.integer({ min: 1, max: 700 }),
    ranks: fc.integer({ min: 1, max: 9 }),
    removed: fc.integer({ min: 0, max: 100 }),
    step: fc.integer({ min: 1, max: 7 }),
  })
  fc.assert(
    fc.property(fc.array(batch, { minLength: 1, maxLength: 5 }), (batches) => {
      const queue = new WaitingQueue(precedes)
      const everyone: Array<Entry> = []
      let waiting: ReadonlyArray<Entry> = []
      for (const { size, ranks, removed, step } of batches) {
        for (let i = 0; i < size; i++) everyone.push({ rank: (i * step) % ranks, order: everyone.length })
        const added = everyone.slice(-size)
        // A second `add` of a job changes nothing.
        for (const entry of [...added, ...added.slice(0, 5)]) queue.add(entry)
        const isRemoved = (_: Entry, i: number): boolean => (i * step) % 100 < removed
        const sorted = [...waiting, ...added].sort((a, b) => (precedes(a, b) ? -1 : 1))
        for (const entry of [...sorted.filter(isRemoved), ...sorted.filter(isRemoved).slice(0, 5)]) queue.remove(entry)
        waiting = sorted.filter((entry, i) => !isRemoved(entry, i))

        expect(queue.head).toBe(waiting[0])
        expect([...queue.first(Infinity)]).toEqual(waiting)
        expect([...queue.first(size)]).toEqual(waiting.slice(0, size))
        for (const entry of everyone.filter((_, i) => i % 97 === 0))
          expect(queue.before(entry)).toBe(waiting.filter((each) => precedes(each, entry)).length)
      }
    }),
    { numRuns: 40 },
  )
})
