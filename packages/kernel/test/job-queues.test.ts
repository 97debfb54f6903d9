import type { BoundOrder, QueueView } from '@cloister/ordering'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RankedQueue } from '../src/ranked-queue.ts'
import { GrowingQueue } from '../src/waiting-jobs.ts'
import { type JobQueue, WaitingJobs } from '../src/waiting-jobs.ts'

/** @param keys sort key of each job; ties are in order of the jobs */
const queues: Record<string, (keys: ReadonlyArray<number>) => JobQueue> = {
  GrowingQueue: (keys) => new GrowingQueue((job) => keys[job]),
  RankedQueue: (keys) => new RankedQueue(byKeys(keys), viewOf),
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
          if (waiting.has(job) && queue.before !== undefined) expect(queue.before(job)).toBe(order.indexOf(job))
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

/** Returns an order whose scores are the keys of the jobs. */
function byKeys(keys: ReadonlyArray<number>): BoundOrder {
  const score = ({ waiting }: QueueView, scores: Float64Array): void => {
    for (let row = 0; row < waiting.length; row++) scores[row] = keys[Number(waiting.id[row])]
  }
  return { order: { name: 'by-keys', version: '1.0.0' }, config: {}, ordering: { claims: { fixed: false }, score } }
}

/** Returns a view with the ids of waiting jobs alone. */
function viewOf(waiting: ReadonlyArray<number>): QueueView {
  return { waiting: { id: waiting.map(String), length: waiting.length } } as unknown as QueueView
}

test('a queue with eachStart asks for scores at each begin and after each removal of the head, and at no other time', () => {
  const choices = fc.array(fc.option(fc.nat(99), { freq: 3 }), { minLength: 30, maxLength: 30 })
  const steps = fc.array(fc.record({ removes: fc.constantFrom('head', 'last', 'none'), begins: fc.boolean() }))
  fc.assert(
    fc.property(choices, steps, (choices, steps) => {
      let asked = 0
      let chosen: number | undefined
      const score = ({ waiting: { id, length } }: QueueView, scores: Float64Array): void => {
        const choice = choices[asked++ % choices.length]
        const row = choice === null || length === 0 ? undefined : choice % length
        chosen = row === undefined ? undefined : Number(id[row])
        scores.fill(row === undefined ? Infinity : 0)
        if (row !== undefined) scores[row] = -1
      }
      const order = { order: { name: 'agent', version: '1.0.0' }, config: {}, eachStart: true }
      const queue = new RankedQueue({ ...order, ordering: { claims: { fixed: false }, score } }, viewOf)
      let waiting = Array.from({ length: 12 }, (_, job) => job)
      for (const job of waiting) queue.add(job)
      let expected = 1
      for (const { removes, begins } of steps) {
        expect(queue.head).toBe(chosen)
        expect(asked).toBe(expected)
        const removed = removes === 'head' ? chosen : removes === 'last' ? waiting.at(-1) : undefined
        if (removed !== undefined) queue.remove(removed)
        waiting = waiting.filter((job) => job !== removed)
        if (begins) queue.begin()
        if (begins || (removed !== undefined && removed === chosen)) expected++
        // The jobs behind the chosen head are in submit order.
        const head = queue.head
        const first: Array<number> = []
        queue.first(20, first)
        expect(first).toEqual(head === undefined ? [] : [head, ...waiting.filter((job) => job !== head)])
      }
    }),
  )
})
