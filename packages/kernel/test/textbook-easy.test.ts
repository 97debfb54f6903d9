import type { Claims, PlacementPolicy } from '@cloister/placement'
import { jigsaw } from '@cloister/policy-jigsaw'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyNodeWillDo, counted, job, NODES, startsOf } from './counted-runs.ts'
import { startsByCounts } from './easy-by-counts.ts'
import { numbered, run } from './random-runs.ts'

const queue = { backfill: 'easy', window: 50, reservation: 'movable' } as const
const options = { ...anyNodeWillDo, queue }

describe('EASY with a movable reservation', () => {
  /**
   * The head has a reservation of nodes 0 to 11. The job behind the head takes four of these nodes; nodes 4 to 15 are
   * also enough for the head.
   */
  const few = numbered([
    { submit: 0, size: 2, runTime: 10_000, walltime: 10_000 },
    { submit: 0, size: 10, runTime: 20_000, walltime: 20_000 },
    { submit: 0, size: 12, runTime: 5000, walltime: 5000 },
    { submit: 0, size: 4, runTime: 100_000, walltime: 100_000 },
  ])

  it.each(['exact', 'requested'] as const)(
    'EASY starts every job as the model by counts does if all free nodes are equivalent: estimates %s',
    (estimates) => {
      fc.assert(
        fc.property(fc.array(job, { minLength: 1, maxLength: 40 }), (list) => {
          const jobs = numbered(list)
          expect(startsOf({ ...options, jobs, estimates })).toEqual(startsByCounts(counted(jobs, estimates), NODES))
        }),
        { numRuns: 300 },
      )
    },
  )

  it('EASY gives reserved nodes to a job if the head can be placed elsewhere, and records the new placement', () => {
    const jobs = numbered([
      { submit: 0, size: 4, runTime: 1000, walltime: 1000 },
      { submit: 0, size: 8, runTime: 10_000, walltime: 10_000 },
      { submit: 1000, size: 12, runTime: 5000, walltime: 5000 },
      { submit: 1000, size: 4, runTime: 100_000, walltime: 100_000 },
    ])
    const said = run({ ...options, jobs }).records.flatMap((record) => {
      if (record.type === 'reserve') return [`reserve ${record.nodes} at ${record.start}`]
      if (record.type === 'unreserve') return ['unreserve']
      return record.type === 'allocate' && record.t === 1 ? [`start ${record.job} on ${record.nodes}`] : []
    })
    expect(said).toEqual(['reserve 0-11 at 10', 'unreserve', 'reserve 4-15 at 10', 'start 4 on 0-3'])
    expect(startsOf({ ...options, jobs })[3]).toBe(1000)
    const fixed = { backfill: 'easy', window: 50 } as const
    expect(run({ ...options, jobs, queue: fixed }).records.filter(({ type }) => type === 'unreserve')).toEqual([])
  })

  it('EASY does not start a job that would leave too few nodes for the head', () => {
    expect(
      startsOf({ ...options, jobs: few.map((each, at) => (at === 2 ? { ...each, size: 14 } : each)) })[3],
    ).toBeGreaterThan(0)
  })

  it('the reservation of EASY is fixed under the option `kill`', () => {
    const jobs = few
    const kill = { backfill: 'easy', window: 50, kill: true } as const
    const bytes = run({ ...options, jobs, queue: kill }).records.slice(1)
    const both = run({ ...options, jobs, queue: { ...kill, reservation: 'movable' } }).records.slice(1)
    const decisions = (records: typeof bytes): string => JSON.stringify(records.filter(({ type }) => type !== 'seal'))
    expect(decisions(both)).toBe(decisions(bytes))
  })

  it.each([true, false])(
    'EASY asks once for all jobs of one request key that delay the head only if placesByKey is true: placesByKey %s',
    (placesByKey) => {
      const asked: string[] = []
      const listened: PlacementPolicy<any, any> = {
        ...jigsaw,
        make: (topology, config) => {
          const placer = jigsaw.make(topology, config)
          if ('unsupported' in placer) return placer
          const { claims, index } = placer
          return {
            claims,
            ...(index && { index }),
            placesByKey,
            place: (state, request, own) => {
              if (request.now === 1000 && state.freeNodes < NODES) asked.push(`${request.purpose} ${request.job}`)
              return placer.place(state, request, own)
            },
          }
        },
      }
      // When job 1 ends, three whole leaves are free. The head needs two leaves in one pod. A job behind the head would
      // take a node there.
      const jobs = numbered([
        { submit: 0, size: 2, runTime: 10_000, walltime: 10_000 },
        { submit: 0, size: 4, runTime: 90_000, walltime: 90_000 },
        { submit: 0, size: 4, runTime: 90_000, walltime: 90_000 },
        { submit: 0, size: 2, runTime: 90_000, walltime: 90_000 },
        { submit: 1000, size: 5, runTime: 5000, walltime: 5000 },
        ...Array.from({ length: 4 }, () => ({ submit: 1000, size: 1, runTime: 90_000, walltime: 90_000 })),
      ])
      const starts = startsOf({ ...options, policy: listened, jobs })
      expect(starts[4]).toBe(10_000)
      expect(Math.min(...starts.slice(5))).toBe(10_000)
      const own = asked.filter((question) => /^start [6-9]$/.test(question))
      expect(own).toEqual(placesByKey ? ['start 6'] : ['start 6', 'start 7', 'start 8', 'start 9'])
    },
  )

  it('if a rule keeps links apart, EASY asks for a placement of the head even if no reserved node is taken', () => {
    const asked: string[] = []
    const ruled: PlacementPolicy<any, any> = {
      ...jigsaw,
      make: (topology, config) => {
        const placer = jigsaw.make(topology, config)
        if ('unsupported' in placer) return placer
        const claims: Claims = { ...placer.claims, links: 'rule', rule: 'made-up' }
        return {
          ...placer,
          claims,
          place: (state, request, index) => {
            asked.push(`${request.purpose} ${request.job}`)
            return placer.place(state, request, index)
          },
        }
      },
    }
    startsOf({ ...options, policy: ruled, jobs: few })
    // The first question makes the reservation; the second asks for a placement of the head beside a later job.
    expect(asked.filter((question) => question === 'reserve 3').length).toBeGreaterThan(1)
  })
})
