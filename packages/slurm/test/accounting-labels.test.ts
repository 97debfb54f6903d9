import { auditRecords } from '@cloister/audit'
import { type Allocate, readLog, type LogRecord, type Submit } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { nodeName, parseTopology } from '@cloister/topology'
import { readSacct } from '@cloister/trace-io'
import { Anonymiser } from '@cloister/workload'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HistoryReader, importHistory, liveHeader, NodeIds, ObservedLog, parseSqueue } from '../src/index.ts'

const topology = parseTopology('radix:4')
const EPOCH = 1_700_000_000
const word = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/)
const some = fc.option(word, { nil: '' })
const starters = {
  SchedMain: 'main',
  SchedBackfill: 'backfill',
  'StartReceived,SchedSubmit': 'submit',
  None: undefined,
}

/** Job of a random accounting; a job of 0 nodes never ran. `id` has Slurm's sign of an array or heterogeneous job. */
const anyJob = fc.record({
  id: fc.oneof(
    fc.constant(['', {}] as const),
    fc.nat(99).map((task) => [`_${task}`, { array_task: task }] as const),
    fc.nat(9).map((offset) => [`+${offset}`, { het_offset: offset }] as const),
  ),
  partition: some,
  qos: some,
  reservation: some,
  priority: fc.option(fc.nat(2 ** 32 - 1), { nil: '' }),
  requested: fc.option(fc.nat(64), { nil: undefined }),
  allocated: fc.option(fc.nat(64), { nil: undefined }),
  flags: fc.constantFrom('', ...(Object.keys(starters) as ReadonlyArray<keyof typeof starters>)),
})
type AnyJob = typeof anyJob extends fc.Arbitrary<infer Job> ? Job : never

const heading =
  'JobID|JobIDRaw|Submit|Start|End|ElapsedRaw|NNodes|State|NodeList|Partition|QOS|Reservation|Priority|AllocTRES|ReqTRES|Flags'
const gpus = (number: number | undefined): string => (number === undefined ? '' : `cpu=4,gres/gpu:a100=${number}`)
const line = (job: AnyJob, at: number): string => {
  const start = EPOCH + 10 * at
  const run = [EPOCH, start, start + 5, 5, 1, 'COMPLETED', nodeName(topology, at)]
  const labels = [job.partition, job.qos, job.reservation, job.priority]
  return [
    `${at + 1}00${job.id[0]}`,
    at + 1,
    ...run,
    ...labels,
    gpus(job.allocated),
    gpus(job.requested),
    job.flags,
  ].join('|')
}

/** Fields of the submit record and of the allocate record, by the rules of the documentation. */
function expected(job: AnyJob, at: number): { readonly submit: object; readonly allocate: object } {
  const number = (value: number | string | undefined): number | undefined => Number(value) || undefined
  const group = job.id[0].startsWith('_')
    ? { array: `${at + 1}00` }
    : job.id[0] === ''
      ? {}
      : { het_job: `${at + 1}00` }
  return {
    submit: {
      queue: job.partition || undefined,
      qos: job.qos || undefined,
      advance_reservation: job.reservation || undefined,
      priority: number(job.priority),
      gpus: number(job.requested) ?? number(job.allocated),
      ...group,
      ...job.id[1],
    },
    allocate: {
      gpus: number(job.allocated) ?? number(job.requested),
      started_by: job.flags === '' ? undefined : starters[job.flags],
    },
  }
}

const names = [
  'queue',
  'qos',
  'advance_reservation',
  'priority',
  'gpus',
  'array',
  'array_task',
  'het_job',
  'het_offset',
]
const given = (record: object, fields: ReadonlyArray<string>): object =>
  Object.fromEntries(Object.entries(record).filter(([name, value]) => fields.includes(name) && value !== undefined))

function imported(text: string, anonymiser?: Anonymiser): ReadonlyArray<LogRecord> {
  const reader = new HistoryReader(new NodeIds(topology))
  readSacct(new TextEncoder().encode(text), { file: 'sacct.psv' }, (row) =>
    reader.add(anonymiser === undefined ? row : { ...row, labels: anonymiser.labels(row.labels) }),
  )
  const chunks: Array<Uint8Array> = []
  const options = { topology, file: 'sacct.psv', name: 'sacct', program: 'test@1.0.0' }
  importHistory(reader.history(), options, (chunk) => chunks.push(chunk), sha256)
  return recordsIn(chunks)
}

function recordsIn(chunks: ReadonlyArray<Uint8Array>): ReadonlyArray<LogRecord> {
  const records = [...readLog(chunks, sha256)]
  expect(auditRecords(records, sha256).violations).toEqual([])
  return records
}

const submitsOf = (records: ReadonlyArray<LogRecord>) =>
  records.filter((each): each is Submit => each.type === 'submit')
const allocatesOf = (records: ReadonlyArray<LogRecord>) =>
  records.filter((each): each is Allocate => each.type === 'allocate')

test('importHistory writes partition, QOS, reservation, priority, GPUs, array, heterogeneous job and starter of each job', () => {
  fc.assert(
    fc.property(fc.array(anyJob, { minLength: 1, maxLength: 8 }), (jobs) => {
      const records = imported([heading, ...jobs.map(line), ''].join('\n'))
      const byId = (records_: ReadonlyArray<Submit | Allocate>) =>
        records_.toSorted((a, b) => Number(a.job) - Number(b.job))
      expect(byId(submitsOf(records)).map((each) => given(each, names))).toEqual(
        jobs.map((job, at) => given(expected(job, at).submit, names)),
      )
      expect(byId(allocatesOf(records)).map((each) => given(each, ['gpus', 'started_by']))).toEqual(
        jobs.map((job, at) => given(expected(job, at).allocate, ['gpus', 'started_by'])),
      )
    }),
    { numRuns: 200 },
  )
})

test('importHistory joins the components of a heterogeneous job: GPUs are added, and het_offset is absent', () => {
  const job = { partition: 'gpu', qos: '', reservation: '', priority: 9, flags: 'SchedMain' } as const
  const component = (offset: number, requested: number): AnyJob => ({
    ...job,
    id: [`+${offset}`, { het_offset: offset }],
    requested,
    allocated: requested,
  })
  const rows = [component(0, 8), component(1, 4)].map((each, at) => line(each, at).replace(/^\d+/, '100'))
  const [submit, ...others] = submitsOf(imported([heading, ...rows, ''].join('\n')))
  expect(others).toEqual([])
  expect(given(submit, names)).toEqual({ queue: 'gpu', priority: 9, gpus: 12, het_job: '100' })
})

test('an Anonymiser replaces QOS and reservations of an imported log, and keeps partitions, priorities, GPUs and arrays', () => {
  const person = {
    id: ['_3', { array_task: 3 }],
    partition: 'batch',
    qos: 'smith',
    reservation: 'smith',
    priority: 7,
  } as const
  const text = [heading, line({ ...person, requested: 2, allocated: 2, flags: 'SchedMain' }, 0), ''].join('\n')
  const [submit] = submitsOf(imported(text, new Anonymiser('a salt of ours')))
  expect(JSON.stringify(submit)).not.toContain('smith')
  expect(given(submit, names)).toEqual({
    queue: 'batch',
    qos: expect.stringMatching(/^qos-[0-9a-f]{12}$/),
    advance_reservation: expect.stringMatching(/^reservation-[0-9a-f]{12}$/),
    priority: 7,
    gpus: 2,
    array: '100',
    array_task: 3,
  })
})

test('ObservedLog writes QOS, reservation, priority, GPUs and array of the jobs in squeue, and no priority of a held job', () => {
  const squeue = [
    `12_3|PENDING|${EPOCH}|${EPOCH}|N/A|N/A|1:00|1||ann|(null)|gpu|0|cpu=4,gres/gpu=2,node=1|4294901|high|course`,
    `13|RUNNING|${EPOCH}|${EPOCH}|${EPOCH}|N/A|1:00|1|${nodeName(topology, 0)}|ann|(null)|gpu|0|cpu=4,gres/gpu=4,node=1|0|N/A|(null)`,
  ]
  const chunks: Array<Uint8Array> = []
  const ids = new NodeIds(topology)
  const log = new ObservedLog(
    liveHeader('live', EPOCH, 'test@1.0.0'),
    topology,
    ids,
    (chunk) => chunks.push(chunk),
    sha256,
  )
  log.look({ at: EPOCH + 1, rows: parseSqueue(squeue.map((each) => `${each}|\n`).join(''), '|'), down: [] })
  const records = [...readLog(chunks, sha256)]
  expect(submitsOf(records).map((each) => given(each, [...names, 'job']))).toEqual([
    {
      job: '12_3',
      queue: 'gpu',
      qos: 'high',
      advance_reservation: 'course',
      priority: 4_294_901,
      gpus: 2,
      array: '12',
      array_task: 3,
    },
    { job: '13', queue: 'gpu', gpus: 4 },
  ])
  expect(allocatesOf(records)).toMatchObject([{ job: '13', gpus: 4 }])
})
