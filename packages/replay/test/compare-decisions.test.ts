import { conservativeRuns, numbered, run, type RunOptions, runs } from '@cloister/kernel/random-runs'
import { bindPolicy, type PlacementPolicy } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareDecisions, type DecisionDifference, recordedInputs } from '../src/index.ts'

function ask(options: RunOptions, policy: PlacementPolicy<any, any>, config: unknown) {
  const { records } = run(options)
  const { placer } = bindPolicy(policy, parseTopology(options.topology), config)
  const differences: Array<DecisionDifference> = []
  const { counts } = compareDecisions(
    recordedInputs(records),
    records,
    placer,
    (difference) => differences.push(difference),
    options.runTimes,
  )
  return { counts, differences, starts: records.filter(({ type }) => type === 'allocate').length }
}

describe('compareDecisions', () => {
  it("finds no difference if asked with the log's own policy, in runs with exact estimates and without outages", () => {
    const foreseen = runs
      .filter(
        ({ policy, config, queue, outages }) =>
          (config as { maxSteps?: number }).maxSteps === undefined &&
          !('kill' in queue) &&
          outages?.length === 0 &&
          policy !== undefined,
      )
      .map((options): RunOptions => ({ ...options, estimates: 'exact', cancellations: [] }))
    fc.assert(
      fc.property(foreseen, (options) => {
        const { counts, starts } = ask(options, options.policy, options.config)
        // If run times depend on placements, the end of a pass may allow a placement that the pass refused before.
        const startsNow = options.runTimes === undefined ? 0 : counts.starts
        expect(counts).toEqual({ same: starts, elsewhere: 0, refuses: 0, starts: startsNow, accepts: 0 })
      }),
      { numRuns: 200 },
    )
  })

  it('regression: a job that passed the head without a reservation counts as a job of the window', () => {
    const jobs = numbered(
      [
        [0, 4, 3000],
        [0, 13, 0],
        [0, 13, 0],
        [0, 1, 0],
        [2000, 3, 1000],
        [2000, 10, 0],
        [2000, 1, 0],
      ].map(([submit, size, runTime]) => ({ submit, size, runTime, walltime: undefined })),
    )
    const queue = { backfill: 'unreserved', window: 3 } as const
    const rules = { estimates: 'exact', overrun: 'run-on', refusals: false } as const
    const { counts } = ask({ topology: 'radix:4', policy: baseline, config: {}, jobs, queue, ...rules }, baseline, {})
    expect(counts).toMatchObject({ same: 7, starts: 0 })
  })

  it('finds every start of a conservative run again with the same policy, also after overruns and cancellations', () => {
    // Before, only the policy was asked, without the reservations of other jobs: some starts then had other nodes.
    const runsWithoutOutages = conservativeRuns.filter(
      ({ outages, runTimes }) => outages?.length === 0 && runTimes === undefined,
    )
    fc.assert(
      fc.property(runsWithoutOutages, (options) => {
        const { counts, starts } = ask(options, options.policy, options.config)
        expect(counts).toMatchObject({ same: starts, elsewhere: 0, refuses: 0, accepts: 0 })
      }),
      { numRuns: 200 },
    )
  })

  it('asks any policy about every start, and counts each waiting job at most once as startable', () => {
    fc.assert(
      fc.property(
        runs.filter(({ config }) => !('sharing' in (config as object))),
        (options) => {
          const { counts, differences, starts } = ask(options, options.policy === jigsaw ? baseline : jigsaw, {})
          expect(counts.same + counts.elsewhere + counts.refuses).toBe(starts)
          const started = differences.filter(({ kind }) => kind === 'starts').map(({ job }) => job)
          expect(new Set(started).size).toBe(started.length)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('asks only about the head of the queue at the end of an instant, if an external scheduler made the log', () => {
    const jobs = numbered([15, 16, 1, 1].map((size, at) => ({ submit: at, size, runTime: 9000, walltime: undefined })))
    const queue = { backfill: 'none' } as const
    const more = { estimates: 'exact', overrun: 'run-on', refusals: false } as const
    const { records } = run({ topology: 'radix:4', policy: baseline, config: {}, jobs, queue, ...more })
    const foreign = records.map((record) =>
      record.type === 'header' ? { ...record, options: { ...record.options, queue: 'external' } } : record,
    )
    const { placer } = bindPolicy(baseline, parseTopology('radix:4'))
    const started: Array<string> = []
    compareDecisions(recordedInputs(foreign), foreign, placer, ({ kind, job }) => started.push(`${kind} ${job}`))
    expect(started).toEqual([])
  })

  it('throws a FoldError for a log with a second release of a job', () => {
    const options = fc.sample(runs, { seed: 3, numRuns: 20 }).find(({ jobs }) => jobs.length > 5)!
    const { records } = run({ ...options, policy: baseline, config: {} })
    const release = records.findLast(({ type }) => type === 'release')!
    const forged = records.flatMap((record) => (record === release ? [record, record] : [record]))
    const { placer } = bindPolicy(baseline, parseTopology(options.topology))
    expect(() => compareDecisions(recordedInputs(records), forged, placer, () => {})).toThrow(/is not running/)
  })

  it('finds a job that waits under Jigsaw and that Baseline starts on scattered nodes', () => {
    // 16 nodes, two a leaf: the first four jobs leave one node free on each of four leaves in two pods.
    const jobs = numbered(
      [3, 3, 3, 3, 4].map((size, at) => ({ submit: at, size, runTime: 100_000 - at * 1000, walltime: undefined })),
    )
    const { differences } = ask(
      {
        topology: 'radix:4',
        policy: jigsaw,
        config: {},
        jobs,
        queue: { backfill: 'none' },
        estimates: 'exact',
        overrun: 'run-on',
        refusals: false,
      },
      baseline,
      {},
    )
    expect(differences.find(({ kind }) => kind === 'starts')).toMatchObject({ job: '5', t: 0.004 })
  })
})
