import { countingRecorder } from '@cloister/eventlog'
import { type QueueDiscipline, simulate } from '@cloister/kernel'
import { bindPolicy } from '@cloister/placement'
import baseline from '@cloister/policy-baseline'
import contiguous from '@cloister/policy-contiguous'
import { parseTopology } from '@cloister/topology'
import { type Job, makeWorkload } from '@cloister/workload'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type MeanTimes, type Backfilling, runWeaker } from '../src/pascual/weaker-backfilling.ts'

const jobs = fc
  .array(
    fc.record({ submit: fc.nat(30), size: fc.integer({ min: 1, max: 9 }), runTime: fc.nat(20), more: fc.nat(10) }),
    { minLength: 1, maxLength: 40 },
  )
  .map((given) =>
    given
      .toSorted((a, b) => a.submit - b.submit)
      .map(({ submit, size, runTime, more }, at): Job => ({
        id: `${at}`,
        submit: 1000 * submit,
        size,
        runTime: 1000 * runTime,
        walltime: 1000 * (runTime + more),
      })),
  )

const one = parseTopology('pgft:1;9;1;1')

function byKernel(list: ReadonlyArray<Job>, queue: QueueDiscipline): MeanTimes {
  let [wait, total] = [0, 0]
  simulate({
    topology: one,
    policyName: 'baseline',
    placer: bindPolicy(baseline, one).placer,
    workload: makeWorkload(list, { name: 'random', filter: '' }),
    queue,
    estimates: 'requested',
    overrun: 'run-on',
    refusals: false,
    recorder: countingRecorder(),
    runTimes: (_, { now, submitted }, __, time) => {
      wait += now - submitted
      total += now - submitted + time
      return time
    },
  })
  return { wait: wait / list.length, total: total / list.length }
}

const onOneSwitch = (list: ReadonlyArray<Job>, rule: Backfilling): MeanTimes =>
  runWeaker({ topology: one, installed: 9, placer: bindPolicy(baseline, one).placer }, list, rule)

it('runWeaker gives the kernel’s waits under first come, first served, and under EASY if all nodes are on one switch', () => {
  fc.assert(
    fc.property(jobs, (list) => {
      expect(onOneSwitch(list, 'nobody')).toEqual(byKernel(list, { order: 'submit', backfill: 'none' }))
      expect(onOneSwitch(list, 'counts')).toEqual(
        byKernel(list, { order: 'submit', backfill: 'easy', window: 1000, reservation: 'movable' }),
      )
    }),
  )
})

it('runWeaker with `ends before` starts no job ahead of the head that ends after the reservation, or if enough nodes are free but not contiguous', () => {
  const topology = parseTopology('kary:2:3')
  const machine = { topology, installed: 8, placer: bindPolicy(contiguous, topology, { search: 'contiguous' }).placer }
  const job = (id: string, size: number, seconds: number): Job => ({
    id,
    submit: 0,
    size,
    runTime: 1000 * seconds,
    walltime: 1000 * seconds,
  })
  const wait = (list: ReadonlyArray<Job>, rule: Backfilling): number =>
    (runWeaker(machine, list, rule).wait * list.length) / 1000
  // Six of eight nodes are taken for 10 s; the head of the queue needs four nodes. Behind the head a long job and a
  // short job wait.
  const blocked = [job('a', 4, 10), job('b', 2, 10), job('head', 4, 5), job('long', 1, 20), job('short', 1, 10)]
  expect(wait(blocked, 'nobody')).toBe(10 + 10 + 10)
  expect(wait(blocked, 'ends before')).toBe(10 + 10)
  expect(wait(blocked, 'ends before, in order')).toBe(10 + 10 + 10)
  // The eight nodes are in two halves. After a second each half has three free nodes: enough for the head, but not in
  // one half.
  const apart = [job('a', 1, 10), job('b', 3, 1), job('c', 1, 10), job('d', 3, 1), job('head', 4, 5), job('one', 1, 1)]
  expect(wait(apart, 'ends before')).toBe(10 + 10)
})
