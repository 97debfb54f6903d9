import { spawnSync } from 'node:child_process'
import type { Header, LogRecord } from '@cloister/eventlog'
import { parseIdset } from '@cloister/topology'
import { parseSwf, workloadFromSwf } from '@cloister/trace-io'
import { parseFilter, parseArrivals } from '@cloister/workload'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  batsimJobs,
  batsimSchedule,
  chromeTrace,
  paje,
  sacctOfLog,
  swfOfLog,
  tableFormats,
  tables,
} from '../src/index.ts'
import { holdings, parseCsv } from './readings.ts'
import { hostileIds, runs } from './runs.ts'

const text = (pieces: Iterable<unknown>): string => [...pieces].join('')

interface TraceEvent {
  readonly ph: string
  readonly cat?: string
  readonly name: string
  readonly id?: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur: number
  readonly args: Record<string, number>
}

describe('chromeTrace', () => {
  it('chromeTrace has every allocation of a node in one slice, and no two slices of a thread overlap', () => {
    fc.assert(
      fc.property(runs(hostileIds), (records) => {
        const { traceEvents } = JSON.parse(text(chromeTrace(records))) as {
          readonly traceEvents: ReadonlyArray<TraceEvent>
        }
        const slices = traceEvents.filter(({ ph }) => ph === 'X')
        expect(
          slices
            .filter(({ cat }) => cat === 'job')
            .flatMap(({ tid, name, ts, dur, args }) => {
              const nodes = [...parseIdset(String(args['nodes']))]
              expect(tid).toBe(nodes[0])
              return nodes.map((node) => `${node} ${name} ${ts / 1e6} ${(ts + dur) / 1e6}`)
            })
            .toSorted(),
        ).toEqual(holdings(records))
        for (const thread of Map.groupBy(slices, ({ pid, tid }) => `${pid} ${tid}`).values()) {
          const sorted = thread.toSorted((a, b) => a.ts - b.ts || a.dur - b.dur)
          for (let at = 1; at < sorted.length; at++)
            expect(sorted[at].ts).toBeGreaterThanOrEqual(sorted[at - 1].ts + sorted[at - 1].dur)
        }
        for (const { pid, tid } of slices)
          expect(
            traceEvents.some((event) => event.ph === 'M' && event.name === 'process_name' && event.pid === pid) &&
              Number.isInteger(tid),
          ).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('the trace of chromeTrace grows with the ranges of nodes in a log, not with the number of nodes', () => {
    const topology = { name: 'wide', pgft: { m: [2000, 2], w: [1, 1], p: [1, 1] } }
    const [{ x: _x, names: _names, ...header }] = fc.sample(runs(), 1)[0] as unknown as [Header]
    const job = (id: string, seq: number): ReadonlyArray<LogRecord> => [
      { seq, t: seq, type: 'submit', job: id, size: 3000 },
      { seq: seq + 1, t: seq, type: 'allocate', job: id, nodes: '0-1,5-3002', cause: seq },
      { seq: seq + 2, t: seq, type: 'finish', job: id, cause: seq + 1 },
      { seq: seq + 3, t: seq, type: 'release', job: id, cause: seq + 2 },
    ]
    const of = (jobs: number): ReadonlyArray<string> =>
      text(
        chromeTrace([
          { ...header, topology },
          ...Array.from({ length: jobs }, (_, at) => job(`${at}`, 4 * at + 1)).flat(),
        ]),
      ).split('\n')
    const slices = of(10).filter((line) => line.includes('"cat":"job"'))
    expect(slices).toHaveLength(30)
    expect(slices.slice(0, 3).map((line) => /"nodes":"([^"]*)","size":(\d+)/.exec(line)!.slice(1))).toEqual([
      ['0-1', '3000'],
      ['5-1999', '3000'],
      ['2000-3002', '3000'],
    ])
    expect(of(110).length - of(10).length).toBeLessThan(100 * 20)
  })

  it('chromeTrace has a begin and an end of each wait, and counters of nodes that add up to the machine', () => {
    fc.assert(
      fc.property(runs(), (records) => {
        const { traceEvents } = JSON.parse(text(chromeTrace(records))) as {
          readonly traceEvents: ReadonlyArray<TraceEvent>
        }
        const open = new Set<string>()
        for (const { ph, id } of traceEvents) {
          if (ph === 'b') expect(open.size).toBe(open.add(id!).size - 1)
          if (ph === 'e') expect(open.delete(id!)).toBe(true)
        }
        expect(open.size).toBe(0)
        // A failed node of a job would count as busy and as down until the kill of the job, but the trace has counters
        // only at the end of an instant.
        for (const { name, args } of traceEvents.filter(({ ph }) => ph === 'C'))
          if (name === 'nodes') expect(args['busy'] + args['free'] + args['down']).toBe(16)
      }),
      { numRuns: 60 },
    )
  })
})

describe('batsimJobs and batsimSchedule', () => {
  it('batsimJobs has a line for each job that ended, with the times of the last run of the job', () => {
    fc.assert(
      fc.property(runs(hostileIds), (records) => {
        const rows = parseCsv(text(batsimJobs(records)))
        const last = new Map(
          records.flatMap((record) => (record.type === 'allocate' ? [[record.job, record] as const] : [])),
        )
        const requeued = new Set<string>()
        const outcome = new Map<string, string>()
        for (const record of records) {
          if (record.type === 'finish') outcome.set(record.job, 'COMPLETED_SUCCESSFULLY')
          if (record.type === 'kill')
            outcome.set(record.job, record.code === 'estimate' ? 'COMPLETED_WALLTIME_REACHED' : 'COMPLETED_KILLED')
          if (record.type === 'reject') outcome.set(record.job, 'REJECTED')
          if (record.type === 'requeue' || record.type === 'allocate') outcome.delete(record.job)
          if (record.type === 'requeue') requeued.add(record.job)
        }
        expect(Object.fromEntries(rows.map((row) => [row['job_id'], row['final_state']]))).toEqual(
          Object.fromEntries(outcome),
        )
        for (const row of rows.filter(({ final_state: state }) => state !== 'REJECTED')) {
          const allocate = last.get(row['job_id'])!
          expect(Number(row['starting_time'])).toBe(allocate.t)
          expect(row['allocated_resources']).toBe(allocate.nodes.replaceAll(',', ' '))
          expect(Number(row['submission_time']) + Number(row['waiting_time'])).toBe(allocate.t)
          expect(Number(row['submission_time']) + Number(row['turnaround_time'])).toBe(Number(row['finish_time']))
        }
      }),
      { numRuns: 60 },
    )
  })

  it('batsimSchedule has the totals of the ended jobs of a log', () => {
    fc.assert(
      fc.property(runs(), (records) => {
        const rows = parseCsv(text(batsimJobs(records))).filter(({ final_state: state }) => state !== 'REJECTED')
        const [total] = parseCsv(text(batsimSchedule(records)))
        const computing = rows.reduce(
          (sum, row) =>
            sum + Number(row['execution_time']) * parseIdset(row['allocated_resources'].replaceAll(' ', ',')).length,
          0,
        )
        expect(Number(total['time_computing'])).toBe(computing)
        expect(Number(total['time_computing']) + Number(total['time_idle'])).toBe(16 * Number(total['makespan']))
        expect(Number(total['nb_jobs_finished'])).toBe(rows.length)
      }),
      { numRuns: 60 },
    )
  })
})

describe('swfOfLog', () => {
  it('swfOfLog writes an SWF file that parses to the same jobs, with the waits in the log', () => {
    fc.assert(
      fc.property(runs(), (records) => {
        const trace = parseSwf(text(swfOfLog(records)), { file: 'log.swf' })
        const submits = records.filter((record) => record.type === 'submit')
        expect([...trace.columns.job]).toEqual(submits.map(({ job }) => Number(job)))
        expect([...trace.columns.requestedProcs]).toEqual(submits.map(({ size }) => size))
        const starts = new Map(
          records.flatMap((record) => (record.type === 'allocate' ? [[record.job, record.t] as const] : [])),
        )
        expect([...trace.columns.wait]).toEqual(
          submits.map(({ job, t }) => (starts.has(job) ? starts.get(job)! - t : -1)),
        )
        const { workload } = workloadFromSwf(trace, {
          filter: parseFilter(''),
          arrivals: parseArrivals('trace'),
          name: 'again',
        })
        // A workload from SWF has no jobs without a run time, and its times count from the first job with a run time.
        const first = submits.find(({ job }) => job === workload.jobs.at(0)?.id)?.t ?? 0
        for (const { id, size, submit } of workload.jobs)
          expect(submits.find(({ job }) => job === id)).toMatchObject({ size, t: first + submit / 1000 })
      }),
      { numRuns: 60 },
    )
  })

  it('swfOfLog replaces job ids that are no numbers by numbers, with a note in the file', () => {
    fc.assert(
      fc.property(runs(hostileIds), (records) => {
        const swf = text(swfOfLog(records))
        if (records.some(({ type }) => type === 'submit'))
          expect(swf).toContain('; Note: job numbers are places in the log')
        expect(parseSwf(swf, { file: 'log.swf' }).jobs).toBe(records.filter(({ type }) => type === 'submit').length)
      }),
      { numRuns: 20 },
    )
  })
})

describe('sacctOfLog', () => {
  it('sacctOfLog gives a job whose id is no number a number that no other job has', () => {
    fc.assert(
      fc.property(runs(), (records) => {
        const ids = [...new Set(records.flatMap((record) => ('job' in record ? [record.job] : [])))]
        const renamed = new Map(ids.map((id, at) => [id, at % 2 === 0 ? `job-${at}` : String((at + 1) / 2)]))
        const mixed = records.map((record) =>
          'job' in record ? { ...record, job: renamed.get(record.job)! } : record,
        ) as ReadonlyArray<LogRecord>
        const numbers = (some: ReadonlyArray<LogRecord>): number =>
          new Set(
            text(sacctOfLog(some))
              .trim()
              .split('\n')
              .slice(1)
              .map((row) => row.split('|')[0]),
          ).size
        expect(numbers(mixed)).toBe(numbers(records))
      }),
      { numRuns: 20 },
    )
  })
})

describe('the accounting of a foreign scheduler', () => {
  const [header] = fc.sample(runs(), 1)[0]
  const submit = { seq: 1, t: 0, type: 'submit', job: '7', size: 1 } as const
  const labels = {
    qos: 'high',
    advance_reservation: 'course',
    priority: 4294,
    gpus: 8,
    array: '5',
    array_task: 2,
  } as const
  const allocate = { seq: 2, t: 3, type: 'allocate', job: '7', nodes: '0', started_by: 'backfill', cause: 1 } as const

  it('sacctOfLog writes the accounting in the words of Slurm', () => {
    const sacct = text(sacctOfLog([header, { ...submit, ...labels }, allocate]))
    const row = Object.fromEntries(
      sacct
        .split('\n')[0]
        .split('|')
        .map((name, at) => [name, sacct.split('\n')[1].split('|')[at]]),
    )
    expect(row).toMatchObject({ JobID: '5_2', JobIDRaw: '7', QOS: 'high', Reservation: 'course', Priority: '4294' })
    expect(row).toMatchObject({ AllocTRES: 'gres/gpu=8', ReqTRES: 'gres/gpu=8', Flags: 'SchedBackfill' })
  })
})

const hasPajeReader = spawnSync('pj_dump', ['--version']).error === undefined
if (!hasPajeReader)
  console.warn(
    'pj_dump is not installed (Debian: pajeng): no program outside of Cloister reads the Paje traces in these tests',
  )

describe('paje', () => {
  it.skipIf(!hasPajeReader)('paje writes a trace in which pajeng finds every allocation of a node', () => {
    fc.assert(
      fc.property(runs(), (records) => {
        const { stdout, stderr, status } = spawnSync('pj_dump', [], { input: text(paje(records)), encoding: 'utf8' })
        expect(stderr).toBe('')
        expect(status).toBe(0)
        const states = stdout
          .split('\n')
          .filter((line) => line.startsWith('State, '))
          .map((line) => line.split(', '))
        const held = states
          .filter(([, , , , , , , value]) => value !== 'free' && value !== 'down')
          .map(
            ([, node, , start, end, , , job]) => `${node.replace('node ', '')} ${job} ${Number(start)} ${Number(end)}`,
          )
        // Pajeng may drop a state with a length of 0.
        const lasting = (line: string): boolean => line.split(' ')[2] !== line.split(' ')[3]
        expect(held.filter(lasting).toSorted()).toEqual(holdings(records).filter(lasting))
      }),
      { numRuns: 25 },
    )
  })

  it('paje writes quotes around hostile names, which cannot end the quotes', () => {
    fc.assert(
      fc.property(runs(hostileIds), (records) => {
        for (const line of text(paje(records)).split('\n').slice(0, -1)) {
          expect(line).toMatch(/^(%.*|\d+( [^\s"]+)*( "[^"]*"){0,2})$/)
        }
      }),
      { numRuns: 20 },
    )
  })
})

describe('exports of a log with records that contradict each other', () => {
  const ofTables = Object.values(tables).map(
    ({ name, columns, batches }) =>
      [name, (records: Iterable<LogRecord>) => tableFormats.csv({ columns, batches: batches(records) })] as const,
  )
  const exports = { batsimJobs, batsimSchedule, chromeTrace, paje, swfOfLog, ...Object.fromEntries(ofTables) }
  const [header] = fc.sample(runs(), 1)[0]
  const submit = (seq: number): LogRecord => ({ seq, t: 0, type: 'submit', job: 'a', size: 1 })
  const allocate = (seq: number): LogRecord => ({ seq, t: 0, type: 'allocate', job: 'a', nodes: '0', cause: 1 })

  it.each<[string, ReadonlyArray<LogRecord>]>([
    ['ends a job that never came', [{ seq: 1, t: 0, type: 'finish', job: 'a', cause: 1 }]],
    ['kills a job that never came', [{ seq: 1, t: 0, type: 'kill', job: 'a', code: 'cancel', cause: 1 }]],
    ['starts a job that never came', [allocate(1)]],
    ['starts a job twice', [submit(1), allocate(2), allocate(3)]],
    ['submits a job twice', [submit(1), submit(2)]],
    ['has a second header', [{ ...header, seq: 1 } as unknown as LogRecord]],
    ['releases a job that waits', [submit(1), { seq: 2, t: 0, type: 'release', job: 'a', cause: 1 }]],
    ['brings a node up that was never down', [submit(1), { seq: 2, t: 0, type: 'up', nodes: '0' }]],
  ])('every format except sacct refuses a log that %s, and the error names the `seq` of the record', (_, records) => {
    for (const [name, pieces] of Object.entries(exports))
      expect(() => text(pieces([header, ...records])), name).toThrow(`record ${records.length} (`)
  })
})
