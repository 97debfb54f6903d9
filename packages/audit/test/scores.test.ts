import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ClusterModel } from '../src/cluster/cluster-model.ts'
import { FairShare } from '../src/cluster/fair-share.ts'
import type { Job } from '../src/cluster/jobs.ts'
import { areClose, type QueueOrder } from '../src/cluster/scores.ts'
import { RankedQueue } from '../src/cluster/ranked-queue.ts'
import { Effort } from '../src/effort.ts'
import { naiveScore, type ScoredJob } from './naive-orders.ts'

function jobOf(order: number, user: string, submitted: number): Job {
  return { order, user, submitted, size: 1, estimate: 1000, score: 0 } as Job
}

test('FairShare has the scores of the naive sum over all runs, for any half-life and any length of the history', () => {
  const users = ['ada', 'ben', 'cy']
  const run = fc.record({
    user: fc.constantFrom(...users),
    nodes: fc.integer({ min: 1, max: 9 }),
    after: fc.integer({ min: 0, max: 9 }),
    length: fc.integer({ min: 0, max: 30 }),
  })
  const step = fc.constantFrom(1, 60, 100_000)
  // The usage of a user halves up to 300 times between two runs: more often than FairShare counts in one unit.
  fc.assert(
    fc.property(fc.array(run, { maxLength: 30 }), step, fc.integer({ min: 1, max: 50 }), (runs, unit, part) => {
      const config = { halfLifeHours: (unit / 3600) * part, maxAgeHours: unit / 360, ageWeight: 1, shareWeight: 2 }
      const order = new FairShare(config)
      let now = 0
      const past = runs.map(({ user, nodes, after, length }) => {
        const start = now + 1000 * after * unit
        now = start + 1000 * length * unit
        order.release({ user, allocation: { nodes, start } } as Job, now)
        return { user, nodes, start, end: now }
      })
      const running = { user: 'ada', nodes: 3, start: now, end: now + 1000 * unit }
      now = running.end
      order.begin(now, [{ user: 'ada', allocation: running } as unknown as Job])
      for (const [i, user] of users.entries()) {
        const job = jobOf(i, user, now - 500 * unit)
        const plain: ScoredJob = { size: 1, submit: job.submitted, estimate: 1000, user }
        const naive = naiveScore('fair-share', plain, now, [...past, running], config)
        expect(Math.abs(order.score(job, now) - naive)).toBeLessThan(1e-6)
      }
    }),
    { numRuns: 200 },
  )
})

test('RankedQueue keeps the order of the first question of a pass until a job joins the queue', () => {
  const scores = new Map<number, number>()
  const order: QueueOrder = { isFixed: false, score: (job) => scores.get(job.order)! }
  const act = fc.record({ kind: fc.constantFrom('add', 'remove', 'begin', 'ask'), at: fc.nat(30), score: fc.nat(5) })
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const model = { passTime: 0, holders: new Map(), effort: new Effort() } as unknown as ClusterModel
      const queue = new RankedQueue(order, model)
      const jobs = Array.from({ length: 31 }, (_, i) => jobOf(i, 'ada', 0))
      const waiting = new Set<Job>()
      let ranked: ReadonlyArray<Job> | undefined
      for (const { kind, at, score } of acts) {
        scores.set(at, score)
        for (const job of jobs) if (!scores.has(job.order)) scores.set(job.order, 0)
        if (kind === 'begin') {
          queue.begin()
          ranked = undefined
        } else if (kind === 'add') {
          queue.add(jobs[at])
          waiting.add(jobs[at])
          ranked = undefined
        } else if (kind === 'remove') {
          queue.remove(jobs[at])
          waiting.delete(jobs[at])
        } else {
          ranked ??= [...waiting].sort((a, b) => scores.get(a.order)! - scores.get(b.order)! || a.order - b.order)
          const left = ranked.filter((job) => waiting.has(job))
          expect(queue.head).toBe(left[0])
          expect([...queue.first(at)]).toEqual(left.slice(0, at))
          expect(left.map((job) => queue.before(job))).toEqual([...left.keys()])
        }
      }
    }),
    { numRuns: 300 },
  )
})

describe('areClose', () => {
  test.each([
    [1, 1 + 1e-15, true],
    [-3e7, -3e7 * (1 + 1e-13), true],
    [1, 1, false],
    [1, 1 + 1e-9, false],
    [Infinity, 1, false],
    [Infinity, Infinity, false],
  ])('%d and %d: %s', (a, b, expected) => expect(areClose(a, b)).toBe(expected))
})
