import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HistoryJobs, HistoryRuns } from '../src/history.ts'
import { NodeLists } from '../src/columns.ts'

const time = fc.integer({ min: 0, max: 2 ** 42 })

test('NodeLists returns the node ids of each list that was added', () => {
  fc.assert(
    fc.property(fc.array(fc.uniqueArray(fc.nat(200))), (given) => {
      const lists = new NodeLists()
      const sorted = given.map((nodes) => nodes.sort((a, b) => a - b))
      const numbers = sorted.map((nodes) => lists.add(nodes))
      expect(numbers.map((list) => [...lists.nodesOf(list)])).toEqual(sorted)
      expect(numbers.map((list) => lists.sizeOf(list))).toEqual(sorted.map(({ length }) => length))
    }),
  )
})

test('HistoryJobs and HistoryRuns return the jobs and runs that were added, whatever the ids of the jobs', () => {
  const jobs = fc.array(
    fc.record({
      id: fc.oneof(fc.nat().map(String), fc.string(), fc.constantFrom('12_3', '007', '0', '1'.repeat(20), '-1')),
      arrival: time,
      limit: fc.option(time, { nil: undefined }),
      size: fc.integer({ min: 1, max: 2 ** 22 }),
      cancelled: fc.option(time, { nil: undefined }),
      isSmallerThanNode: fc.boolean(),
      labels: fc.record(
        {
          user: fc.string(),
          name: fc.string(),
          qos: fc.string(),
          array: fc.oneof(fc.string(), fc.nat().map(String), fc.constantFrom('007', '1'.repeat(20))),
          priority: fc.integer({ min: 1 }),
          gpus: fc.integer({ min: 1 }),
          arrayTask: fc.maxSafeNat(),
          hetOffset: fc.maxSafeNat(),
        },
        { requiredKeys: [] },
      ),
    }),
  )
  const runs = fc.array(
    fc.record({
      job: fc.nat(),
      start: time,
      end: fc.oneof(time, fc.constant(Infinity)),
      how: fc.constantFrom('finished', 'failed', 'estimate', 'node-down', 'preempted', 'cancel'),
      nodes: fc.uniqueArray(fc.nat(99)).map((nodes) => Int32Array.from(nodes).sort()),
      startedBy: fc.constantFrom(undefined, 'main', 'backfill', 'submit'),
      gpus: fc.nat(2 ** 20),
    }),
  )
  fc.assert(
    fc.property(jobs, runs, (someJobs, someRuns) => {
      const listed = new HistoryJobs()
      for (const job of someJobs) listed.add(job)
      expect(someJobs.map((_, at) => listed.at(at))).toEqual(someJobs)
      expect(listed.length).toBe(someJobs.length)
      const made = new HistoryRuns()
      for (const run of someRuns) made.add(run)
      expect(someRuns.map((_, at) => made.at(at))).toEqual(someRuns)
      const taken = made.empty()
      for (const [run, { job }] of someRuns.entries()) taken.take(made, run, job)
      expect(someRuns.map((_, at) => taken.at(at))).toEqual(someRuns)
      expect([made.length, taken.length]).toEqual([someRuns.length, someRuns.length])
    }),
  )
})
