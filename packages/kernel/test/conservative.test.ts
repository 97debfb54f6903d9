import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { simulate, type Simulation } from '../src/index.ts'
import { conservativeRuns, numbered, run } from './random-runs.ts'

it('under conservative backfilling, each job starts no later than its first reservation, with exact estimates that do not vary and without outages', () => {
  const sound = conservativeRuns
    .filter(({ runTimes }) => runTimes === undefined)
    .map((options) => ({ ...options, queue: { ...options.queue }, estimates: 'exact' as const, outages: [] }))
  fc.assert(
    fc.property(sound, (options) => {
      const reserved = new Map<string, number>()
      for (const record of run(options).records) {
        if (record.type === 'reserve' && !reserved.has(record.job)) reserved.set(record.job, record.start)
        if (record.type === 'allocate')
          expect(record.t, `job ${record.job}`).toBeLessThanOrEqual(reserved.get(record.job) ?? Infinity)
      }
    }),
    { numRuns: 150 },
  )
})

it('under conservative backfilling, every job starts despite outages and repairs', () => {
  fc.assert(
    fc.property(conservativeRuns, (options) => {
      const { totals } = run(options)
      expect(totals.finished + totals.killed).toBe(totals.started)
      if (options.requeue !== true) expect(totals.started + totals.rejected + totals.cancelled).toBe(totals.submitted)
    }),
    { numRuns: 150 },
  )
})

it('two simulations of one input under conservative backfilling write the same bytes', () => {
  fc.assert(
    fc.property(conservativeRuns, (options) => {
      expect(run(options).text).toBe(run(options).text)
    }),
    { numRuns: 30 },
  )
})

it('under conservative backfilling, decisions are equal with and without remembered answers of the policy', () => {
  const forgetful = (simulation: Simulation<any>): Simulation<any> => {
    const { placer } = simulation
    const place: typeof placer.place = (state, request, index) => placer.place(state, request, index)
    const { index, linkCapacity, claims } = placer
    return {
      ...simulation,
      placer: {
        claims: { ...claims, monotone: false },
        place,
        ...(index && { index }),
        ...(linkCapacity !== undefined && { linkCapacity }),
      },
    }
  }
  const busy = fc
    .array(conservativeRuns, { minLength: 6, maxLength: 6 })
    .map(([first, ...others]) => ({
      ...first,
      jobs: numbered(
        [first, ...others].flatMap(({ jobs }) => jobs.map((job) => ({ ...job, size: Math.min(job.size, 12) }))),
      ),
    }))
  fc.assert(
    fc.property(busy, (options) => {
      expect(run(options, simulate, forgetful).text).toBe(run(options).text)
    }),
    { numRuns: 40 },
  )
})
