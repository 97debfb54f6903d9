import { baseline } from '@cloister/policy-baseline'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { QueueDiscipline } from '../src/index.ts'
import { numbered, run, type RunOptions, runs } from './random-runs.ts'

const one = { policy: baseline, config: {}, estimates: 'exact', overrun: 'run-on', refusals: false } as const

const starts = (options: RunOptions): ReadonlyArray<string> =>
  run(options).records.flatMap((record) => (record.type === 'allocate' ? [`${record.t} ${record.job}`] : []))

it('counting starts the same jobs as EASY with movable reservations if any free nodes serve', () => {
  // No job outlives its estimate: a job beyond its estimate delays the reservation of EASY only once.
  const options = runs.map(({ jobs, order }) => ({ ...one, topology: 'pgft:1;9;1;1', jobs, order }))
  fc.assert(
    fc.property(options, fc.constantFrom(2, 50), (each, window) => {
      const under = (queue: QueueDiscipline): ReadonlyArray<string> => starts({ ...each, queue })
      expect(under({ backfill: 'counting', window })).toEqual(
        under({ backfill: 'easy', window, reservation: 'movable' }),
      )
    }),
    { numRuns: 100 },
  )
})

it('counting,early starts only jobs that end by the shadow time, and counting,in-order stops at the first other job', () => {
  const job = (size: number, seconds: number) => ({ submit: 0, size, runTime: 1000 * seconds, walltime: undefined })
  // Job 0 has 12 of 16 nodes for 10 s, and job 1 waits for 12 nodes. Job 2 leaves job 1 enough nodes, job 3 ends in time.
  const jobs = numbered([job(12, 10), job(12, 5), job(2, 20), job(2, 10)])
  const at0 = (passing: 'early' | 'in-order' | undefined): ReadonlyArray<string> =>
    starts({
      ...one,
      topology: 'radix:4',
      queue: { backfill: 'counting', window: 50, ...(passing && { passing }) },
      jobs,
    }).filter((start) => start.startsWith('0 '))
  const [first, , third, fourth] = jobs.map(({ id }) => `0 ${id}`)
  expect(at0(undefined)).toEqual([first, third, fourth])
  expect(at0('early')).toEqual([first, fourth])
  expect(at0('in-order')).toEqual([first])
})
