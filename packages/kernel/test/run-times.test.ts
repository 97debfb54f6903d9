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

/** A job takes `factors[job]` times as long where its first node is `node`. */
const slowedAt =
  (node: number, factors: Readonly<Record<string, number>>): RunTimes =>
  (_, { job }, placement, time) =>
    placement.nodes[0] === node ? time * (factors[job] ?? 1) : time

function options(backfill: 'easy' | 'conservative', jobs: ReadonlyArray<JobLine>, runTimes: RunTimes): RunOptions {
  return {
    topology: 'radix:4',
    policy: baseline,
    config: {},
    queue: { order: 'submit', backfill, window: 50 },
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
  it('lets no job pass that would take too long where there is room, and each that would not', () => {
    // Job 3 takes 10 s by itself, 11 s on node 8; job 4 takes 12 s, 6 s there.
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

  it('lets a job pass that takes too long for the shadow time, but leaves what is reserved', () => {
    // Baseline puts job 2 on 0-11, and 3 next to it.
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
  it('starts a job at its time even where it takes longer, and makes new reservations for what is behind it', () => {
    // Job 2 takes 8 s instead of 5 on its reservation.
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

  it('makes a job wait that at its time would meet the reservation of one before it', () => {
    // Node 12 is reserved for job 3 before job 2 needs all, but would be 9 s there.
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

describe('a run in which times depend on the placement', () => {
  const anyRuns = fc.oneof(runs, conservativeRuns).map((each): RunOptions => ({ ...each, runTimes: varied }))

  it('passes the audit, and ends each job when its start said', () => {
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

  it("leaves users' estimates as they are", () => {
    fc.assert(
      fc.property(anyRuns, (given) => {
        for (const record of run({ ...given, estimates: 'requested' }).records)
          if (record.type === 'allocate') expect(record.estimate).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  it('is the same to the byte as without, where they do not', () => {
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
