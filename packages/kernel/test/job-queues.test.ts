import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { GrowingQueue } from '../src/waiting-jobs.ts'
import { type JobQueue, WaitingJobs } from '../src/waiting-jobs.ts'

/** @param keys sort key of each job; ties are in order of the jobs */
const queues: Record<string, (keys: ReadonlyArray<number>) => JobQueue> = {
  GrowingQueue: (keys) => new GrowingQueue((job) => keys[job]),
  WaitingJobs: (keys) => new WaitingJobs(Int32Array.from(keys.keys()).sort((a, b) => keys[a] - keys[b] || a - b)),
}

test.each(Object.entries(queues))(
  'the job queue %s gives the waiting jobs in the order of their sort keys',
  (_, queueOf) => {
    const keys = fc.array(fc.nat(5), { minLength: 1, maxLength: 300, size: 'max' })
    fc.assert(
      fc.property(keys, fc.array(fc.nat(300), { maxLength: 400, size: 'max' }), fc.nat(200), (keys, touched, most) => {
        const queue = queueOf(keys)
        const waiting = new Set<number>()
        for (const each of touched) {
          const job = each % keys.length
          expect(queue.has(job)).toBe(waiting.has(job))
          if (waiting.delete(job)) queue.remove(job)
          else {
            waiting.add(job)
            queue.add(job)
          }
          const order = [...waiting].sort((a, b) => keys[a] - keys[b] || a - b)
          const found: Array<number> = []
          for (let next = queue.head; next !== undefined; next = queue.after(next)) found.push(next)
          expect(found).toEqual(order)
          expect(queue.after(job)).toBe(order.find((other) => queue.isBefore(job, other)))
          if (each % 3 === 0) continue
          const first: Array<number> = []
          queue.first(most, first)
          expect(first).toEqual(order.slice(0, most))
        }
      }),
      { numRuns: 60 },
    )
  },
)
