import fc from 'fast-check'
import { expect, it } from 'vitest'
import { WaitingQueue } from '../src/log/waiting-queue.ts'
import type { Submit } from '../src/index.ts'

const submitOf = (job: string): Submit => ({ seq: 1, t: 0, type: 'submit', job, size: 1 })

function expectSame(queue: WaitingQueue, map: ReadonlyMap<string, Submit>, asked: Iterable<string>): void {
  expect([...queue]).toEqual([...map])
  expect([...queue.keys()]).toEqual([...map.keys()])
  expect([...queue.values()]).toEqual([...map.values()])
  expect(queue.size).toBe(map.size)
  for (const job of asked) {
    expect(queue.has(job)).toBe(map.has(job))
    expect(queue.get(job)).toEqual(map.get(job))
  }
  const told: Array<string> = []
  queue.forEach(({ job }, name) => told.push(job, name))
  expect(told).toEqual([...map.keys()].flatMap((job) => [job, job]))
}

it('WaitingQueue behaves like a Map', () => {
  const jobs = ['a', '1', '2', '77', '__proto__']
  const step = fc.record({ job: fc.constantFrom(...jobs), does: fc.constantFrom('set', 'delete', 'clear') })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const [queue, map] = [new WaitingQueue(), new Map<string, Submit>()]
      for (const { job, does } of steps) {
        if (does === 'set') for (const each of [queue, map]) each.set(job, submitOf(job))
        else if (does === 'delete') expect(queue.delete(job)).toBe(map.delete(job))
        else for (const each of [queue, map]) each.clear()
        expectSame(queue, map, jobs)
      }
    }),
  )
})

it('WaitingQueue behaves like a Map after most of many jobs left, from either end, and some returned', () => {
  const jobs = Array.from({ length: 5000 }, (_, at) => String(at))
  for (const leaving of [jobs, jobs.toReversed(), jobs.filter((_, at) => at % 7 > 0)]) {
    const [queue, map] = [new WaitingQueue(), new Map<string, Submit>()]
    for (const job of jobs) for (const each of [queue, map]) each.set(job, submitOf(job))
    for (const [at, job] of leaving.entries()) {
      for (const each of [queue, map]) each.delete(job)
      if (at % 5 === 0) for (const each of [queue, map]) each.set(job, submitOf(job))
      if (at % 1000 === 999) expectSame(queue, map, jobs)
    }
    expectSame(queue, map, jobs)
  }
})
