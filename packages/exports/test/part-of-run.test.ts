import { extractWindow, type Header, type LogRecord, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { parseIdset } from '@cloister/topology'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
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
import { runs } from './runs.ts'

/** Log of a part of a run, with the records of the whole run until the end of the part. */
interface Cut {
  readonly part: ReadonlyArray<LogRecord>
  readonly run: ReadonlyArray<LogRecord>
  readonly from: number
  readonly until: number
}

const cuts: fc.Arbitrary<Cut> = fc
  .tuple(
    runs().filter((records) => records.some(({ type }) => type === 'submit')),
    fc.nat(20),
    fc.nat(15),
  )
  .map(([records, begin, length]) => {
    const chunks: Array<Uint8Array> = []
    extractWindow(
      () => records,
      begin,
      begin + length,
      (chunk) => chunks.push(chunk),
      sha256,
    )
    const part = [...readLog(chunks, sha256)]
    const { from, until } = (part[0] as Header).part!
    const later = records.findIndex((record) => record.type === 'end' || (record.type !== 'header' && record.t > until))
    const run = records.slice(0, later < 0 ? records.length : later)
    const none = { submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }
    return { part, run: [...run, { seq: run.length, t: until, type: 'end', ...none }], from, until }
  })

const text = (pieces: Iterable<unknown>): string => [...pieces].join('')
const linesOf = (pieces: Iterable<unknown>): ReadonlyArray<string> => text(pieces).split('\n').slice(0, -1)

/** Returns the ids of the jobs of the run that waited or ran in the part. */
function jobsThere({ run, from }: Cut): ReadonlySet<string> {
  const left = new Map<string, number>()
  const jobs = new Set<string>()
  const running = new Set<string>()
  for (const record of run) {
    if (record.type === 'header' || !('job' in record)) continue
    if (record.type === 'submit') jobs.add(record.job)
    if (record.type === 'allocate') running.add(record.job)
    const isLeaving = ['finish', 'kill', 'reject'].includes(record.type)
    if (isLeaving || (record.type === 'cancel' && !running.has(record.job))) left.set(record.job, record.t)
    if (record.type === 'finish' || record.type === 'kill') running.delete(record.job)
    if (record.type === 'requeue') left.delete(record.job)
  }
  return new Set([...jobs].filter((job) => (left.get(job) ?? Infinity) >= from))
}

it('the tables of a log with a part of a run have the jobs of the part, with the values from the log of the whole run', () => {
  fc.assert(
    fc.property(cuts, (cut) => {
      const { part, run, from } = cut
      const jobs = jobsThere(cut)
      // The records of a part have new `seq` numbers, but rows of the table have no `seq`.
      const rows = (records: ReadonlyArray<LogRecord>): ReadonlyArray<string> =>
        linesOf(tableFormats.ndjson({ columns: tables.jobs.columns, batches: tables.jobs.batches(records) }))
      expect(rows(part)).toEqual(rows(run).filter((row) => jobs.has((JSON.parse(row) as { job: string }).job)))
      const isOfPart = (row: string): boolean => jobs.has(row.split(',')[0])
      expect(linesOf(batsimJobs(part)).slice(1)).toEqual(linesOf(batsimJobs(run)).slice(1).filter(isOfPart))
      const swfRows = (records: ReadonlyArray<LogRecord>): ReadonlyArray<string> =>
        linesOf(swfOfLog(records)).filter((line) => !line.startsWith(';') && jobs.has(line.split(' ')[0]))
      expect(linesOf(swfOfLog(part)).filter((line) => !line.startsWith(';'))).toEqual(swfRows(run))
      expect(text(swfOfLog(part))).toContain(`; Note: a part of a run, from ${from} s to `)
      const endedThere = (row: string): boolean => {
        const end = row.split('|')[5]
        return end === 'Unknown' || Number(end) >= 1_577_836_800 + from
      }
      expect(linesOf(sacctOfLog(part)).slice(1)).toEqual(linesOf(sacctOfLog(run)).slice(1).filter(endedThere))
    }),
    { numRuns: 100 },
  )
})

it('batsimSchedule of a log with a part of a run has the totals of the part', () => {
  fc.assert(
    fc.property(cuts, (cut) => {
      const { part, run, from, until } = cut
      const [names, values] = linesOf(batsimSchedule(part)).map((line) => line.split(','))
      const total = Object.fromEntries(names.map((name, at) => [name, Number(values[at])]))
      const runTimes = new Map<string, { start: number; end: number; nodes: number }>()
      for (const record of run) {
        if (record.type === 'allocate')
          runTimes.set(record.job, { start: record.t, end: until, nodes: parseIdset(record.nodes).length })
        if (record.type === 'finish' || record.type === 'kill') runTimes.get(record.job)!.end = record.t
      }
      const computing = [...runTimes.values()].reduce(
        (sum, { start, end, nodes }) => sum + Math.max(0, end - Math.max(from, start)) * nodes,
        0,
      )
      expect(total).toMatchObject({
        makespan: -1,
        nb_jobs: jobsThere(cut).size,
        time_computing: computing,
        time_idle: 16 * (until - from) - computing,
      })
    }),
    { numRuns: 100 },
  )
})

interface TraceEvent {
  readonly ph: string
  readonly cat?: string
  readonly name: string
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  readonly args: Record<string, unknown>
}

it('chromeTrace of a log with a part of a run has the events of the run in the part, and no earlier events', () => {
  fc.assert(
    fc.property(cuts, ({ part, run, from }) => {
      const events = (records: ReadonlyArray<LogRecord>): ReadonlyArray<TraceEvent> =>
        (JSON.parse(text(chromeTrace(records))) as { readonly traceEvents: ReadonlyArray<TraceEvent> }).traceEvents
      const begin = from * 1e6
      const [ofPart, ofRun] = [events(part), events(run)]
      for (const { ph, ts, dur = 0 } of ofPart) if (ph !== 'M') expect([ts >= begin, dur >= 0]).toEqual([true, true])
      const slices = (all: ReadonlyArray<TraceEvent>): ReadonlyArray<string> =>
        all
          .filter(({ ph, ts, dur = 0 }) => ph === 'X' && ts + dur >= begin)
          .map(({ cat, name, tid, ts, dur = 0, args }) =>
            JSON.stringify([cat, name, tid, Math.max(begin, ts), ts + dur, { ...args, record: undefined }]),
          )
          .toSorted()
      // A slice that ends at the begin of the part is of a job that was released at this instant or before.
      const lasting = (all: ReadonlyArray<string>): ReadonlyArray<string> =>
        all.filter((line) => {
          const [, , , start, end] = JSON.parse(line) as ReadonlyArray<number>
          return end > start || start > begin
        })
      expect(lasting(slices(ofPart))).toEqual(lasting(slices(ofRun)))
      const counters = (all: ReadonlyArray<TraceEvent>): unknown => {
        const latest = new Map<string, unknown>()
        const changes: Array<unknown> = []
        for (const { ph, name, ts, args } of all) {
          if (ph !== 'C') continue
          if (ts <= begin) latest.set(name, args)
          else changes.push([name, ts, args])
        }
        return { atBegin: Object.fromEntries(latest), changes }
      }
      expect(counters(ofPart)).toEqual(counters(ofRun))
    }),
    { numRuns: 100 },
  )
})

it('paje of a log with a part of a run has the states of the run in the part, and no earlier states', () => {
  /** Returns the state of each node and the value of each variable at each whole second of the part. */
  const statesOf = (records: ReadonlyArray<LogRecord>, { from, until }: Cut): unknown => {
    const names = new Map<string, string>()
    const events = linesOf(paje(records)).flatMap((line) => {
      const [type, first, ...fields] = line.split(' ')
      if (type === '5') names.set(first, fields[1])
      return type === '11' || type === '8'
        ? [{ t: Number(first), of: fields.slice(0, 2).join(' '), value: fields[2] }]
        : []
    })
    return Array.from({ length: Math.floor(until) - Math.ceil(from) + 1 }, (_, at) => {
      const state = new Map<string, string>()
      for (const { t, of, value } of events)
        if (t <= Math.ceil(from) + at && value !== '0') state.set(of, names.get(value) ?? value)
        else if (t <= Math.ceil(from) + at) state.delete(of)
      return Object.fromEntries(state)
    })
  }
  fc.assert(
    fc.property(cuts, (cut) => {
      expect(statesOf(cut.part, cut)).toEqual(statesOf(cut.run, cut))
      for (const line of linesOf(paje(cut.part)))
        if (/^(6|7|8|11) /.test(line)) expect(Number(line.split(' ')[1])).toBeGreaterThanOrEqual(cut.from)
    }),
    { numRuns: 60 },
  )
})
