import type { LogRecord } from '@cloister/eventlog'
import type { PlacementPolicy, Placer } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { numbered, run, type RunOptions, runs } from './random-runs.ts'

it('backfilling without reservations starts every job when EASY does, if all jobs outlive an estimate of a millisecond', () => {
  const startsUnder = (options: RunOptions, backfill: 'easy' | 'unreserved'): ReadonlyArray<string> =>
    run({
      ...options,
      queue: { backfill, window: 3 },
      jobs: options.jobs.map((job) => ({ ...job, walltime: 1 })),
      estimates: 'requested',
      overrun: 'run-on',
      outages: [],
      refusals: false,
    }).records.flatMap((record) => (record.type === 'allocate' ? [`${record.t} ${record.job} ${record.nodes}`] : []))
  fc.assert(
    fc.property(runs, (options) => {
      expect(startsUnder(options, 'unreserved')).toEqual(startsUnder(options, 'easy'))
    }),
    { numRuns: 50 },
  )
})

/** [submit, size, run time, walltime?], in seconds, on 16 nodes. */
type JobLine = readonly [number, number, number, number?]

const KILL = { backfill: 'easy', window: 50, kill: true } as const

function decisions(jobs: ReadonlyArray<JobLine>, options: Partial<RunOptions> = {}): ReadonlyArray<string> {
  const { records } = run({
    topology: 'radix:4',
    policy: baseline,
    config: {},
    queue: { backfill: 'easy', window: 50 },
    estimates: 'exact',
    overrun: 'run-on',
    refusals: false,
    ...options,
    jobs: numbered(
      jobs.map(([submit, size, runTime, walltime]) => ({
        submit: submit * 1000,
        size,
        runTime: runTime * 1000,
        walltime: walltime === undefined ? undefined : walltime * 1000,
      })),
    ),
  })
  return records.map(said).filter((line) => line !== undefined)
}

function said(record: LogRecord): string | undefined {
  switch (record.type) {
    case 'allocate':
      return `${record.t} start ${record.job}${record.backfill === undefined ? '' : ' backfilled'}`
    case 'reserve':
      return `${record.t} reserve ${record.job} at ${record.start}`
    case 'unreserve':
    case 'kill':
    case 'finish':
      return `${record.t} ${record.type} ${record.job}`
    case 'reject':
      return `${record.t} reject ${record.job}: ${record.code}, ${record.constraint}`
    default:
      return undefined
  }
}

describe('EASY', () => {
  it('EASY starts a job behind the head that ends by the shadow time', () => {
    expect(
      decisions([
        [0, 10, 10],
        [0, 16, 5],
        [0, 6, 10],
        [0, 6, 11],
      ]),
    ).toEqual([
      '0 start 1',
      '0 reserve 2 at 10',
      '0 start 3 backfilled',
      '10 finish 1',
      '10 finish 3',
      '10 start 2',
      '10 reserve 4 at 15',
      '15 finish 2',
      '15 start 4',
      '26 finish 4',
    ])
  })

  it('EASY with a fixed reservation starts a longer job only beside the reserved nodes', () => {
    // Nodes 0-11 are reserved for the head. A job that ends after the shadow time may use only nodes 12-15.
    expect(
      decisions([
        [0, 10, 10],
        [0, 12, 5],
        [0, 5, 100],
        [0, 4, 100],
      ]),
    ).toEqual([
      '0 start 1',
      '0 reserve 2 at 10',
      '0 start 4 backfilled',
      '10 finish 1',
      '10 start 2',
      '10 reserve 3 at 15',
      '15 finish 2',
      '15 start 3',
      '100 finish 4',
      '115 finish 3',
    ])
  })

  it('EASY tries only the jobs of the window', () => {
    const jobs: ReadonlyArray<JobLine> = [
      [0, 10, 10],
      [0, 16, 5],
      [0, 16, 5],
      [0, 1, 1],
    ]
    expect(decisions(jobs, { queue: { backfill: 'easy', window: 1 } })).not.toContain('0 start 4 backfilled')
    expect(decisions(jobs, { queue: { backfill: 'easy', window: 2 } })).toContain('0 start 4 backfilled')
  })

  it('EASY asks for the reserved placement in a state without all jobs that end by the shadow time', () => {
    expect(
      decisions([
        [0, 8, 10],
        [0, 8, 10],
        [0, 16, 1],
      ]).slice(0, 3),
    ).toEqual(['0 start 1', '0 start 2', '0 reserve 3 at 10'])
  })

  it('EASY moves the reservation of the head earlier after an early end', () => {
    expect(
      decisions(
        [
          [0, 10, 4, 10],
          [0, 6, 5, 5],
          [0, 16, 1, 1],
        ],
        { estimates: 'requested' },
      ),
    ).toEqual([
      '0 start 1',
      '0 start 2',
      '0 reserve 3 at 10',
      '4 finish 1',
      '4 unreserve 3',
      '4 reserve 3 at 5',
      '5 finish 2',
      '5 start 3',
      '6 finish 3',
    ])
  })

  it('EASY moves the reservation later only if a job passes its estimate; its end is then expected a second later', () => {
    expect(
      decisions(
        [
          [0, 10, 8, 5],
          [0, 16, 1, 1],
          [6, 1, 1, 1],
        ],
        { estimates: 'requested' },
      ),
    ).toEqual([
      '0 start 1',
      '0 reserve 2 at 5',
      '6 unreserve 2',
      '6 reserve 2 at 7',
      '6 start 3 backfilled',
      '7 finish 3',
      '7 unreserve 2',
      '7 reserve 2 at 8',
      '8 finish 1',
      '8 start 2',
      '9 finish 2',
    ])
  })

  it('with the option `overrun: kill`, a job is killed at the end of its estimate', () => {
    expect(
      decisions(
        [
          [0, 16, 8, 5],
          [0, 16, 1, 1],
        ],
        { estimates: 'requested', overrun: 'kill' },
      ),
    ).toEqual(['0 start 1', '0 reserve 2 at 5', '5 kill 1', '5 start 2', '6 finish 2'])
  })

  it('with `kill`, a job that passed the head is killed although it would come first in queue order by now', () => {
    // Job 3 passes job 2 at 1 s. At the reservation of job 2, job 3 has the greater UNICEF score: 9/16 against 10/40.
    const jobs: ReadonlyArray<JobLine> = [
      [0, 12, 10],
      [0, 16, 10],
      [1, 4, 19, 8],
    ]
    const options = { queue: KILL, order: 'unicef', estimates: 'requested' } as const
    const untilKill = [
      '0 start 1',
      '0 reserve 2 at 10',
      '1 start 3 backfilled',
      '10 finish 1',
      '10 kill 3',
      '10 start 2',
    ]
    expect(decisions(jobs, options)).toEqual([...untilKill, '20 finish 2'])
    expect(decisions(jobs, { ...options, requeue: true })).toEqual([
      ...untilKill,
      '10 reserve 3 at 20',
      '20 finish 2',
      '20 start 3',
      '39 finish 3',
    ])
  })

  it('with `kill`, a job is not killed for a job that was submitted after its start', () => {
    // In the order `shortest`, job 3 passes job 2. Job 4 comes before both jobs, but job 3 did not start ahead of job 4.
    const jobs: ReadonlyArray<JobLine> = [
      [0, 12, 10],
      [1, 16, 3],
      [1, 4, 20, 5],
      [2, 16, 2],
    ]
    expect(decisions(jobs, { queue: KILL, order: 'shortest', estimates: 'requested' })).toEqual([
      '0 start 1',
      '1 reserve 2 at 10',
      '1 start 3 backfilled',
      '2 unreserve 2',
      '2 reserve 4 at 10',
      '10 finish 1',
      '21 finish 3',
      '21 start 4',
      '21 reserve 2 at 23',
      '23 finish 4',
      '23 start 2',
      '26 finish 2',
    ])
  })

  it('EASY starts jobs behind the head while the policy refuses the head even after all ends', () => {
    const unpromising: PlacementPolicy<any> = {
      ...baseline,
      make: (topology, config) => {
        const placer = baseline.make(topology, config) as Placer
        return {
          claims: placer.claims,
          place: (state, request) =>
            request.purpose === 'reserve'
              ? { ok: false, code: 'no-placement', constraint: 'no reservations' }
              : placer.place(state, request, undefined),
        }
      },
    }
    expect(
      decisions(
        [
          [0, 10, 3],
          [0, 16, 1],
          [0, 1, 9],
        ],
        { policy: unpromising },
      ),
    ).toEqual(['0 start 1', '0 start 3', '3 finish 1', '9 finish 3', '9 start 2', '10 finish 2'])
  })
})

/** Nodes on which a job of each size may run: the first set of free nodes counts. */
const nodesOfSize: Readonly<Record<number, ReadonlyArray<ReadonlyArray<number>>>> = {
  2: [[4, 5]],
  4: [[0, 1, 2, 3]],
  5: [[0, 1, 2, 3, 4]],
  6: [
    [0, 1, 2, 3, 4, 6],
    [0, 1, 2, 3, 6, 7],
  ],
}
const onFewSets: PlacementPolicy<any> = {
  ...baseline,
  make: (topology, config) => ({
    claims: { ...(baseline.make(topology, config) as Placer).claims, anyFreeNodes: false },
    place(state, { nodes: size }) {
      const nodes = nodesOfSize[size].find((each) => each.every((node) => state.isNodeFree(node)))
      return nodes === undefined
        ? { ok: false, code: 'no-placement', constraint: 'a set of free nodes' }
        : { ok: true, nodes, links: [] }
    },
  }),
}

it('EASY forgets which placements block the earlier head if a new head has the same shadow time', () => {
  // Job 3 blocks job 2, which may run on one set of nodes only. Job 4 comes first in queue order, and may move.
  const jobs: ReadonlyArray<JobLine> = [
    [0, 4, 100],
    [1, 5, 50],
    [1, 2, 1000],
    [10, 6, 20],
  ]
  const queue = { backfill: 'easy', window: 50, reservation: 'movable' } as const
  expect(decisions(jobs, { policy: onFewSets, queue, order: 'shortest' }).slice(0, 6)).toEqual([
    '0 start 1',
    '1 reserve 2 at 100',
    '10 unreserve 2',
    '10 reserve 4 at 100',
    '10 unreserve 4',
    '10 reserve 4 at 100',
  ])
  expect(decisions(jobs, { policy: onFewSets, queue, order: 'shortest' })).toContain('10 start 3 backfilled')
})

describe('first come, first served', () => {
  it('under first come, first served, no job passes the head', () => {
    expect(
      decisions(
        [
          [0, 10, 10],
          [0, 16, 5],
          [0, 6, 1],
        ],
        { queue: { backfill: 'none' } },
      ),
    ).toEqual(['0 start 1', '10 finish 1', '10 start 2', '15 finish 2', '15 start 3', '16 finish 3'])
  })
})

describe('an instant', () => {
  it('jobs of zero length end in further rounds of the instant of their start', () => {
    expect(
      decisions([
        [3, 16, 0],
        [3, 16, 0],
        [3, 16, 2],
      ]),
    ).toEqual([
      '3 start 1',
      '3 reserve 2 at 3',
      '3 finish 1',
      '3 start 2',
      '3 reserve 3 at 3',
      '3 finish 2',
      '3 start 3',
      '5 finish 3',
    ])
  })

  it('at one instant, jobs finish in submit order before jobs start', () => {
    expect(
      decisions([
        [0, 6, 5],
        [0, 10, 5],
        [5, 16, 1],
      ]),
    ).toEqual(['0 start 1', '0 start 2', '5 finish 1', '5 finish 2', '5 start 3', '6 finish 3'])
  })
})

it('the kernel rejects a job at submit if the policy cannot place the job on the empty machine', () => {
  expect(
    decisions([
      [0, 17, 1],
      [0, 1, 1],
    ]),
  ).toEqual(['0 reject 1: never, machine size', '0 start 2', '1 finish 2'])
})
