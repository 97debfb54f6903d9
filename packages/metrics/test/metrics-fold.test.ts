import type { Header, LogRecord } from '@cloister/eventlog'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidLogError, metricList, MetricsFold, computeMetrics } from '../src/index.ts'
import { naiveMetrics } from './naive-model.ts'
import { header, randomLog } from './random-log.ts'

describe('computeMetrics, compared with the model of naive-model.ts', () => {
  it('computeMetrics equals the metrics from the state of every second, for random runs', () => {
    fc.assert(fc.property(randomLog, agrees), { numRuns: 300 })
  })

  it('computeMetrics equals the metrics from the state of every second, for logs that end at any record', () => {
    const brokenLog = fc.tuple(randomLog, fc.nat()).map(([log, cut]) => log.slice(0, 1 + (cut % log.length)))
    fc.assert(fc.property(brokenLog, agrees), { numRuns: 300 })
  })

  it('MetricsFold.result is the same if `result` was also called before the last record', () => {
    fc.assert(
      fc.property(randomLog, (log) => {
        const fold = new MetricsFold()
        for (const record of log) {
          fold.add(record)
          fold.result()
        }
        expect(fold.result()).toEqual(computeMetrics(log))
      }),
      { numRuns: 20 },
    )
  })
})

describe('computeMetrics of a log of a real machine', () => {
  const first = [
    { t: 0, type: 'submit', job: 'a', size: 8 },
    { t: 5, type: 'allocate', job: 'a', nodes: '0-7', cause: 1 },
  ] as const

  it('computeMetrics counts a job whose first start was withdrawn as waiting, until the job starts again', () => {
    const again = numbered(
      ...first,
      { t: 7, type: 'withdraw', job: 'a', of: 2, cause: 2 },
      { t: 7, type: 'release', job: 'a', cause: 3 },
      { t: 7, type: 'requeue', job: 'a', cause: 3 },
      { t: 17, type: 'allocate', job: 'a', nodes: '0-7', cause: 5 },
      { t: 37, type: 'finish', job: 'a', cause: 6 },
      { t: 37, type: 'release', job: 'a', cause: 7 },
    )
    const { jobs, wait, turnaround } = computeMetrics(again)
    expect([jobs.finished, jobs.killed, wait.mean, turnaround.mean]).toEqual([1, 0, 15, 37])
    expect(computeMetrics(again.slice(0, 6)).notPlaced.waiting.jobs).toBe(1)
  })

  it('computeMetrics counts a job whose kill was withdrawn as running, until the job ends', () => {
    const on = numbered(
      ...first,
      { t: 7, type: 'kill', job: 'a', code: 'estimate', cause: 2 },
      { t: 7, type: 'withdraw', job: 'a', of: 3, cause: 3 },
      { t: 35, type: 'finish', job: 'a', cause: 2 },
      { t: 35, type: 'release', job: 'a', cause: 5 },
    )
    const fold = new MetricsFold({ by: 'account' })
    for (const record of on) fold.add(record)
    const { jobs, turnaround } = fold.result()
    expect([jobs.finished, jobs.killed, turnaround.mean]).toEqual([1, 0, 35])
    expect(fold.groups()[0].nodeHours).toBeCloseTo((8 * 30) / 3600, 12)
  })
})

describe('computeMetrics of a log of five jobs', () => {
  // The cluster has ten nodes. Job a has 8 nodes until 100 s; b (6 nodes) waits for these nodes from 10 s on; c (2
  // nodes) is backfilled at 20 s. At 100 s b starts, and d (3 nodes) gets 4 nodes. e (1 node) waits from 110 s on until
  // d ends at 130 s.
  const log = numbered(
    { t: 0, type: 'submit', job: 'a', size: 8 },
    { t: 0, type: 'allocate', job: 'a', nodes: '0-7', cause: 1 },
    { t: 10, type: 'submit', job: 'b', size: 6 },
    { t: 10, type: 'reserve', job: 'b', start: 100, nodes: '0-5', cause: 3 },
    { t: 20, type: 'submit', job: 'c', size: 2 },
    { t: 20, type: 'allocate', job: 'c', nodes: '8-9', backfill: 4, cause: 5 },
    { t: 70, type: 'finish', job: 'c', cause: 6 },
    { t: 70, type: 'release', job: 'c', cause: 7 },
    { t: 100, type: 'finish', job: 'a', cause: 2 },
    { t: 100, type: 'release', job: 'a', cause: 9 },
    { t: 100, type: 'submit', job: 'd', size: 3 },
    { t: 100, type: 'allocate', job: 'b', nodes: '0-5', cause: 11 },
    { t: 100, type: 'allocate', job: 'd', nodes: '6-9', cause: 11 },
    { t: 110, type: 'submit', job: 'e', size: 1 },
    { t: 130, type: 'finish', job: 'd', cause: 13 },
    { t: 130, type: 'release', job: 'd', cause: 15 },
    { t: 130, type: 'allocate', job: 'e', nodes: '6', cause: 15 },
    { t: 150, type: 'finish', job: 'b', cause: 12 },
    { t: 150, type: 'release', job: 'b', cause: 18 },
    { t: 180, type: 'finish', job: 'e', cause: 17 },
    { t: 180, type: 'release', job: 'e', cause: 20 },
  )
  const metrics = computeMetrics(log)

  it('the steady state lasts from the first instant at whose end a job still waits, to the last start', () => {
    expect(metrics.steadyState).toEqual({ from: 10, to: 130 })
  })

  it('the metric utilization counts requested nodes as busy', () => {
    // In the steady state of 120 s: job a with 8 nodes for 90 s, c with 2 for 50 s, b and d with 9 for 30 s.
    expect(metrics.utilization.steady).toBe((8 * 90 + 2 * 50 + 9 * 30) / 1200)
    expect(metrics.utilization.overall).toBe((8 * 100 + 2 * 50 + 6 * 50 + 3 * 30 + 50) / 1800)
    expect(metrics.makespan).toBe(180)
  })

  it('the metrics of `fragmentation` divide the node-time of the steady state that is not busy', () => {
    expect(metrics.fragmentation).toEqual({
      internal: 30 / 1200, // job d gets one node more than it requests
      external: (2 * 10 + 2 * 30) / 1200, // two nodes next to a while b waits; at 110-130 e waits and nothing is idle
      placement: 0, // job b always requests more nodes than are idle
    })
  })

  it('the metric nodeTime divides all node-time by use', () => {
    // Idle: at 0-10 no job waits; at 10-20 and 70-100 b waits, and two nodes are too few; from 130 on no job waits.
    const nodeTime = {
      busy: 1340,
      beyondRequest: 30,
      down: 0,
      noJob: 2 * 10 + 3 * 20 + 9 * 30,
      tooFewNodes: 80,
      fragmented: 0,
    }
    expect(metrics.nodeHours).toEqual(
      Object.fromEntries(Object.entries(nodeTime).map(([cause, nodeSeconds]) => [cause, nodeSeconds / 3600])),
    )
    expect(Object.values(metrics.nodeTime!).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12)
  })

  it('the metrics wait, turnaround and slowdown of five jobs are the values computed by hand', () => {
    expect(metrics.wait).toMatchObject({ mean: (90 + 20) / 5, median: 0, max: 90 })
    expect(metrics.wait.bySize.find(({ sizes }) => sizes === '5-16')).toEqual({
      sizes: '5-16',
      jobs: 2,
      mean: 45,
      median: 45,
      max: 90,
    })
    expect(metrics.turnaround).toEqual({ mean: (100 + 140 + 50 + 30 + 70) / 5, large: null })
    expect(metrics.slowdown.bounded).toBeCloseTo((1 + 140 / 50 + 1 + 1 + 70 / 50) / 5, 12)
    expect(metrics.backfilled).toBe(1 / 5)
  })

  it('the metrics sample the utilization at each start and end, and at each whole minute', () => {
    expect(metrics.instantaneous).toEqual({ '98': 1, '95': 0, '90': 1, '80': 2, '60': 3, '0': 3 })
    expect(metrics.utilization.perMinute).toEqual({ min: 0.8, q1: 0.85, median: 0.9, q3: 0.95, max: 1 })
  })
})

describe('metricList', () => {
  const submit = { t: 0, type: 'submit', job: 'a', size: 1 }
  const allocate = { t: 5, type: 'allocate', job: 'a', nodes: '0', cause: 1 }
  const finish = { t: 25, type: 'finish', job: 'a', cause: 2 }
  const metrics = computeMetrics(numbered(submit, allocate, finish, { ...finish, type: 'release', cause: 3 }))

  it('metricList names every metric of a run, in the order of the JSON', () => {
    const none = { jobs: 0, share: 0, nodeTime: null }
    expect(metricList.map((metric) => [metric.name, metric.of(metrics)])).toEqual([
      ['notPlaced', { rejected: none, waiting: none }],
      ['policy', 'toy@1.0.0'],
      ['topology', 'toy'],
      ['workload', 'toy jobs'],
      ['jobs.submitted', 1],
      ['jobs.started', 1],
      ['jobs.finished', 1],
      ['jobs.rejected', 0],
      ['jobs.killed', 0],
      ['jobs.cancelled', 0],
      ['utilization.steady', 0],
      ['utilization.overall', 0.08],
      ['utilization.perMinute', { min: 0, q1: 0, median: 0, q3: 0, max: 0 }],
      ['steadyState', { from: 0, to: 5 }],
      ['makespan', 25],
      ['wait.mean', 5],
      ['wait.median', 5],
      ['wait.max', 5],
      ['wait.bySize', metrics.wait.bySize],
      ['history.wait', null],
      ['history.error', null],
      ['history.rankCorrelation', null],
      ['turnaround.mean', 25],
      ['turnaround.large', null],
      ['slowdown.mean', 1.25],
      ['slowdown.bounded', 1.25],
      ['contention.mean', null],
      ['contention.max', null],
      ['contention.slowed', null],
      ['migration.moves', null],
      ['migration.cost', null],
      ['migration.useful', null],
      ['placement.extraLeaves.mean', 0],
      ['placement.extraLeaves.q90', 0],
      ['placement.extraLeaves.max', 0],
      ['placement.onExtraLeaves', 0],
      ['placement.spread.mean', null],
      ['placement.spread.q90', null],
      ['placement.spread.max', null],
      ['backfilled', 0],
      ['fragmentation.internal', 0],
      ['fragmentation.external', 1],
      ['fragmentation.placement', 1],
      ['nodeTime', metrics.nodeTime],
      ['nodeHours', metrics.nodeHours],
      ['instantaneous', { '98': 0, '95': 0, '90': 0, '80': 0, '60': 0, '0': 2 }],
    ])
  })

  it('metricList has a meaning and a unique label for every metric', () => {
    for (const { name, meaning } of metricList) expect(meaning, name).toMatch(/^[^]+\.$/)
    expect(new Set(metricList.map(({ label }) => label)).size).toBe(metricList.length)
  })
})

describe('the metric notPlaced', () => {
  const submit = { t: 0, type: 'submit', job: 'a', size: 2, estimate: 10 }
  const log = [
    submit,
    { t: 0, type: 'reject', job: 'a', code: 'never', constraint: 'machine size', cause: 1 },
    { ...submit, job: 'b', size: 1, estimate: 20 },
    { ...submit, job: 'c', size: 6 },
    { t: 0, type: 'allocate', job: 'c', nodes: '0-5', cause: 4 },
    { t: 10, type: 'finish', job: 'c', cause: 5 },
    { t: 10, type: 'release', job: 'c', cause: 6 },
  ]

  it('the metric notPlaced counts jobs, with shares of jobs and shares of node-time', () => {
    const share = 1 / 3
    expect(computeMetrics(numbered(...log)).notPlaced).toEqual({
      rejected: { jobs: 1, share, nodeTime: 20 / 100 },
      waiting: { jobs: 1, share, nodeTime: 20 / 100 },
    })
  })

  it('the metric notPlaced has no share of node-time if one job has no estimate', () => {
    const { estimate: _, ...endless } = submit
    expect(computeMetrics(numbered(endless, ...log.slice(1))).notPlaced.rejected.nodeTime).toBeNull()
  })

  it('the metric notPlaced does not count cancelled jobs', () => {
    const cancelled = [...log, { t: 20, type: 'cancel', job: 'b' }]
    expect(computeMetrics(numbered(...cancelled)).notPlaced.waiting.jobs).toBe(0)
  })
})

describe('the slowdown by contention', () => {
  it('the slowdown by contention is the run time over the run time at full rate, for jobs with changed rates', () => {
    const [first, ...rest] = numbered(
      { t: 0, type: 'submit', job: 'a', size: 2 },
      { t: 0, type: 'submit', job: 'b', size: 2 },
      { t: 0, type: 'allocate', job: 'a', nodes: '0-1', cause: 2 },
      { t: 0, type: 'allocate', job: 'b', nodes: '2-3', cause: 2 },
      { t: 20, type: 'progress', job: 'a', rate: 500, cause: 4 },
      { t: 60, type: 'progress', job: 'a', rate: 1000, cause: 4 },
      { t: 80, type: 'finish', job: 'a', cause: 3 },
      { t: 80, type: 'release', job: 'a', cause: 7 },
      { t: 90, type: 'finish', job: 'b', cause: 4 },
      { t: 90, type: 'release', job: 'b', cause: 9 },
    )
    const { contention } = computeMetrics([{ ...(first as Header), requires: ['progress'] }, ...rest])
    // The first job makes progress of 20 s, half of 40 s, and 20 s in a run of 80 s; the second job is not slowed.
    expect(contention).toEqual({ mean: (80 / 60 + 1) / 2, max: 80 / 60, slowed: 0.5 })
  })
})

describe('computeMetrics of a log with contradictions', () => {
  const submit = { t: 5, type: 'submit', job: 'a', size: 2 }
  const allocate = { t: 5, type: 'allocate', job: 'a', nodes: '0-1', cause: 1 }
  it.each([
    ['a start of an unknown job', [allocate], 'record 1: job a was never submitted'],
    ['a second submit of a job', [submit, submit], 'record 2: job a was submitted before'],
    [
      'a second start of a running job',
      [submit, allocate, allocate],
      'record 3: allocate of job a, which is running, not waiting',
    ],
    [
      'an end of a waiting job',
      [submit, { t: 6, type: 'finish', job: 'a', cause: 0 }],
      'record 2: finish of job a, which is waiting, not running',
    ],
    [
      'a time before the time of the previous record',
      [submit, { ...submit, t: 4, job: 'b' }],
      'record 2: t 4 is before the time of the previous record',
    ],
    ['nodes that the topology lacks', [submit, { ...allocate, nodes: '9-10' }], 'record 2: nodes "9-10"'],
    [
      'an allocate with fewer nodes than requested',
      [submit, { ...allocate, nodes: '0' }],
      'record 2: job a requests 2 nodes and gets 1',
    ],
    [
      'a node allocated to two jobs',
      [
        { ...submit, size: 7 },
        { ...allocate, nodes: '0-6' },
        { ...submit, job: 'b', size: 7 },
        { ...allocate, job: 'b', nodes: '3-9' },
      ],
      'record 4: job b gets node 3, which another job has',
    ],
  ])('computeMetrics throws an InvalidLogError for a log with the fault: %s', (_, entries, message) => {
    expect(() => computeMetrics(numbered(...(entries as Entry[])))).toThrow(InvalidLogError)
    expect(() => computeMetrics(numbered(...(entries as Entry[])))).toThrow(message)
  })

  it('computeMetrics throws an InvalidLogError without a header, and with two headers', () => {
    expect(() => computeMetrics([])).toThrow('the log has no header')
    expect(() => computeMetrics(numbered(submit).slice(1))).toThrow('the log has no header before this record')
    expect(() => computeMetrics([header(10), header(10)])).toThrow('a second header')
  })
})

function agrees(log: ReadonlyArray<LogRecord>): void {
  const naive = naiveMetrics(log)
  const metrics = computeMetrics(log)
  const defined = Object.keys(naive) as ReadonlyArray<keyof typeof naive>
  expect(rounded(Object.fromEntries(defined.map((name) => [name, metrics[name]])))).toEqual(rounded(naive))
}

interface Entry {
  readonly t: number
  readonly type: string
  readonly [field: string]: unknown
}

function numbered(...entries: Entry[]): LogRecord[] {
  return [header(10), ...entries.map((entry, i) => ({ seq: i + 1, ...entry }) as unknown as LogRecord)]
}

/** Rounds to 12 digits, because the two computations add the same numbers in different units. */
function rounded(metrics: object): unknown {
  return JSON.parse(
    JSON.stringify(metrics, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(12)) : value)),
  )
}
