import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { isSlurmCsv, parseSlurmCsv, swfFields, type SwfTrace, TraceError, workloadFromSwf } from '../src/index.ts'
import { loadWorkload } from '../src/node/index.ts'
import { parseFilter } from '@cloister/workload'
import { durationSeconds, timeSeconds } from '../src/slurm/accounting.ts'

const file = 'aug-cab.csv'
const heading = 'JobID,User,Partition,NNodes,NCPUS,Timelimit,State,Submit,Start,Elapsed,End,ExitCode'
const row =
  '907,u7,pbatch,8,128,01:00:00,COMPLETED,2014-08-01T00:00:05,2014-08-01T00:01:05,00:30:00,2014-08-01T00:31:05,0:0'
const parse = (...rows: ReadonlyArray<string>): SwfTrace => parseSlurmCsv([heading, ...rows].join('\n'), { file })

const two = (value: number): string => String(value).padStart(2, '0')
const spellDuration = (seconds: number): string => {
  const days = Math.floor(seconds / 86_400)
  return `${days === 0 ? '' : `${days}-`}${two(Math.floor(seconds / 3600) % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}
const spellTime = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19)
const seconds = fc.integer({ min: 0, max: 4_000_000_000 })
const durations = fc.integer({ min: 0, max: 3_000_000 })

test('timeSeconds, durationSeconds and limitSeconds agree with the calendar', () => {
  fc.assert(
    fc.property(seconds, durations, (time, duration) => {
      expect(timeSeconds(spellTime(time))).toBe(time)
      expect(durationSeconds(spellDuration(duration))).toBe(duration)
    }),
  )
  expect([timeSeconds('2000-02-29T23:59:59'), timeSeconds('2100-02-28T00:00:00')]).toEqual([
    Date.UTC(2000, 1, 29, 23, 59, 59) / 1000,
    Date.UTC(2100, 1, 28) / 1000,
  ])
  expect([durationSeconds('5:07'), durationSeconds('100-00:00:00')]).toEqual([307, 8_640_000])
  for (const none of [
    '2014-02-29T00:00:00',
    '2100-02-29T00:00:00',
    '2014-13-01T00:00:00',
    '2014-00-01T00:00:00',
    '2014-01-00T00:00:00',
    '2014-04-31T00:00:00',
    '2014-01-01T24:00:00',
    '2014-01-01T00:60:00',
    '2014-01-01T00:00:60',
    '2014-01-01 00:00:00',
    '1406851205',
  ]) {
    expect(timeSeconds(none)).toBeUndefined()
  }
  for (const none of ['', '5', '24:00:00', '1-24:00:00', '00:60:00', '00:00:60', '-1:00:00', '1-00:00', '00:00:00.5'])
    expect(durationSeconds(none)).toBeUndefined()
})

const jobs = fc.array(
  fc.record({
    user: fc.constantFrom('u1', 'u2', ''),
    partition: fc.constantFrom('pbatch', 'pdebug'),
    nodes: fc.integer({ min: 1, max: 300 }),
    limit: durations,
    state: fc.constantFrom(
      ['COMPLETED', 1],
      ['FAILED', 0],
      ['TIMEOUT', 0],
      ['CANCELLED', 5],
      ['CANCELLED by 123', 5],
      ['CANCELLED+', 5],
      ['NODE_FAIL', 0],
    ),
    submit: seconds,
    wait: durations,
    elapsed: durations,
  }),
  { maxLength: 15 },
)

test('parseSlurmCsv reads every value of every line, with the columns in any order', () => {
  fc.assert(
    fc.property(
      jobs,
      fc.shuffledSubarray(heading.split(','), { minLength: 12 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      (list, columns, lineEnd, quoted) => {
        const lines = list.map(({ user, partition, nodes, limit, state, submit, wait, elapsed }, index) => {
          const values: Record<string, string> = {
            JobID: String(index),
            User: user,
            Partition: partition,
            NNodes: String(nodes),
            NCPUS: String(nodes * 16),
            Timelimit: spellDuration(limit),
            State: String(state[0]),
            Submit: spellTime(submit),
            Start: spellTime(submit + wait),
            Elapsed: spellDuration(elapsed),
            End: spellTime(submit + wait + elapsed),
            ExitCode: '0:0',
          }
          return columns.map((column) => (quoted ? `"${values[column]}"` : values[column])).join(',')
        })
        const trace = parseSlurmCsv(Buffer.from([columns.join(','), ...lines].join(lineEnd)), { file })
        expect(trace.jobs).toBe(list.length)
        expect([...trace.lines]).toEqual(list.map((_, index) => index + 2))
        const names = (key: 'user' | 'partition'): ReadonlyArray<string> => [
          ...new Set(list.map((job) => job[key]).filter((name) => name !== '')),
        ]
        for (const [index, { user, partition, nodes, limit, state, submit, wait, elapsed }] of list.entries()) {
          expect(
            Object.fromEntries(
              swfFields.map((field) => [field, trace.columns[field][index]]).filter(([, value]) => value !== -1),
            ),
          ).toEqual({
            job: index,
            submit,
            wait,
            runTime: elapsed,
            allocatedProcs: nodes,
            requestedProcs: nodes,
            requestedTime: limit,
            status: state[1],
            ...(user === '' ? {} : { user: names('user').indexOf(user) + 1 }),
            queue: names('partition').indexOf(partition) + 1,
            partition: names('partition').indexOf(partition) + 1,
          })
        }
      },
    ),
  )
})

test('parseSlurmCsv and workloadFromSwf: sizes are nodes, skipped jobs count by reason, the first kept job is at time 0', () => {
  const trace = parse(
    row,
    '905,u1,pbatch,16,256,UNLIMITED,CANCELLED by 88,2014-08-01T00:00:00,Unknown,00:00:00,2014-08-01T00:00:30,0:0',
    '',
    '909,u7,pdebug,3,48,Partition_Limit,TIMEOUT,2014-08-01T01:00:00,2014-08-01T01:00:00,1-00:00:01,2014-08-02T01:00:01,0:1',
    '911,u7,pdebug,3,48,30:00,RUNNING,2014-08-01T02:00:00,2014-08-01T02:00:00,00:10:00,Unknown,0:0',
    '912,u7,pdebug,3,48,30:00,FAILED,2014-11-02T01:59:00,2014-11-02T01:01:00,00:10:00,2014-11-02T01:11:00,1:0',
  )
  expect(trace.directives.map(({ name, value }) => `${name}: ${value}`)).toEqual([
    'UnixStartTime: 0',
    'Note: processors are nodes',
    'Partition: 1 pbatch',
    'Partition: 2 pdebug',
  ])
  expect([...trace.columns.wait]).toEqual([60, -1, 0, 0, -1])
  expect(workloadFromSwf(trace, { filter: parseFilter('status!=5,runtime>0') })).toMatchObject({
    workload: {
      name: 'aug-cab',
      epoch: Date.UTC(2014, 7, 1, 0, 0, 5) / 1000,
      jobs: [
        { id: '907', submit: 0, size: 8, runTime: 1_800_000, walltime: 3_600_000 },
        { id: '909', submit: 3_595_000, size: 3, runTime: 86_401_000, walltime: undefined },
        { id: '912', size: 3, runTime: 600_000, walltime: 1_800_000 },
      ],
    },
    read: 5,
    skipped: { 'status!=5': 1, 'runtime>0': 1 },
    roundedSizes: 0,
    withoutWalltime: 1,
  })
})

test('parseSlurmCsv needs only the required columns, and ignores unknown columns', () => {
  const trace = parseSlurmCsv(
    'Elapsed,Account,JobID,State,Submit,NNodes\n00:10:00,a,1,COMPLETED,2014-08-01T00:00:00,4\n',
    { file },
  )
  expect(Object.entries(trace.columns).flatMap(([field, [value]]) => (value === -1 ? [] : [field]))).toEqual([
    'job',
    'submit',
    'runTime',
    'requestedProcs',
    'status',
    'group',
  ])
})

test.each([
  [
    'a job',
    row.replace('907', '907x'),
    'JobID',
    'found "907x", expected the number of a job, such as 12, 12_3 of an array or 12+1',
  ],
  ['a size', row.replace(',8,', ',8K,'), 'NNodes', 'found "8K", expected a whole number of nodes'],
  ['no size', row.replace(',8,', ',,'), 'NNodes', 'found ""'],
  [
    'a limit',
    row.replace('01:00:00', '1h'),
    'Timelimit',
    'found "1h", expected a duration such as 12:00:00 or 1-12:00:00, UNLIMITED or Partition_Limit',
  ],
  ['a state', row.replace('COMPLETED', 'DONE'), 'State', 'found "DONE", expected COMPLETED, FAILED'],
  ['a state called like a member of objects', row.replace('COMPLETED', 'constructor'), 'State', 'found "constructor"'],
  [
    'a day',
    row.replace('2014-08-01T00:00:05', '2014-08-32T00:00:05'),
    'Submit',
    'found "2014-08-32T00:00:05", expected a time such as 2014-08-01T12:00:00',
  ],
  ['an unknown submit time', row.replace('2014-08-01T00:00:05', 'Unknown'), 'Submit', 'found "Unknown"'],
  ['a run time', row.replace('00:30:00', 'x'.repeat(99)), 'Elapsed', `found "${'x'.repeat(40)}…", expected a duration`],
])(
  'parseSlurmCsv names file, line and column in the error for a wrong value of the kind: %s',
  (_, line, field, message) => {
    const failure = (): unknown => parse(row, line)
    expect(failure).toThrow(TraceError)
    expect(failure).toThrow(`aug-cab.csv, line 3, field ${field}: found`)
    expect(failure).toThrow(message)
  },
)

test('parseSlurmCsv reads commas, quotes and line ends in quoted values, and errors name the line of the file', () => {
  const named = 'JobID,JobName,User,Account,NNodes,State,Submit,Elapsed'
  const line = (name: string, nodes = '4'): string =>
    `1,${name},u7,phys,${nodes},COMPLETED,2014-08-01T00:00:00,00:10:00`
  const read = (...lines: ReadonlyArray<string>): SwfTrace => parseSlurmCsv([named, ...lines].join('\r\n'), { file })
  const trace = read(line('"a, b"'), line('"say ""hi""\r\nand go"'), '', line('x"y'))
  expect(trace.labels!.map(({ name }) => name)).toEqual(['a, b', 'say "hi"\nand go', 'x"y'])
  expect([...trace.lines]).toEqual([2, 3, 6])
  expect(() => read(line('"a\nb"'), line('c', '4K'))).toThrow('aug-cab.csv, line 4, field NNodes: found "4K"')
})

test.each([
  ['a quote that is never closed', `"907${row.slice(3)}`],
  ['text after a quote', `"907"7${row.slice(3)}`],
])('parseSlurmCsv names the line in the error for %s', (_, line) => {
  expect(() => parse(row, line, row)).toThrow(TraceError)
  expect(() => parse(row, line, row)).toThrow('aug-cab.csv, line 3: found "\\"907')
})

test('parseSlurmCsv refuses a repeated column', () => {
  expect(() => parseSlurmCsv(`${heading},State\n${row},FAILED\n`, { file })).toThrow(
    'aug-cab.csv, line 1: found the column State twice, expected every column once',
  )
  expect(() => parseSlurmCsv(`${heading},Comment,Comment\n${row},a,b\n`, { file })).toThrow(
    'found the column Comment twice',
  )
})

test('parseSlurmCsv keeps user, account, partition (as queue) and job name as labels of the jobs', () => {
  const { workload } = workloadFromSwf(
    parseSlurmCsv(
      'JobID,NNodes,State,Submit,Elapsed,User,Account,Partition,JobName\n' +
        '1,4,COMPLETED,2014-08-01T00:00:00,00:10:00,u7,phys,pbatch,lmp\n' +
        '2,4,COMPLETED,2014-08-01T00:00:00,00:10:00,,,,\n',
      { file },
    ),
  )
  expect([...workload.jobs].map(({ user, account, queue, name }) => [user, account, queue, name])).toEqual([
    ['u7', 'phys', 'pbatch', 'lmp'],
    [undefined, undefined, undefined, undefined],
  ])
})

test('parseSlurmCsv refuses lines with too few or too many values, and files without required columns', () => {
  expect(() => parse(row.slice(0, row.lastIndexOf(',')))).toThrow(
    'aug-cab.csv, line 2: found 11 values, expected 12 values, as many as the first line has names',
  )
  expect(() => parse(`${row},`)).toThrow('found 13 values')
  expect(() => parseSlurmCsv('JobID,Nodes,Submit\n', { file })).toThrow(
    'aug-cab.csv, line 1: found no column NNodes, State, Elapsed among JobID, Nodes, Submit, expected the columns JobID, NNodes,',
  )
})

test('parseSlurmCsv returns a trace or throws a TraceError for damaged bytes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(heading.length + row.length), fc.integer({ min: 0, max: 255 })), {
        minLength: 1,
        maxLength: 4,
      }),
      (changes) => {
        const bytes = Buffer.from(`${heading}\n${row}\n`)
        for (const [at, byte] of changes) bytes[at] = byte
        isSlurmCsv(bytes)
        try {
          parseSlurmCsv(bytes, { file })
        } catch (error) {
          if (!(error instanceof TraceError)) throw error
        }
      },
    ),
    { numRuns: 1000 },
  )
})

test('loadWorkload recognises a file of Slurm by its first line, plain or compressed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-csv-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (name: string, bytes: string | Uint8Array): string => {
    writeFileSync(join(folder, name), bytes)
    return join(folder, name)
  }
  const text = `\uFEFF${heading}\n${row}\n`
  expect(isSlurmCsv(Buffer.from(text))).toBe(true)
  expect(isSlurmCsv(Buffer.from('; JobID: a header of SWF\n1 0 -1 10 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n'))).toBe(
    false,
  )
  for (const path of [write('aug-cab.csv', text), write('aug-cab.csv.gz', gzipSync(text))]) {
    expect(loadWorkload(path, { filter: 'nodes<=8', arrivals: 'scale:0.5' })).toMatchObject({
      workload: { name: 'aug-cab', filter: 'nodes<=8', jobs: [{ id: '907', size: 8 }] },
      arrivals: 'scale:0.5',
    })
  }
  expect(() => loadWorkload(write('empty.csv', `${heading}\n`))).toThrow(
    'empty.csv: found no job, expected a line of values for each job',
  )
  expect(() => loadWorkload(write('twice.csv', `${heading}\n${row}\n${row}\n`))).toThrow(
    'twice.csv, line 3, field job: found 907 again, as on line 2',
  )
})
