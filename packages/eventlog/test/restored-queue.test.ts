import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RestoredQueue } from '../src/log/waiting-queue.ts'
import type { Submit } from '../src/index.ts'

const submitOf = (job: string): Submit => ({ seq: 1, t: 0, type: 'submit', job, size: 1 })
const jobs: ReadonlyArray<string> = ['a', 'b', 'c', 'd', 'e']
const anyJob = fc.constantFrom(...jobs)

it('RestoredQueue behaves like a Map with all jobs of the snapshot', () => {
  const step = fc.record({ job: anyJob, does: fc.constantFrom('set', 'delete', 'clear') })
  fc.assert(
    fc.property(fc.uniqueArray(anyJob), fc.array(step), (names, steps) => {
      const copied = new Map(names.map((job) => [job, submitOf(job)]))
      const before = new Map(copied)
      const queue = new RestoredQueue({
        size: before.size,
        get: (job) => before.get(job),
        values: () => before.values(),
      })
      for (const { job, does } of steps) {
        if (does === 'set') for (const map of [copied, queue]) map.set(job, submitOf(job))
        else if (does === 'delete') expect(queue.delete(job)).toBe(copied.delete(job))
        else for (const map of [copied, queue]) map.clear()
        expect([...queue]).toEqual([...copied])
        expect([...queue.keys()]).toEqual([...copied.keys()])
        expect(queue.size).toBe(copied.size)
        for (const each of jobs) {
          expect(queue.has(each)).toBe(copied.has(each))
          expect(queue.get(each)).toEqual(copied.get(each))
        }
      }
      const told: Array<string> = []
      queue.forEach(({ job }, name) => told.push(job, name))
      expect(told).toEqual([...copied.keys()].flatMap((job) => [job, job]))
    }),
  )
})
