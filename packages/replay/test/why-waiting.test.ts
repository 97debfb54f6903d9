import { type Header, type LogRecord, LogState } from '@cloister/eventlog'
import { conservativeRuns, numbered, run, type RunOptions, runs } from '@cloister/kernel/random-runs'
import { bindPolicy } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { largestFit, whyWaiting } from '../src/index.ts'

/** A job of zero length ends after the pass. Conservative backfilling then keeps a reservation at a later time. */
function hasLengths({ jobs }: RunOptions): boolean {
  return jobs.every(({ runTime }) => runTime > 0)
}

/** Runs with a window for all jobs, and without late jobs. After each instant, every job that may start has started. */
const foreseen = fc
  .oneof({ weight: 2, arbitrary: runs }, { weight: 1, arbitrary: conservativeRuns.filter(hasLengths) })
  .filter(
    ({ queue, config, outages }) =>
      (config as { maxSteps?: number }).maxSteps === undefined &&
      !('kill' in queue) &&
      outages?.length === 0 &&
      (queue.backfill === 'none' || queue.window === 50),
  )
  .map((options): RunOptions => ({ ...options, estimates: 'exact', cancellations: [] }))

function* momentsOf(
  records: ReadonlyArray<LogRecord>,
): Generator<{ readonly state: LogState; readonly next: LogRecord }> {
  const state = new LogState(records[0] as Header)
  for (const record of records.slice(1)) {
    yield { state, next: record }
    state.apply(record)
  }
}

const placerOf = ({ topology, policy, config }: RunOptions) =>
  bindPolicy(policy, parseTopology(topology), config).placer

describe('whyWaiting', () => {
  it('finds a reason for every job that still waits at the end of an instant', () => {
    // If run times depend on placements, a job may fit at the end of a pass although the pass refused the job.
    const everywhereTheSame = foreseen.filter(({ runTimes }) => runTimes === undefined)
    fc.assert(
      fc.property(everywhereTheSame, (options) => {
        const placer = placerOf(options)
        for (const { state, next } of momentsOf(run(options).records)) {
          if (!('t' in next) || next.t === state.t || state.waiting.size === 0) continue
          const waiting = whyWaiting(state, placer, 1000)
          expect(waiting.map(({ submit }) => submit.job).toSorted()).toEqual([...state.waiting.keys()].toSorted())
          expect(waiting.filter(({ reason }) => reason.kind === 'fits')).toEqual([])
          const others = options.queue.backfill === 'none' ? 'outside' : 'window'
          expect(waiting.map(({ place }) => place)).toEqual(
            waiting.map(({ submit: { eligible = 0 } }, rank) =>
              eligible > state.t ? 'early' : rank === 0 ? 'head' : others,
            ),
          )
        }
      }),
      { numRuns: 100 },
    )
  })

  it('gives the kind "fits" for a job that starts next', () => {
    fc.assert(
      fc.property(foreseen, (options) => {
        const placer = placerOf(options)
        for (const { state, next } of momentsOf(run(options).records)) {
          if (next.type !== 'allocate') continue
          expect(
            whyWaiting(state, placer, 1000, options.runTimes).find(({ submit }) => submit.job === next.job)?.reason,
          ).toEqual({ kind: 'fits' })
        }
      }),
      { numRuns: 100 },
    )
  })

  it('gives the kind "fits" for a job that starts on its reservation beside the reservation of a second job', () => {
    // Before, `whyWaiting` named the reservation of job 4, which the policy keeps clear only with other nodes.
    const jobs = numbered(
      [
        [4, 2, 7, undefined],
        [5, 4, 6, undefined],
        [10, 2, 1, 0],
        [10, 42, 0, undefined],
        [11, 13, 0, undefined],
      ].map(([submit, size, runTime, walltime]) => ({
        submit: submit! * 1000,
        size: size!,
        runTime: runTime! * 1000,
        walltime,
      })),
    )
    const options: RunOptions = {
      topology: 'radix:6',
      policy: jigsaw,
      config: { order: 'sparsest-first' },
      jobs,
      queue: { backfill: 'conservative', window: 4 },
      order: 'smallest',
      estimates: 'requested',
      overrun: 'run-on',
      refusals: false,
    }
    const placer = placerOf(options)
    for (const { state, next } of momentsOf(run(options).records)) {
      if (next.type !== 'allocate') continue
      const reason = whyWaiting(state, placer, 1000).find(({ submit }) => submit.job === next.job)?.reason
      expect(reason).toEqual({ kind: 'fits' })
    }
  })

  it('counts a failure at the request key of a job as a refusal of every tried job', () => {
    const failing = () => {
      throw new Error('no key')
    }
    const placer = { ...bindPolicy(baseline, parseTopology('radix:4')).placer, requestKey: failing }
    const jobs = numbered([12, 12, 1].map((size, at) => ({ submit: at, size, runTime: 9000, walltime: undefined })))
    const queue = { backfill: 'easy', window: 5 } as const
    const more = { estimates: 'exact', overrun: 'run-on', refusals: false } as const
    const options: RunOptions = { topology: 'radix:4', policy: baseline, config: {}, jobs, queue, ...more }
    let asked = 0
    for (const { state } of momentsOf(run(options).records)) {
      if (state.waiting.size !== 2) continue
      const refused = { kind: 'refused', refusal: { constraint: expect.stringContaining('no key') } }
      expect(whyWaiting(state, placer, 9)).toMatchObject([{ reason: refused }, { reason: refused }])
      asked++
    }
    expect(asked).toBeGreaterThan(0)
  })

  it('names a refusal, a reservation in the way, and jobs that no pass tries', () => {
    // 16 nodes: job 1 holds 12 nodes until 100 s; job 2 waits for all nodes; job 3 fits but runs too long; job 4 is
    // behind the window.
    const jobs = numbered(
      [
        [12, 100],
        [16, 10],
        [4, 200],
        [5, 1],
      ].map(([size, seconds], at) => ({ submit: at, size, runTime: seconds * 1000, walltime: undefined })),
    )
    const options: RunOptions = {
      topology: 'radix:4',
      policy: jigsaw,
      config: {},
      jobs,
      queue: { backfill: 'easy', window: 1 },
      estimates: 'exact',
      overrun: 'run-on',
      refusals: false,
    }
    const after = [...momentsOf(run(options).records)]
      .filter(({ next }) => 't' in next && next.t >= 100)
      .map(({ state }) => state)[0]
    const before = new LogState(after.header)
    for (const record of run(options).records.slice(1)) if ('t' in record && record.t < 100) before.apply(record)
    const reasons = whyWaiting(before, placerOf(options), 10)
    expect(reasons).toMatchObject([
      { submit: { job: '2' }, place: 'head', reason: { kind: 'refused', refusal: { code: 'too-few-nodes', free: 4 } } },
      { submit: { job: '3' }, place: 'window', reason: { kind: 'would-delay', job: '2' } },
      { submit: { job: '4' }, place: 'outside', reason: { kind: 'not-tried' } },
    ])
    expect(whyWaiting(before, placerOf(options), 1)).toHaveLength(1)
    expect(largestFit(before, placerOf(options)).nodes).toBe(4)
  })
})

describe('largestFit', () => {
  it('returns at most the number of free nodes, and exactly this number unless the policy is Jigsaw', () => {
    fc.assert(
      fc.property(foreseen, fc.nat(), (options, at) => {
        const placer = placerOf(options)
        const { records } = run(options)
        const state = new LogState(records[0] as Header)
        for (const record of records.slice(1, 1 + (at % records.length))) state.apply(record)
        const largest = largestFit(state, placer).nodes
        expect(largest).toBeLessThanOrEqual(state.freeNodes.size)
        if (options.policy !== jigsaw) expect(largest).toBe(state.freeNodes.size)
        expect(largest > 0).toBe(state.freeNodes.size > 0)
      }),
      { numRuns: 100 },
    )
  })
})
