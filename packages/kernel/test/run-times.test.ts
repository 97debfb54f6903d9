import { auditLog } from '@cloister/audit'
import type { LogRecord } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { baseline } from '@cloister/policy-baseline'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunTimes } from '../src/index.ts'
import { communicating, conservativeRuns, numbered, run, type RunOptions, runs, varied } from './random-runs.ts'

/** [submit, size, run time] in seconds, on 16 nodes. */
type JobLine = readonly [number, number, number]

/** Returns `factors[job]` times the run time if the first node of the placement is `node`. */
const slowedAt =
  (node: number, factors: Readonly<Record<string, number>>): RunTimes =>
  (_, { job }, placement, time) =>
    placement.nodes[0] === node ? time * (factors[job] ?? 1) : time

function options(backfill: 'easy' | 'conservative', jobs: ReadonlyArray<JobLine>, runTimes: RunTimes): RunOptions {
  return {
    topology: 'radix:4',
    policy: baseline,
    config: {},
    queue: { backfill, window: 50 },
    estimates: 'exact',
    overrun: 'run-on',
    refusals: true,
    runTimes,
    jobs: numbered(
      jobs.map(([submit, size, runTime]) => ({
        submit: submit * 1000,
        size,
        runTime: runTime * 1000,
        walltime: undefined,
      })),
    ),
  }
}

function said(record: LogRecord): string | undefined {
  switch (record.type) {
    case 'allocate':
      return `${record.t} start ${record.job} on ${record.nodes}${record.estimate === undefined ? '' : ` for ${record.estimate}`}`
    case 'reserve':
      return `${record.t} reserve ${record.job} at ${record.start}`
    case 'unreserve':
    case 'finish':
      return `${record.t} ${record.type} ${record.job}`
    case 'refuse':
      return record.nearest === undefined
        ? undefined
        : `${record.t} refuse ${record.job}: ${record.constraint}, ${JSON.stringify(record.nearest)}`
    default:
      return undefined
  }
}

function story(given: RunOptions): ReadonlyArray<string> {
  const { bytes, records } = run(given)
  expect(auditLog([bytes], sha256).violations).toEqual([])
  return records.map(said).filter((line) => line !== undefined)
}

describe('EASY', () => {
  it('EASY starts a job behind the head if the job ends by the shadow time on the placement found', () => {
    // Job 3 takes 10 s alone, but 11 s on node 8. Job 4 takes 12 s alone, but 6 s on node 8.
    expect(
      story(
        options(
          'easy',
          [
            [0, 8, 10],
            [0, 16, 5],
            [0, 8, 10],
            [0, 8, 12],
          ],
          slowedAt(8, { 3: 1.1, 4: 0.5 }),
        ),
      ),
    ).toEqual([
      '0 start 1 on 0-7',
      '0 refuse 2: free nodes, {"have":8,"need":16}',
      '0 reserve 2 at 10',
      '0 refuse 3: reservation of job 2, {"start":10,"end":11}',
      '0 start 4 on 8-15 for 6',
      '6 finish 4',
      '10 finish 1',
      '10 start 2 on 0-15',
      '10 refuse 3: free nodes, {"have":0,"need":8}',
      '10 reserve 3 at 15',
      '15 finish 2',
      '15 start 3 on 0-7',
      '25 finish 3',
    ])
  })

  it('EASY starts a job behind the head that ends after the shadow time but uses no reserved node', () => {
    // Baseline places job 2 on nodes 0-11, and job 3 on the next nodes.
    const events = story(
      options(
        'easy',
        [
          [0, 8, 10],
          [0, 12, 5],
          [0, 4, 8],
        ],
        slowedAt(8, { 3: 2 }),
      ),
    )
    expect(events).toContain('0 start 3 on 12-15')
    expect(events).toContain('8 finish 3')
  })
})

describe('conservative backfilling', () => {
  it('a job starts at its reserved time even if its placement makes it longer; later jobs get new reservations', () => {
    // Job 2 takes 8 s instead of 5 s on its reserved nodes.
    expect(
      story(
        options(
          'conservative',
          [
            [0, 16, 10],
            [0, 16, 5],
            [0, 16, 1],
          ],
          slowedAt(0, { 2: 1.6 }),
        ),
      ),
    ).toEqual([
      '0 start 1 on 0-15',
      '0 refuse 2: free nodes, {"have":0,"need":16}',
      '0 reserve 2 at 10',
      '0 refuse 3: free nodes, {"have":0,"need":16}',
      '0 reserve 3 at 15',
      '10 finish 1',
      '10 unreserve 3',
      '10 start 2 on 0-15 for 8',
      '10 reserve 3 at 18',
      '18 finish 2',
      '18 start 3 on 0-15',
      '19 finish 3',
    ])
  })

  it('a job whose placement makes it overlap the reservation of an earlier job does not start at its reserved time', () => {
    // Nodes 12-15 are reserved for job 4 from 4 s on, and all nodes for job 3 from 10 s on. Job 4 would take 9 s on
    // node 12.
    const lines = story(
      options(
        'conservative',
        [
          [0, 12, 10],
          [0, 4, 4],
          [0, 16, 5],
          [0, 4, 6],
        ],
        slowedAt(12, { 4: 1.5 }),
      ),
    )
    expect(lines).toContain('0 reserve 3 at 10')
    expect(lines).toContain('0 reserve 4 at 4')
    expect(lines).toContain('4 unreserve 4')
    expect(lines).toContain('4 reserve 4 at 15')
    expect(lines).toContain('10 start 3 on 0-15')
  })
})

describe('a run with run times that depend on the placement', () => {
  const anyRuns = fc.oneof(runs, conservativeRuns).map((each): RunOptions => ({ ...each, runTimes: varied }))

  it('a run with run times by placement passes the audit, and each job ends at the time computed at its start', () => {
    let moved = 0
    fc.assert(
      fc.property(anyRuns, (given) => {
        const { bytes, records } = run(given)
        expect(auditLog([bytes], sha256).violations).toEqual([])
        moved += records.filter((record) => record.type === 'allocate' && record.estimate !== undefined).length
      }),
      { numRuns: 200 },
    )
    expect(moved).toBeGreaterThan(0)
  })

  it("run times by placement leave users' estimates unchanged", () => {
    fc.assert(
      fc.property(anyRuns, (given) => {
        for (const record of run({ ...given, estimates: 'requested' }).records)
          if (record.type === 'allocate') expect(record.estimate).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  it('if `runTimes` returns each run time unchanged, the log has the same bytes as without `runTimes`', () => {
    const body = ({ text }: { readonly text: string }): string =>
      text.slice(text.indexOf('\n')).replaceAll(/"hash":"[^"]*"/g, '')
    fc.assert(
      fc.property(
        fc.oneof(runs, conservativeRuns).filter(({ runTimes }) => runTimes === undefined),
        (random) => {
          const given = { ...random, jobs: communicating(random.jobs) }
          expect(body(run({ ...given, runTimes: (_state, _request, _placement, time) => time }))).toBe(body(run(given)))
        },
      ),
      { numRuns: 100 },
    )
  })
})
