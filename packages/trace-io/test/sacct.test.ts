import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseFilter, SpecError } from '@cloister/workload'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type AccountingRow,
  fixedOffset,
  isSacct,
  parseSlurmCsv,
  readSacct,
  sacctFields,
  type SwfTrace,
  workloadFromSwf,
} from '../src/index.ts'
import { loadWorkload } from '../src/node/index.ts'
import { gpusOf, limitSeconds, stateWord, timeReader } from '../src/slurm/accounting.ts'

const file = 'sacct.psv'
const heading =
  'JobID|JobIDRaw|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|NNodes|ReqNodes|State|Partition|User|Account|NodeList|Restarts|AllocTRES'
const row = (values: Partial<Record<string, string>>): string => {
  const all: Record<string, string> = {
    JobID: '12',
    JobIDRaw: values['JobID'] ?? '12',
    Submit: '1700000000',
    Eligible: '1700000060',
    Start: '1700000100',
    End: '1700000400',
    ElapsedRaw: '300',
    TimelimitRaw: '10',
    NNodes: '4',
    ReqNodes: '2',
    State: 'COMPLETED',
    Partition: 'batch',
    User: 'ann',
    Account: 'physics',
    NodeList: 'n[1-3,5]',
    Restarts: '0',
    AllocTRES: 'billing=4,cpu=4,node=4',
    ...values,
  }
  return heading
    .split('|')
    .map((name) => all[name])
    .join('|')
}
const parse = (...rows: ReadonlyArray<string>): SwfTrace => parseSlurmCsv([heading, ...rows, ''].join('\n'), { file })
const rowsOf = (text: string, options = {}): ReadonlyArray<AccountingRow> => {
  const rows: Array<AccountingRow> = []
  readSacct(Buffer.from(text), { file, ...options }, (each) => rows.push(each))
  return rows
}
const job = (trace: SwfTrace, at = 0): object =>
  Object.fromEntries(
    Object.entries(trace.columns).flatMap(([field, column]) => (column[at] === -1 ? [] : [[field, column[at]]])),
  )

describe('the output of sacct -P', () => {
  test('`sacct -P` is read by the names of its fields; a job arrives at its eligible time', () => {
    expect(job(parse(row({})))).toEqual({
      job: 12,
      submit: 1_700_000_060,
      wait: 40,
      runTime: 300,
      requestedProcs: 4,
      allocatedProcs: 4,
      requestedTime: 600,
      status: 1,
      user: 1,
      group: 1,
      queue: 1,
      partition: 1,
    })
    const submitted = parseSlurmCsv(`${heading}\n${row({})}\n`, { file, arrivesWhen: 'submit' })
    expect(job(submitted)).toMatchObject({ submit: 1_700_000_000, wait: 100 })
  })

  test('`sacct -P` may have any delimiter, a delimiter at the end of lines, and any order of the fields', () => {
    const line = row({ NodeList: 'n1' })
    const plain = rowsOf(`${heading}\n${line}\n`)
    fc.assert(
      fc.property(
        fc.constantFrom('|', ';', '\t', '@@', '!', '~|'),
        fc.boolean(),
        fc.shuffledSubarray([...heading.split('|').keys()], { minLength: 17 }),
        fc.constantFrom('\n', '\r\n'),
        (delimiter, trailing, order, end) => {
          const spell = (text: string): string =>
            order.map((at) => text.split('|')[at]).join(delimiter) + (trailing ? delimiter : '')
          const text = [spell(heading), spell(line), ''].join(end)
          expect(isSacct(Buffer.from(text))).toBe(true)
          expect(rowsOf(text)).toEqual(plain)
        },
      ),
    )
  })

  test('`sacct -P`: steps are skipped and counted, and the rows of a requeued job become one job', () => {
    const trace = parse(
      row({ State: 'NODE_FAIL' }),
      row({ JobID: '12.batch' }),
      row({ JobID: '12.0' }),
      row({ Submit: '1700000400', Eligible: '1700000520', Start: '1700000600', End: '1700000650', ElapsedRaw: '50' }),
      row({ JobID: '13', ElapsedRaw: '7' }),
    )
    expect(trace.jobs).toBe(2)
    expect(job(trace)).toMatchObject({ job: 12, submit: 1_700_000_060, wait: 540, runTime: 50, status: 1 })
    expect(workloadFromSwf(trace)).toMatchObject({ read: 5, skipped: { steps: 2, 'earlier runs of requeued jobs': 1 } })
  })

  test('`sacct -P`: a job of an array has its raw number as id, or the id of the task if the file has no raw numbers', () => {
    expect(parse(row({ JobID: '12_3', JobIDRaw: '15' }), row({ JobID: '12_4', JobIDRaw: '12' })).columns.job).toEqual(
      Float64Array.of(15, 12),
    )
    const without = [heading, row({ JobID: '12_3' }), row({ JobID: '12_4' })].map((line) =>
      line.split('|').toSpliced(1, 1).join('|'),
    )
    const { workload } = workloadFromSwf(parseSlurmCsv(without.join('\n'), { file }))
    expect([...workload.jobs].map(({ id }) => id)).toEqual(['12_3', '12_4'])
  })

  test('`sacct -P`: the components of a heterogeneous job become one job on the nodes of all components', () => {
    const trace = parse(
      row({ JobID: '12+0', JobIDRaw: '12' }),
      row({ JobID: '12+1', JobIDRaw: '13', NNodes: '3', ElapsedRaw: '310' }),
    )
    expect(trace.jobs).toBe(1)
    expect(job(trace)).toMatchObject({ job: 12, requestedProcs: 7, runTime: 310 })
    expect(trace.apart).toEqual({ 'further components of heterogeneous jobs': 1 })
  })

  test('`sacct -P`: values are -1 for waiting jobs and jobs without limit, and 0 nodes give the requested nodes', () => {
    const waiting = row({
      State: 'PENDING',
      Start: 'Unknown',
      End: 'Unknown',
      ElapsedRaw: '0',
      NodeList: 'None assigned',
    })
    expect(job(parse(waiting))).not.toHaveProperty('runTime')
    expect(rowsOf(`${heading}\n${waiting}`)).toMatchObject([{ start: -1, end: -1, nodeList: '' }])
    for (const limit of ['UNLIMITED', 'Partition_Limit', ''])
      expect(job(parse(row({ TimelimitRaw: limit })))).not.toHaveProperty('requestedTime')
    expect(job(parse(row({ State: 'CANCELLED by 1234' })))).toMatchObject({ status: 5 })
    expect(job(parse(row({ Eligible: 'Unknown' })))).toMatchObject({ submit: 1_700_000_000 })
    expect(job(parse(row({ NNodes: '0' })))).toMatchObject({ requestedProcs: 2 })
  })

  test('`sacct -P`: a filter can name a partition', () => {
    const { workload } = workloadFromSwf(parse(row({}), row({ JobID: '13', Partition: 'debug' })), {
      filter: parseFilter('partition=debug'),
    })
    expect([...workload.jobs].map(({ id, queue }) => [id, queue])).toEqual([['13', 'debug']])
  })

  test('`sacct -P`: the error for a wrong line or value names the allowed form', () => {
    expect(() => parse(`${row({})}|x`)).toThrow(
      'sacct.psv, line 2: found 18 values, expected 17 values, as many as the first line has names (a value holds the delimiter',
    )
    expect(() => parse(row({ TimelimitRaw: 'x' }))).toThrow(
      'line 2, field TimelimitRaw: found "x", expected a whole number of minutes, UNLIMITED or Partition_Limit',
    )
    expect(() => parseSlurmCsv('JobID           State\n------- ----------\n', { file })).toThrow(
      'sacct.psv, line 1: found columns padded with blanks; sacct cuts values to the width of such columns, expected the output of sacct -P',
    )
  })
})

describe('the output of sacct --json', () => {
  const jobs = [
    {
      job_id: 12,
      name: 'lmp',
      user: 'ann',
      account: 'physics',
      partition: 'batch',
      nodes: 'n[1-4]',
      allocation_nodes: 4,
      restart_cnt: 0,
      array: { job_id: 0, task_id: { set: false, infinite: false, number: 0 } },
      het: { job_id: 0, job_offset: { set: false, infinite: false, number: 0 } },
      state: { current: ['COMPLETED'], reason: 'None' },
      time: {
        submission: 1_700_000_000,
        eligible: 1_700_000_060,
        start: 1_700_000_100,
        end: 1_700_000_400,
        elapsed: 300,
        limit: { set: true, infinite: false, number: 10 },
      },
      tres: { allocated: [{ type: 'gres', name: 'gpu', count: 8 }], requested: [{ type: 'node', name: '', count: 2 }] },
    },
  ]

  test('`sacct --json` gives the same job as `sacct -P`', () => {
    const trace = parseSlurmCsv(JSON.stringify({ meta: {}, jobs }), { file })
    expect(job(trace)).toEqual(job(parse(row({}))))
    expect(trace.labels).toEqual([{ user: 'ann', account: 'physics', queue: 'batch', name: 'lmp', gpus: 8 }])
    expect(trace.accounting).toMatchObject({ lacks: [], gpuJobs: 1 })
  })

  test('`sacct --json` of older versions has bare numbers and a bare state', () => {
    const [{ time, ...rest }] = jobs
    const older = { ...rest, state: { current: 'TIMEOUT' }, time: { ...time, limit: 10 } }
    expect(job(parseSlurmCsv(JSON.stringify({ jobs: [older] }), { file }))).toMatchObject({
      status: 0,
      requestedTime: 600,
    })
  })

  test.each([
    ['{"meta":{},"jobs":3}', 'found no list "jobs", expected the output of sacct --json'],
    ['{"jobs":[', 'line 1: found no valid JSON (column 10: expected a value or ], found the end)'],
    [
      '{"jobs":[{"job_id":1,"state":{"current":"DONE"}}]}',
      'line 1, field state.current: found "DONE", expected COMPLETED',
    ],
    [
      '{"jobs":[{"job_id":1,"state":{"current":"FAILED"},"time":{"start":-5}}]}',
      'line 1, field time.start: found "-5", expected a whole number from 0',
    ],
  ])('parseSlurmCsv refuses the text %s', (text, message) => {
    expect(() => parseSlurmCsv(text, { file })).toThrow(message)
  })
})

describe('the values in the output of sacct', () => {
  test('limitSeconds reads time limits in the form of sacct and in the forms that users write', () => {
    expect(['30', '30:15', '1:00:00', '2-12', '2-12:30', '2-12:30:15'].map(limitSeconds)).toEqual([
      1800, 1815, 3600, 216_000, 217_800, 217_815,
    ])
    expect(['', 'x', '2-24', '2-12:60', '-1'].map(limitSeconds)).toEqual(Array(5).fill(undefined))
  })

  test('stateWord reads states with a text after the word, such as CANCELLED by 1234', () => {
    expect(['CANCELLED by 12', 'CANCELLED by root', 'CANCELLED+', 'OUT_OF_MEMORY', 'DONE'].map(stateWord)).toEqual([
      'CANCELLED',
      'CANCELLED',
      'CANCELLED',
      'OUT_OF_MEMORY',
      undefined,
    ])
  })

  test('gpusOf counts graphics processors once, with types or without', () => {
    expect(['gres/gpu=2,gres/gpu:a100=2', 'gres/gpu:a100=2,gres/gpu:h100=1', 'cpu=4', ''].map(gpusOf)).toEqual([
      2, 3, 0, 0,
    ])
  })

  test('timeReader and fixedOffset read times of day by the clocks of a place', () => {
    const utc = (text: string): number => Date.parse(`${text}Z`) / 1000
    // In Europe, the clocks are set back by an hour at 01:00 UTC on this day.
    const change = utc('2024-10-27T01:00:00')
    const clocks = timeReader((time) => (time < change ? 7200 : 3600))
    expect(clocks('2024-10-27T01:59:59')).toBe(utc('2024-10-26T23:59:59'))
    expect(clocks('2024-10-27T03:00:00')).toBe(utc('2024-10-27T02:00:00'))
    expect(clocks('1700000000')).toBe(1_700_000_000)
    expect(['UTC', '+02:00', '-03:30'].map((zone) => fixedOffset(zone)(0))).toEqual([0, 7200, -12_600])
    for (const none of ['', '+2', 'Europe/Berlin', '+02:60']) expect(() => fixedOffset(none)).toThrow(SpecError)
    const iso = row({ Submit: '2024-07-15T12:00:00', Eligible: '2024-07-15T12:00:00' })
    expect(rowsOf(`${heading}\n${iso}`, { utcOffset: fixedOffset('+02:00') })).toMatchObject([
      { submit: utc('2024-07-15T10:00:00') },
    ])
  })
})

test('parseSlurmCsv lists the missing fields of a file, and gives a command that prints all fields', () => {
  const bare = parseSlurmCsv('JobID|NNodes|State|Submit|Elapsed\n1|4|COMPLETED|1700000000|00:10:00\n', { file })
  expect(bare.accounting!.lacks.map(({ field }) => field)).toEqual([
    'JobIDRaw',
    'Eligible',
    'Start',
    'End',
    'TimelimitRaw',
    'NodeList',
    'AllocTRES',
    'User',
    'Account',
    'Partition',
  ])
  expect(bare.accounting).toMatchObject({
    gpuJobs: undefined,
    command: expect.stringMatching(/^SLURM_TIME_FORMAT=%s sacct -a -X -D -P /),
  })
  expect(parse(row({ AllocTRES: 'gres/gpu=1' })).accounting).toMatchObject({ lacks: [], gpuJobs: 1 })
})

test('sacctCommand asks only for fields of Slurm 22.05, because sacct prints nothing if asked for an unknown field', () => {
  const known = readFileSync(join(import.meta.dirname, 'sacct-fields-22.05.txt'), 'utf8').split(/\s+/)
  expect(sacctFields.filter((field) => !known.includes(field))).toEqual([])
})

describe('jobs that use only a part of a node', () => {
  const jobs = (...resources: ReadonlyArray<Partial<Record<string, string>>>) =>
    parse(
      ...resources.map((each, at) =>
        row({ JobID: `${at + 1}`, NNodes: '1', NodeList: 'n1', ElapsedRaw: '100', ...each }),
      ),
    )
  const smaller = (trace: SwfTrace) => workloadFromSwf(trace).smallerThanNode

  test('a job uses only a part of a node if it has neither all processors nor all GPUs that any job had on the node', () => {
    const whole = { AllocTRES: 'cpu=128,gres/gpu=8' }
    const trace = jobs(
      whole,
      { AllocTRES: 'cpu=32,gres/gpu=2' },
      { AllocTRES: 'cpu=16,gres/gpu=8' },
      { AllocTRES: 'cpu=128' },
    )
    expect(smaller(trace)).toEqual({ jobs: 1, nodeTime: 1 / 4 })
  })

  test('a job that fills a smaller node does not use only a part of the node', () => {
    const large = { NodeList: 'n1', AllocTRES: 'cpu=128' }
    const small = { NodeList: 'n2', AllocTRES: 'cpu=16' }
    expect(smaller(jobs(large, small, { ...small, AllocTRES: 'cpu=8' })).jobs).toBe(1)
  })

  test('a job with a part of the processors of each of its nodes counts as a job on a part of its nodes', () => {
    const nodes = { NNodes: '2', NodeList: 'n[1-2]' }
    expect(smaller(jobs({ ...nodes, AllocTRES: 'cpu=64' }, { ...nodes, AllocTRES: 'cpu=32' })).jobs).toBe(1)
  })

  test('jobs on parts of nodes are counted by NCPUS, and not counted without a field of processors', () => {
    const bare =
      'JobID|NNodes|NCPUS|State|Submit|Elapsed\n1|2|32|COMPLETED|1700000000|00:10:00\n2|2|8|COMPLETED|1700000000|00:10:00\n'
    expect(smaller(parseSlurmCsv(bare, { file }))).toEqual({ jobs: 1, nodeTime: 0.5 })
    expect(smaller(parseSlurmCsv(bare.replace('NCPUS', 'Other'), { file })).jobs).toBe(0)
  })
})

test('a filter on `gpus` keeps jobs by their number of GPUs, and the left-out jobs are counted', () => {
  const trace = parse(
    row({ AllocTRES: 'cpu=4,gres/gpu=2' }),
    row({ JobID: '13', JobIDRaw: '13', AllocTRES: 'cpu=4' }),
    row({ JobID: '14', JobIDRaw: '14', AllocTRES: 'gres/gpu:a100=8' }),
  )
  const kept = (filter: string): unknown => {
    const { workload, skipped } = workloadFromSwf(trace, { filter: parseFilter(filter) })
    return { jobs: [...workload.jobs].map(({ id }) => id), skipped }
  }
  expect(kept('gpus=0')).toEqual({ jobs: ['13'], skipped: { 'gpus=0': 2 } })
  expect(kept('gpus>=4|gpus=0')).toEqual({ jobs: ['13', '14'], skipped: { 'gpus=0|gpus>=4': 1 } })
  const bare = parseSlurmCsv('JobID|NNodes|State|Submit|Elapsed\n1|4|COMPLETED|1700000000|00:10:00\n', { file })
  expect(() => workloadFromSwf(bare, { filter: parseFilter('gpus=0') })).toThrow('a log with the GPUs of jobs')
})

test('nodeSharingOf finds the same jobs on shared nodes as a comparison of all pairs', () => {
  const runs = fc.array(
    fc.record({
      start: fc.nat(9),
      length: fc.nat(5),
      nodes: fc.uniqueArray(fc.nat(4), { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  fc.assert(
    fc.property(runs, (given) => {
      const rows = given.map(({ start, length, nodes }, at) =>
        row({
          JobID: String(at),
          JobIDRaw: String(at),
          Start: String(1_700_000_000 + start),
          End: String(1_700_000_000 + start + length),
          NodeList: nodes.map((node) => `n${node}`).join(),
        }),
      )
      const text = `${heading}\n${rows.join('\n')}\n`
      const { nodeSharing } = parseSlurmCsv(text, { file, countsNodeSharing: true }).accounting!
      const sharing = given.filter((a) =>
        given.some(
          (b) =>
            a !== b &&
            a.length > 0 &&
            b.length > 0 &&
            a.start < b.start + b.length &&
            b.start < a.start + a.length &&
            a.nodes.some((node) => b.nodes.includes(node)),
        ),
      )
      expect(nodeSharing!.jobs).toBe(sharing.length)
      expect(nodeSharing!.first === undefined).toBe(sharing.length === 0)
    }),
    { numRuns: 200 },
  )
})

test('loadWorkload reads a file of `sacct -P`', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-sacct-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'history.psv')
  writeFileSync(path, [heading, row({}), row({ JobID: '13', Eligible: '1700000090' }), ''].join('\n'))
  expect(loadWorkload(path).workload).toMatchObject({
    name: 'history',
    epoch: 1_700_000_060,
    jobs: [
      {
        id: '12',
        submit: 0,
        size: 4,
        runTime: 300_000,
        walltime: 600_000,
        user: 'ann',
        account: 'physics',
        queue: 'batch',
      },
      { id: '13', submit: 30_000 },
    ],
  })
})

test('readSacct gives rows or a TraceError for damaged bytes', () => {
  const whole = `${heading}\n${row({})}\n`
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
      (changes) => {
        const bytes = Buffer.from(whole)
        for (const [at, byte] of changes) bytes[at] = byte
        try {
          parseSlurmCsv(bytes, { file })
        } catch (error) {
          expect(error).toMatchObject({ _tag: 'TraceError' })
        }
      },
    ),
    { numRuns: 1000 },
  )
})

describe('labels of the accounting', () => {
  const columns = 'JobID|JobIDRaw|Submit|Start|End|NNodes|State|QOS|Reservation|Priority|AllocTRES|ReqTRES|Flags'
  const values = { QOS: 'high', Reservation: 'course', Priority: '4294', AllocTRES: 'gres/gpu=8', Flags: 'SchedMain' }
  const text = (given: Partial<Record<string, string>>): string => {
    const known: Record<string, string> = { JobID: '12_3', JobIDRaw: '15', Submit: '100', Start: '100', End: '130' }
    const all: Record<string, string> = { ...known, NNodes: '1', State: 'COMPLETED', ReqTRES: '', ...values, ...given }
    const names = columns.split('|')
    return `${columns}\n${names.map((name) => all[name]).join('|')}\n`
  }

  test('a workload from `sacct -P` has QOS, reservation, priority, GPUs and array; absent columns are no error', () => {
    const labels = { qos: 'high', advanceReservation: 'course', priority: 4294, gpus: 8, array: '12', arrayTask: 3 }
    const { workload } = workloadFromSwf(parseSlurmCsv(text({}), { file }))
    expect(workload.jobs).toMatchObject([labels])
    expect(rowsOf(text({}))[0].startedBy).toBe('main')
    const [bare] = rowsOf('JobIDRaw|Submit|End|NNodes|State\n15|100|130|1|COMPLETED\n')
    expect([bare.labels, bare.startedBy, bare.gpus]).toEqual([{}, undefined, 0])
  })

  test.each([
    ['Priority', '-1', 'a whole number'],
    ['Priority', '0.5', 'a whole number'],
    ['AllocTRES', 'cpu=4,gres/gpu=-8', 'counts such as gres/gpu=8'],
    ['ReqTRES', 'gres/gpu:a100=many', 'counts such as gres/gpu=8'],
    ['Flags', 'SchedMain,SchedBackfill', 'at most one of SchedMain, SchedBackfill, SchedSubmit'],
  ])('an error names line, field, value and allowed values for the %s %s', (field, value, allowed) => {
    expect(() => rowsOf(text({ [field]: value }))).toThrow(
      `${file}, line 2, field ${field}: found ${JSON.stringify(value)}, expected ${allowed}`,
    )
    const { jobs, badLines } = parseSlurmCsv(text({ [field]: value }), { file, skipBadLines: true })
    expect([jobs, badLines?.count]).toEqual([0, 1])
  })

  test('`sacct --json` gives the labels that `sacct -P` gives', () => {
    const job = {
      job_id: 15,
      array: { job_id: 12, task_id: { set: true, infinite: false, number: 3 } },
      time: { submission: 100, start: 100, end: 130, elapsed: 30, limit: null },
      allocation_nodes: 1,
      state: { current: ['COMPLETED'] },
      qos: 'high',
      reservation: { id: 4, name: 'course' },
      priority: { set: true, infinite: false, number: 4294 },
      tres: { allocated: [{ type: 'gres', name: 'gpu', count: 8 }], requested: [] },
      flags: ['CLEAR_SCHEDULING', 'STARTED_ON_SCHEDULE'],
    }
    const [fromJson] = rowsOf(JSON.stringify({ jobs: [job] }))
    const [printed] = rowsOf(text({}))
    expect([fromJson.labels, fromJson.startedBy]).toEqual([printed.labels, printed.startedBy])
    const flags = ['STARTED_ON_SCHEDULE', 'STARTED_ON_BACKFILL']
    expect(() => rowsOf(JSON.stringify({ jobs: [{ ...job, flags }] }))).toThrow('line 1, field flags: found')
  })
})
