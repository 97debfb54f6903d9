import { jigsaw } from '@cloister/policy-jigsaw'
import type { Job } from '@cloister/workload'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conservativeStartsByCounts } from './conservative-by-counts.ts'
import { anyNodeWillDo, counted, job, NODES, startsOf } from './counted-runs.ts'
import { numbered, run } from './random-runs.ts'

const queue = { backfill: 'conservative', window: 50, reservation: 'movable' } as const
const options = { ...anyNodeWillDo, queue }

/** Jobs of few sizes, so that many requests are equal. Most jobs end before their walltime. */
const similarJob = fc.record({
  submit: fc.integer({ min: 0, max: 30 }).map((s) => s * 1000),
  size: fc.constantFrom(1, 2, 3, 5, 8, 12),
  runTime: fc.integer({ min: 1, max: 20 }).map((s) => s * 1000),
  walltime: fc.integer({ min: 1, max: 20 }).map((s) => s * 1000),
})

describe('conservative backfilling with movable reservations', () => {
  it.each(['exact', 'requested'] as const)(
    'conservative backfilling starts each job as the model by counts if all free nodes are equivalent: estimates %s',
    (estimates) => {
      fc.assert(
        fc.property(fc.array(job, { minLength: 1, maxLength: 40 }), (list) => {
          const jobs = numbered(list)
          expect(startsOf({ ...options, jobs, estimates })).toEqual(
            conservativeStartsByCounts(counted(jobs, estimates), NODES),
          )
        }),
        { numRuns: 200 },
      )
    },
  )

  /**
   * The second job has a reservation of nodes 0 to 11 from 10 s on, and the third job a longer one of nodes 12 to 15
   * from 10 s on. The fourth job ends before 10 s.
   */
  const jobs = numbered([
    { submit: 0, size: 8, runTime: 10_000, walltime: 10_000 },
    { submit: 0, size: 4, runTime: 1000, walltime: 1000 },
    { submit: 1000, size: 12, runTime: 5000, walltime: 5000 },
    { submit: 1000, size: 4, runTime: 100_000, walltime: 100_000 },
  ])

  it('a job may start on reserved nodes if the reservation can move to other nodes at its time; the log has the move', () => {
    const said = (reservation: { readonly reservation?: 'movable' }): ReadonlyArray<string> => {
      const { reservation: _, ...queue } = options.queue
      return run({ ...options, jobs: reordered, queue: { ...queue, ...reservation } }).records.flatMap((record) => {
        if (record.type === 'reserve') return [`reserve ${record.nodes} at ${record.start} for ${record.job}`]
        if (record.type === 'unreserve') return [`unreserve ${record.job}`]
        return record.type === 'allocate' && record.t > 0
          ? [`start ${record.job} on ${record.nodes} at ${record.t}`]
          : []
      })
    }
    // Nodes 0 to 3 become free first, while jobs still hold nodes 4 to 15.
    const reordered = numbered([
      { submit: 0, size: 4, runTime: 1000, walltime: 1000 },
      { submit: 0, size: 12, runTime: 10_000, walltime: 10_000 },
      { submit: 1000, size: 12, runTime: 5000, walltime: 5000 },
      { submit: 1000, size: 4, runTime: 100_000, walltime: 100_000 },
    ])
    expect(said({ reservation: 'movable' })).toEqual([
      'reserve 0-11 at 10 for 3',
      'unreserve 3',
      'reserve 4-15 at 10 for 3',
      'start 4 on 0-3 at 1',
      'start 3 on 4-15 at 10',
    ])
    expect(said({})).toEqual([
      'reserve 0-11 at 10 for 3',
      'reserve 12-15 at 10 for 4',
      'start 3 on 0-11 at 10',
      'start 4 on 12-15 at 10',
    ])
  })

  it('no movable reservation moves later and no job starts after its reserved time, also under Jigsaw', () => {
    const all = fc.array(job, { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(all, (list) => {
        const reserved = new Map<string, number>()
        for (const record of run({ ...options, policy: jigsaw, estimates: 'exact', jobs: numbered(list) }).records) {
          if (record.type === 'reserve') {
            expect(record.start).toBeLessThanOrEqual(reserved.get(record.job) ?? Infinity)
            reserved.set(record.job, record.start)
          }
          if (record.type === 'allocate') expect(record.t).toBeLessThanOrEqual(reserved.get(record.job) ?? Infinity)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('decisions under Jigsaw are the same with `refusals`, which asks the policy again instead of remembering refusals', () => {
    const decisions = (list: ReadonlyArray<Omit<Job, 'id'>>, refusals: boolean): ReadonlyArray<unknown> =>
      run({ ...options, policy: jigsaw, jobs: numbered(list), refusals }).records.flatMap((record) =>
        record.type === 'allocate' || record.type === 'reserve'
          ? [[record.t, record.type, record.job, record.nodes]]
          : [],
      )
    fc.assert(
      fc.property(fc.array(similarJob, { minLength: 20, maxLength: 60 }), (list) => {
        expect(decisions(list, false)).toEqual(decisions(list, true))
      }),
      { numRuns: 300 },
    )
  })

  it('a job that would leave too few nodes for a reservation does not start', () => {
    const crowded = jobs.map((each, at) => (at === 2 ? { ...each, size: 14 } : each))
    expect(startsOf({ ...options, jobs: crowded })[3]).toBe(15_000)
  })
})
