import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Arrivals, type Filter, formatFilter, type Job, parseArrivals, parseFilter } from '@cloister/workload'
import {
  type ConvertedWorkload,
  formatSwf,
  parseSwf,
  type SwfField,
  swfFields,
  swfFromWorkload,
  type SwfTrace,
  TraceError,
  workloadFromSwf,
} from '../src/index.ts'
import { tellingRow } from './swf-arbitraries.ts'

type Row = Readonly<Record<SwfField, number>>

const condition = fc.constantFrom(
  'status!=5',
  'status=1',
  'status<=1',
  'runtime>0',
  'runtime<5',
  'walltime>=3',
  'nodes<=8',
  'nodes>2',
  'requested!=-1',
  'allocated>0',
  'job<=5',
)
const filters: fc.Arbitrary<Filter> = fc
  .record({
    size: fc.constantFrom('size=requested/4', 'size=allocated/3', 'size=requested', 'size=requested/2*3'),
    conditions: fc.array(condition, { maxLength: 3 }),
    limits: fc.subarray(['first-days=1.5', 'first-jobs=4', 'nodes=power-of-two', 'estimates=requested*3']),
    times: fc.constantFrom([], ['times=minutes'], ['times=minutes+29']),
  })
  .map(({ size, conditions, limits, times }) => parseFilter([size, ...conditions, ...limits, ...times].join(',')))
const arrivalKinds: fc.Arbitrary<Arrivals> = fc.constantFrom('trace', 'zero', 'scale:0.5').map(parseArrivals)
const traces: fc.Arbitrary<SwfTrace> = fc
  .array(tellingRow, { maxLength: 12 })
  .map((rows) =>
    parseSwf(
      ['; UnixStartTime: 1000', ...rows.map((row, index) => [index + 1, ...row.slice(1)].join(' '))].join('\n'),
      { file: 'logs/a.swf.gz' },
    ),
  )

function ms(seconds: number): number {
  return Math.round(seconds * 1000)
}

/** Returns the jobs that workloadFromSwf should keep, found with lists and plain comparisons. */
function naive(trace: SwfTrace, filter: Filter, arrivals: Arrivals): Array<Job> {
  const rows = Array.from(
    { length: trace.jobs },
    (_, job) => Object.fromEntries(swfFields.map((field) => [field, trace.columns[field][job]])) as Row,
  )
  const { from, procsPerNode, times = 1 } = filter.size!
  const procs = (row: Row): number => {
    const wanted =
      from === 'requested' ? [row.requestedProcs, row.allocatedProcs] : [row.allocatedProcs, row.requestedProcs]
    return wanted.find((value) => value > 0) ?? -1
  }
  const nodes = (row: Row): number =>
    procs(row) === -1 ? -1 : Math.floor((procs(row) + procsPerNode - 1) / procsPerNode) * times
  const value = {
    status: 'status',
    runtime: 'runTime',
    walltime: 'requestedTime',
    requested: 'requestedProcs',
    allocated: 'allocatedProcs',
    job: 'job',
  } as Record<string, SwfField>
  const compare: Record<string, (a: number, b: number) => boolean> = {
    '=': (a, b) => a === b,
    '!=': (a, b) => a !== b,
    '<': (a, b) => a < b,
    '<=': (a, b) => a <= b,
    '>': (a, b) => a > b,
    '>=': (a, b) => a >= b,
  }
  const needsTime = arrivals.kind !== 'zero' || filter.firstDays !== undefined
  let kept = rows
    .filter((row) =>
      filter.conditions.every(({ field, operator, value: limit }) =>
        compare[operator](field === 'nodes' ? nodes(row) : row[value[field]], limit as number),
      ),
    )
    .filter((row) => filter.powersOfTwo !== true || [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].includes(nodes(row)))
    .filter((row) => nodes(row) > 0 && row.runTime >= 0 && !(needsTime && row.submit < 0))
    .toSorted((a, b) => a.submit - b.submit || a.job - b.job)
  if (filter.firstDays !== undefined)
    kept = kept.filter((row) => ms(row.submit) - ms(kept[0].submit) < filter.firstDays! * 86_400_000)
  kept = kept.slice(0, filter.firstJobs)
  const factor = arrivals.kind === 'scale' ? arrivals.factor : arrivals.kind === 'zero' ? 0 : 1
  const minutes = (time: number, round: (value: number) => number): number =>
    filter.minutes === undefined ? time : round(time / 60_000) * 60_000
  return kept.map((row) => ({
    id: String(row.job),
    submit: minutes(
      ms(filter.minutes ?? 0) + (factor === 0 ? 0 : Math.round((ms(row.submit) - ms(kept[0].submit)) * factor)),
      Math.round,
    ),
    size: nodes(row),
    runTime: minutes(ms(row.runTime), (value) => (value === 0 ? 0 : Math.max(1, Math.round(value)))),
    walltime: row.requestedTime > 0 ? minutes(ms(row.requestedTime) * (filter.estimates ?? 1), Math.ceil) : undefined,
  }))
}

/** Returns jobs without the member `smallerThanNode`, which SWF in nodes cannot express. */
const withoutPart = (jobs: ReadonlyArray<Job>): ReadonlyArray<Job> =>
  jobs.map(({ smallerThanNode: _part, ...job }) => job)

const skippedJobs = (converted: ConvertedWorkload): number =>
  Object.values(converted.skipped).reduce((a, b) => a + b, 0)

test('workloadFromSwf keeps the same jobs as a plain filter, and counts all other jobs', () => {
  fc.assert(
    fc.property(traces, filters, arrivalKinds, (trace, filter, arrivals) => {
      const converted = workloadFromSwf(trace, { filter, arrivals })
      const jobs = [...converted.workload.jobs]
      expect(withoutPart(jobs)).toEqual(naive(trace, filter, arrivals))
      expect(jobs.filter(({ smallerThanNode }) => smallerThanNode).length).toBe(converted.smallerThanNode.jobs)
      expect(converted.workload.jobs.length + skippedJobs(converted)).toBe(converted.read)
      expect(converted.read).toBe(trace.jobs)
      expect(converted.workload.filter).toBe(formatFilter(filter))
      expect(converted.withoutWalltime).toBe(
        [...converted.workload.jobs].filter((job) => job.walltime === undefined).length,
      )
    }),
    { numRuns: 1000 },
  )
})

test('the text `workload.filter`, parsed again, gives the same workload', () => {
  fc.assert(
    fc.property(traces, filters, arrivalKinds, (trace, filter, arrivals) => {
      const first = workloadFromSwf(trace, { filter, arrivals })
      expect(
        workloadFromSwf(trace, { filter: parseFilter(first.workload.filter), arrivals: parseArrivals(first.arrivals) }),
      ).toEqual(first)
    }),
  )
})

test('the filter `sample` keeps the order of the log, and draws every job about equally often', () => {
  const trace = log(Array.from({ length: 20 }, (_, job) => `${job + 1} ${job} 60 1 1 60 1`))
  const all = [...workloadFromSwf(trace).workload.jobs]
  const drawn = new Map<string, number>()
  for (let seed = 0; seed < 400; seed++) {
    const { workload, skipped } = workloadFromSwf(trace, { filter: parseFilter(`sample=5:${seed}`) })
    const jobs = [...workload.jobs]
    expect(jobs).toHaveLength(5)
    expect(skipped).toEqual({ [workload.filter]: 15 })
    expect(jobs.map(({ id }) => id)).toEqual(all.map(({ id }) => id).filter((id) => jobs.some((job) => job.id === id)))
    for (const { id } of jobs) drawn.set(id, (drawn.get(id) ?? 0) + 1)
  }
  expect(drawn.size).toBe(20)
  for (const times of drawn.values()) expect(Math.abs(times - 100)).toBeLessThan(50)
  expect(workloadFromSwf(trace, { filter: parseFilter('sample=20') }).workload.jobs).toEqual(all)
})

/**
 * Makes a trace from lines of `job submit run-time allocated requested requested-time status`; other fields are
 * unknown.
 */
function log(lines: ReadonlyArray<string>, header: ReadonlyArray<string> = []): SwfTrace {
  const jobs = lines.map((line) => {
    const [job, submit, run, allocated, requested, time, status] = line.split(' ')
    return `${job} ${submit} -1 ${run} ${allocated} -1 -1 ${requested} ${time} -1 ${status} -1 -1 -1 -1 -1 -1 -1`
  })
  return parseSwf([...header, ...jobs].join('\n'), { file: 'logs/made-up.swf.zst' })
}

test('smallerThanNode counts the jobs that do not fill one node, and gives their share of node-time', () => {
  const trace = log(['1 0 30 4 4 -1 1', '2 0 10 1 1 -1 1', '3 0 10 5 5 -1 1'])
  const sized = (filter: string) => workloadFromSwf(trace, { filter: parseFilter(filter) })
  // Job 3 uses a node and a part of a second node: the size of job 3 is rounded up, and job 3 is not smaller than a
  // node.
  expect(sized('size=requested/4')).toMatchObject({ smallerThanNode: { jobs: 1, nodeTime: 10 / 60 }, roundedSizes: 2 })
  expect(sized('').smallerThanNode).toEqual({ jobs: 0, nodeTime: 0 })
})

test('differingSizes counts the jobs with different sizes by requested and by allocated processors', () => {
  const trace = log(['1 0 30 8 4 -1 1', '2 0 10 3 4 -1 1', '3 0 10 -1 4 -1 1'])
  const sized = (filter: string) => {
    const { workload, differingSizes } = workloadFromSwf(trace, { filter: parseFilter(filter) })
    return { sizes: [...workload.jobs].map(({ size }) => size), ...differingSizes }
  }
  expect(sized('size=requested/4')).toEqual({ sizes: [1, 1, 1], jobs: 1, taken: 'requested' })
  expect(sized('size=allocated/4')).toEqual({ sizes: [2, 1, 1], jobs: 1, taken: 'allocated' })
})

test('workloadFromSwf: a worked example of skip reasons, rounding, order and epoch', () => {
  const converted = workloadFromSwf(
    log(
      [
        '1 100 60 8 8 -1 1',
        '2 90 60.0004 9 -1 30 1',
        '3 95 60 8 8 0 5',
        '4 95 0 8 8 1 1',
        '5 80 -1 8 8 1 1',
        '6 95 1 -1 -1 1 1',
        '7 -1 1 4 4 1 1',
        '8 90 2 8 5 1 0',
      ],
      ['; UnixStartTime: 1000'],
    ),
    { filter: parseFilter('size=requested/4,status!=5,runtime!=0') },
  )
  expect(converted).toEqual({
    workload: {
      name: 'made-up',
      filter: 'size=requested/4,status!=5,runtime!=0',
      epoch: 1090,
      jobs: [
        { id: '2', submit: 0, size: 3, runTime: 60_000, walltime: 30_000 },
        { id: '8', submit: 0, size: 2, runTime: 2000, walltime: 1000 },
        { id: '1', submit: 10_000, size: 2, runTime: 60_000, walltime: undefined },
      ],
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    arrivals: 'trace',
    read: 8,
    skipped: { 'status!=5': 1, 'runtime!=0': 1, 'unknown size': 1, 'unknown run time': 1, 'unknown submit time': 1 },
    roundedSizes: 2,
    smallerThanNode: { jobs: 0, nodeTime: 0 },
    // Job 8 requested 8 processors and got 5. Both numbers give a size of two nodes.
    differingSizes: { jobs: 0, taken: 'requested' },
    roundedTimes: 1,
    otherSizes: 1,
    withoutWalltime: 1,
    unknownStatuses: 0,
    badLines: { count: 0, first: [] },
    longLines: 0,
    directives: [{ line: 1, name: 'UnixStartTime', value: '1000' }],
    origin: {
      trace: converted.origin.trace,
      rows: converted.origin.rows,
      sizeRule: { from: 'requested', procsPerNode: 4 },
    },
  })
  const { trace, rows } = converted.origin
  expect([...rows].map((row) => String(trace.columns.job[row]))).toEqual(['2', '8', '1'])
})

test('the filter `first-days` counts from the first kept job, and excludes a job exactly at the end of the days', () => {
  const { workload, skipped } = workloadFromSwf(
    log(['1 0 1 1 1 1 5', '2 1000 1 1 1 1 1', '3 87399.999 1 1 1 1 1', '4 87400 1 1 1 1 1']),
    { filter: parseFilter('status!=5,first-days=1') },
  )
  expect([...workload.jobs].map((job) => job.id)).toEqual(['2', '3'])
  expect(skipped).toEqual({ 'status!=5': 1, 'first-days=1': 1 })
})

test('the filter `first-of-size` keeps the first jobs of each size in nodes', () => {
  const { workload, skipped } = workloadFromSwf(
    log(['1 0 1 1 1 1 1', '2 1 1 1 2 1 1', '3 2 1 1 1 1 1', '4 3 1 1 2 1 1', '5 4 1 1 1 1 1']),
    { filter: parseFilter('first-of-size=1') },
  )
  const kept = new Map([...workload.jobs].map(({ id, size }) => [size, id]))
  expect(workload.jobs).toHaveLength(kept.size)
  expect(kept.get(1)).toBe('1')
  expect(skipped).toEqual({ 'first-of-size=1': 5 - kept.size })
})

test('with the arrivals `zero`, jobs with unknown submit times are kept, and the workload has no epoch', () => {
  const { workload, arrivals, skipped } = workloadFromSwf(
    log(['1 5 1 1 1 1 1', '2 -1 1 1 1 1 1'], ['; UnixStartTime: 0']),
    { arrivals: { kind: 'zero' } },
  )
  expect([...workload.jobs].map((job) => [job.id, job.submit])).toEqual([
    ['2', 0],
    ['1', 0],
  ])
  expect([arrivals, skipped, workload.epoch]).toEqual(['zero', {}, undefined])
})

test('workloadFromSwf reads submit times in Unix seconds, and gives no epoch if `UnixStartTime` is no number', () => {
  expect(workloadFromSwf(log(['1 1641021254 1 1 1 1 1'], ['; UnixStartTime: 0'])).workload).toMatchObject({
    epoch: 1641021254,
    jobs: [{ submit: 0 }],
  })
  expect(workloadFromSwf(log(['1 0 1 1 1 1 1'], ['; UnixStartTime: unknown'])).workload.epoch).toBeUndefined()
})

test('workloadFromSwf refuses unknown and repeated job numbers, unless the filter drops the jobs with these numbers', () => {
  const broken = (lines: Array<string>): TraceError => {
    try {
      workloadFromSwf(log(lines, [';']))
    } catch (error) {
      if (error instanceof TraceError) return error
      throw error
    }
    throw new Error('no error')
  }
  expect(broken(['3 9 1 1 1 1 1', '4 8 1 1 1 1 1', '3 7 1 1 1 1 1'])).toMatchObject({
    _tag: 'TraceError',
    file: 'logs/made-up.swf.zst',
    line: 4,
    field: 'job',
    found: '3 again, as on line 2',
  })
  expect(broken(['-1 0 1 1 1 1 1'])).toMatchObject({ line: 2, field: 'job', found: '-1 (unknown)' })
  expect(
    workloadFromSwf(log(['3 0 1 1 1 1 1', '3 0 1 1 1 1 5', '-1 0 1 1 1 1 5']), { filter: parseFilter('status!=5') })
      .workload.jobs,
  ).toHaveLength(1)
})

test('a workload that swfFromWorkload and formatSwf wrote is read as the same workload', () => {
  fc.assert(
    fc.property(traces, filters, arrivalKinds, (trace, filter, arrivals) => {
      const { workload } = workloadFromSwf(trace, { filter, arrivals })
      const again = workloadFromSwf(parseSwf(formatSwf(swfFromWorkload(workload)), { file: 'x.swf' })).workload
      expect(again.jobs).toEqual(withoutPart([...workload.jobs]))
      expect(again.sha256).toBe(workload.sha256)
    }),
  )
})

test('swfFromWorkload computes waits from the start times of a schedule', () => {
  const { workload } = workloadFromSwf(log(['1 0 60 8 8 -1 1', '2 1.5 60 8 8 90 1'], ['; UnixStartTime: 1000']))
  const starts = new Map([['2', 2000]])
  expect(formatSwf(swfFromWorkload(workload, { starts, comments: ['MaxNodes: 16'] }))).toBe(
    [
      '; Version: 2.2',
      '; MaxNodes: 16',
      '; MaxJobs: 2',
      '; MaxRecords: 2',
      '; UnixStartTime: 1000',
      '; Note: made-up; processors are nodes',
      '1 0 -1 60 -1 -1 -1 8 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1',
      '2 1.5 0.5 60 8 -1 -1 8 90 -1 1 -1 -1 -1 -1 -1 -1 -1',
      '',
    ].join('\n'),
  )
  expect(() => swfFromWorkload(workload, { starts: new Map([['2', 1499]]) })).toThrow(
    'field wait: found a start at 1499 ms, expected a start at or after the submit time, 1500 ms',
  )
  expect(() => swfFromWorkload({ ...workload, jobs: [{ ...workload.jobs.at(0)!, id: '1.a' }] })).toThrow(TraceError)
})

test('SWF numbers of user, group (as account) and queue become labels, and labels do not change the hash of the job list', () => {
  const read = (...labels: ReadonlyArray<string>): ConvertedWorkload =>
    workloadFromSwf(parseSwf(`1 0 -1 60 4 -1 -1 4 60 -1 1 ${labels.join(' ')} -1 -1`, { file: 'a.swf' }))
  const labelled = read('7', '0', '-1', '3', '1').workload
  const plain = read('-1', '-1', '-1', '-1', '-1').workload
  const [one] = plain.jobs
  expect(labelled.jobs).toEqual([{ ...one, user: '7', account: '0', queue: '3' }])
  expect(Object.keys(one)).not.toContain('user')
  expect(labelled.sha256).toBe(plain.sha256)
})

test.each([
  [
    'a run time that leads beyond',
    ['1 0 -1 5 1', '2 999999999000 -1 1001 1'],
    'trace',
    /jobs\.swf, line 2, field runTime: found a job that may end 1000000000001 s/,
  ],
  [
    'run times that add up beyond',
    ['7 0 -1 600000000000 1', '8 0 -1 600000000000 1'],
    'zero',
    /line 2, field runTime: found a job that may end 1200000000000 s/,
  ],
  [
    'an arrival that is scaled beyond',
    ['1 0 -1 5 1', '2 9000000000 -1 5 1'],
    'scale:999',
    /line 2, field submit: .* expected at most 1000000000000 s/,
  ],
])(
  'workloadFromSwf names the line of the job in the error for %s the times of an event log',
  (_, rows, arrivals, message) => {
    const text = rows.map((row) => `${row} -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1`).join('\n')
    expect(() => workloadFromSwf(parseSwf(text, { file: 'jobs.swf' }), { arrivals: parseArrivals(arrivals) })).toThrow(
      message,
    )
  },
)
