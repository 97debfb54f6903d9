import { auditLog, type AuditReport } from '@cloister/audit'
import type { RecordedEvent } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import type { Placement, PlacementPolicy, Placer, StateView } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulate, type Simulation } from '../src/index.ts'
import {
  changingOrders,
  conservativeRuns,
  drawnOrders,
  jobsOf,
  killingRuns,
  movingRuns,
  numbered,
  run,
  type RunOptions,
  runs,
  varied,
} from './random-runs.ts'
import { referenceSimulate } from './reference-kernel.ts'

function audit(options: RunOptions, wrap?: (simulation: Simulation<any>) => Simulation<any>): AuditReport {
  return auditLog([run(options, simulate, wrap).bytes], sha256)
}

function expectNoFault(options: RunOptions): void {
  const report = audit(options)
  expect(report.violations).toEqual([])
  expect(report.status).toBe('whole')
  // Claims about allocations stay untested if every job was rejected.
  if (report.checked['node-exclusive'] === 0) return
  // A rerun tests run times that depend on communication.
  const claims = report.untestedClaims.map(({ claim }) => claim)
  expect(claims.filter((claim) => claim !== 'runTimes' || options.runTimes === undefined)).toEqual([])
}

describe('the auditor finds no fault in logs of the kernel', () => {
  const hasKill = ({ queue }: RunOptions): boolean => 'kill' in queue && queue.kill === true
  const others = runs.filter((options) => !hasKill(options))
  it('the auditor finds no fault in runs under every queue order, with and without EASY, with outages', () => {
    fc.assert(
      fc.property(others, (options) => expectNoFault(options)),
      { numRuns: 150 },
    )
  })

  it('the auditor finds no fault in runs in which running jobs may move', () => {
    fc.assert(
      fc.property(movingRuns, (options) => expectNoFault(options)),
      { numRuns: 150 },
    )
  })

  it('the auditor finds no fault in runs under EASY with `kill`, which kills backfilled jobs for the reservation', () => {
    fc.assert(
      fc.property(killingRuns(...drawnOrders), (options) => expectNoFault(options)),
      { numRuns: 150 },
    )
  })

  it.each(changingOrders)(
    'the auditor finds no fault in runs under EASY with `kill` in the changing order %s',
    (order) => {
      let kills = 0
      fc.assert(
        fc.property(killingRuns(order), (options) => {
          expectNoFault(options)
          const { records, text } = run(options)
          expect(text).toBe(run(options, referenceSimulate).text)
          kills += records.filter((record) => record.type === 'kill' && record.code === 'reservation').length
        }),
        { numRuns: 60 },
      )
      expect(kills).toBeGreaterThan(20)
    },
  )

  it('the auditor finds no fault in runs under conservative backfilling', () => {
    fc.assert(
      fc.property(conservativeRuns, (options) => expectNoFault(options)),
      { numRuns: 150 },
    )
  })

  it('the auditor finds no fault if a job starts while jobs end, and its placement makes its run longer than planned', () => {
    expectNoFault({
      topology: 'radix:6',
      policy: jigsaw,
      config: { sharing: { capacity: 3000 } },
      queue: { backfill: 'conservative', window: 4, reservation: 'movable' },
      order: 'smallest',
      estimates: 'exact',
      overrun: 'run-on',
      refusals: false,
      outages: [
        { time: 1000, change: 'down', resources: { nodes: [3], links: [] } },
        { time: 4000, change: 'up', resources: { nodes: [3], links: [] } },
      ],
      jobs: jobsOf([0, 3, 5000], [0, 52, 1000], [1000, 2, 3000], [3000, 1, 0]),
      runTimes: varied,
    })
  })
})

describe('a fault that the auditor once found in the kernel does not recur', () => {
  const KILL: RunOptions['queue'] = { backfill: 'easy', window: 50, kill: true }
  const CONSERVATIVE = { backfill: 'conservative', window: 50 } as const
  /** [submit, size, run time, walltime], in seconds, on 16 nodes. */
  const few = (
    queue: RunOptions['queue'],
    jobs: ReadonlyArray<readonly [number, number, number, number]>,
  ): RunOptions => ({
    topology: 'radix:4',
    policy: baseline,
    config: {},
    queue,
    estimates: 'requested',
    overrun: 'run-on',
    requeue: true,
    refusals: false,
    jobs: numbered(
      jobs.map(([submit, size, runTime, walltime]) => ({
        submit: submit * 1000,
        size,
        runTime: runTime * 1000,
        walltime: walltime * 1000,
      })),
    ),
  })

  it('a job was killed for the reservation of a job behind it in the queue, and started again on the reserved nodes', () => {
    expectNoFault(
      few(KILL, [
        [0, 3, 4, 4],
        [3, 15, 4, 4],
        [3, 1, 9, 1],
        [4, 1, 4, 4],
      ]),
    )
  })

  it('a scheduling pass named a reserve record as its cause before the shadow time of that reservation', () => {
    expectNoFault(
      few(CONSERVATIVE, [
        [0, 16, 10, 10],
        [0, 12, 9, 5],
        [0, 12, 5, 5],
      ]),
    )
  })

  it('under conservative backfilling, the start of a job let no further job into the window', () => {
    expectNoFault(
      few({ ...CONSERVATIVE, window: 1 }, [
        [0, 1, 10, 10],
        [0, 1, 10, 10],
      ]),
    )
  })

  it('a new job pushed a job out of the window, and the reservation of the outside job blocked jobs in the window', () => {
    expectNoFault({
      order: 'smallest',
      ...few({ ...CONSERVATIVE, window: 2 }, [
        [0, 13, 12, 12],
        [0, 14, 5, 5],
        [1, 4, 1, 1],
        [1, 4, 1, 1],
      ]),
    })
  })

  it('a job could not start at its reserved time, and its late run overlapped reservations of other jobs', () => {
    expectNoFault(
      few(CONSERVATIVE, [
        [0, 2, 4, 0],
        [0, 8, 12, 12],
        [0, 10, 7, 7],
        [0, 8, 10, 10],
      ]),
    )
  })

  /** Options for a run of these jobs with bandwidths in MB/s, under Jigsaw with links shared up to a capacity. */
  const sharing = (
    capacity: number,
    jobs: Parameters<typeof few>[1],
    bandwidths: ReadonlyArray<number>,
  ): RunOptions => {
    const plain = few(KILL, jobs)
    return {
      ...plain,
      requeue: false,
      policy: jigsaw,
      config: { sharing: { capacity } },
      jobs: plain.jobs.map((job, at) => ({ ...job, bandwidth: bandwidths[at] })),
    }
  }
  const killed = (options: RunOptions): ReadonlyArray<string> =>
    run(options).records.flatMap((record) => (record.type === 'kill' ? [record.job] : []))

  it('a job was killed for a reservation although their common link had enough bandwidth left', () => {
    const options = sharing(
      4000,
      [
        [1, 4, 2, 1],
        [2, 13, 0, 1],
        [2, 3, 2, 2],
        [2, 1, 2, 1],
      ],
      [500, 500, 500, 500],
    )
    expectNoFault(options)
    expect(killed(options)).toEqual(['4'])
  })

  it('a job was killed although earlier kills had freed enough bandwidth of the link', () => {
    const jobs = [
      [0, 6, 0, 1],
      [0, 11, 0, 1],
      [0, 5, 2, 2],
      [0, 3, 2, 1],
      [0, 1, 0, 1],
      [0, 1, 0, 1],
      [0, 1, 0, 1],
    ] as const
    expectNoFault(sharing(2000, jobs, [500, 500, 1500, 500, 500, 500, 500]))
  })

  it('a job was backfilled on link bandwidth that the head needed, after the job that held it overran its estimate', () => {
    const options = sharing(
      2000,
      [
        [0, 9, 3, 1],
        [0, 1, 0, 1],
        [1, 9, 0, 1],
        [1, 8, 0, 2],
        [2, 5, 0, 1],
      ],
      [500, 500, 1000, 500, 1000],
    )
    expectNoFault(options)
  })
})

/** Jobs of many sizes on radix 8: enough for every kind of placement to occur. */
const busy: RunOptions = {
  topology: 'radix:8',
  policy: jigsaw,
  config: {},
  queue: { backfill: 'easy', window: 50 },
  estimates: 'exact',
  overrun: 'run-on',
  refusals: false,
  jobs: numbered(
    Array.from({ length: 200 }, (_, at) => ({
      submit: 0,
      size: 1 + ((at * 37) % 50),
      runTime: 1000 * (1 + ((at * 13) % 29)),
      walltime: undefined,
    })),
  ),
}

/** Returns Jigsaw with each placement changed before the kernel sees the placement. */
function spoiled(change: (placement: Placement, state: StateView) => Placement): PlacementPolicy<any, any> {
  return {
    ...jigsaw,
    make: (topology, config) => {
      const placer = jigsaw.make(topology, config as never) as Placer<any>
      return {
        claims: placer.claims,
        index: placer.index!,
        place: (state, request, index) => {
          const outcome = placer.place(state, request, index)
          return outcome.ok ? change(outcome, state) : outcome
        },
      }
    },
  }
}

/** Changes the events of a simulation on the way to the recorder. If `change` returns undefined, the event is lost. */
function misreported(
  change: (event: RecordedEvent) => RecordedEvent | undefined,
): (simulation: Simulation<any>) => Simulation<any> {
  return (simulation) => {
    const record = (event: RecordedEvent): number => {
      const changed = change(event)
      return changed === undefined ? 1 : simulation.recorder.record(changed)
    }
    return { ...simulation, recorder: { record } }
  }
}

describe('the kernel or the auditor finds a deliberately wrong policy', () => {
  it('the kernel stops if the policy gives a job a held node, and names the policy, the job and the node', () => {
    const first = {
      ...baseline,
      make: () => ({
        claims: {
          links: 'shared',
          fullBandwidth: false,
          exactSize: true,
          monotone: true,
          complete: true,
          speedupScenarios: false,
        },
        place: (_: StateView, { nodes }: { readonly nodes: number }) => ({
          ok: true,
          nodes: Array.from({ length: nodes }, (_, node) => node),
          links: [],
        }),
      }),
    } as PlacementPolicy<any>
    expect(() => run({ ...busy, policy: first })).toThrow(
      'policy baseline: gave job 2 a placement that is not free: node 0 is taken but not free',
    )
  })

  it('the check node-exclusive of the auditor finds a log in which two jobs hold one node', () => {
    const wrap = misreported((event) =>
      event.type === 'allocate'
        ? { ...event, nodes: Array.from({ length: event.nodes.length }, (_, node) => node) }
        : event,
    )
    expect(audit({ ...busy, policy: baseline }, wrap).violationCounts).toHaveProperty('node-exclusive')
  })

  it('the auditor finds a fault in a log without the release record of one job', () => {
    const wrap = misreported((event) => (event.type === 'release' && event.job === '7' ? undefined : event))
    const { ok, violationCounts } = audit(busy, wrap)
    expect(ok).toBe(false)
    expect(Object.keys(violationCounts).length).toBeGreaterThan(0)
  })

  it('the check jigsaw-conditions of the auditor finds jobs of several pods without spine links', () => {
    const policy = spoiled((placement) => ({ ...placement, links: placement.links.slice(0, 1) }))
    expect(Object.keys(audit({ ...busy, policy }).violationCounts)).toEqual(['jigsaw-conditions'])
  })

  it('the check jigsaw-conditions of the auditor finds a remainder leaf with an uplink that no full leaf has', () => {
    const sparse = { ...busy, config: { order: 'sparsest-first' } }
    expect(Object.keys(audit({ ...sparse, policy: spoiled(outsideS) }).violationCounts)).toEqual(['jigsaw-conditions'])
  })

  it('the auditor finds no fault if the placements of the policy are not changed', () => {
    expect(audit({ ...busy, policy: spoiled((placement) => placement) })).toMatchObject({ ok: true, violations: [] })
  })
})

/** Moves an uplink of the remainder leaf of a job in one pod to a free uplink that no full leaf of the job uses. */
function outsideS(placement: Placement, state: StateView): Placement {
  const uplinks = Array.from(placement.links[0] ?? [])
  const perLeaf = Map.groupBy(uplinks, (link) => Math.floor(link / 4))
  const sizes = [...perLeaf.values()].map(({ length }) => length)
  const remainder = [...perLeaf].find(([, links]) => links.length < Math.max(...sizes))
  if (remainder === undefined || placement.links.length > 1) return placement
  const [leaf, links] = remainder
  const used = new Set(uplinks.map((link) => link % 4))
  const outside = [0, 1, 2, 3].find((port) => !used.has(port) && (state.portMask(0, leaf, 0) & (1 << port)) !== 0)
  if (outside === undefined) return placement
  const changed = uplinks.map((link) => (link === links[0] ? leaf * 4 + outside : link)).sort((a, b) => a - b)
  return { ...placement, links: [changed] }
}
