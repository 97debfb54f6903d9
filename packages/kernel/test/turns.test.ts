import { auditRecords } from '@cloister/audit'
import { extractWindow, type Header, type LogRecord, readLog, type Submit } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { baseline } from '@cloister/policy-baseline'
import { withTurns } from '@cloister/workload'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jobsOf, run, type RunOptions } from './random-runs.ts'

const fcfs: Omit<RunOptions, 'jobs'> = {
  topology: 'radix:4',
  policy: baseline,
  config: {},
  queue: { backfill: 'none' },
  order: 'recorded',
  estimates: 'exact',
  overrun: 'kill',
  refusals: false,
}

/** Twelve jobs. Under the drawn recorded starts, the turns differ from the order of submission. */
const twelve = jobsOf(
  ...Array.from({ length: 12 }, (_, at) => [1000 * at, 1 + ((5 * at) % 9), 3000 + 1371 * ((at * 5) % 7)] as const),
)

/** Starts under the recorded order when nodes alone count: each job waits for all earlier turns, then for nodes. */
function naiveStarts(records: ReadonlyArray<LogRecord>, nodes: number, lengths: ReadonlyMap<string, number>) {
  const submits = records.filter((record): record is Submit => record.type === 'submit')
  const running: Array<{ readonly end: number; readonly size: number }> = []
  let now = 0
  return new Map(
    submits
      .toSorted((a, b) => a.turn! - b.turn!)
      .map(({ job, size, t }) => {
        now = Math.max(now, Math.round(t * 1000))
        const free = (at: number): number =>
          nodes - running.reduce((sum, each) => sum + (each.end > at ? each.size : 0), 0)
        const times = [now, ...running.map(({ end }) => end)].filter((at) => at >= now).sort((a, b) => a - b)
        now = times.find((at) => free(at) >= size)!
        running.push({ end: now + lengths.get(job)!, size })
        return [job, now / 1000]
      }),
  )
}

describe('the order recorded', () => {
  it('starts each job when all jobs of earlier turns have started and enough nodes are free', () => {
    const job = fc.tuple(
      fc.integer({ min: 0, max: 20_000 }),
      fc.integer({ min: 1, max: 16 }),
      fc.integer({ min: 1, max: 9000 }),
    )
    fc.assert(
      fc.property(fc.array(job, { minLength: 1, maxLength: 30 }), (drawn) => {
        const jobs = jobsOf(...drawn)
        const { records } = run({ ...fcfs, jobs })
        const starts = records.flatMap((record) =>
          record.type === 'allocate' ? [[record.job, record.t] as const] : [],
        )
        const lengths = new Map(jobs.map(({ id, runTime }) => [id, runTime]))
        expect(new Map(starts)).toEqual(naiveStarts(records, 16, lengths))
      }),
      { numRuns: 200 },
    )
  })

  it('audits clean, also in a part of the run', () => {
    const { records } = run({ ...fcfs, jobs: twelve })
    expect(auditRecords(records, sha256)).toMatchObject({ violations: [], checked: { turns: expect.any(Number) } })
    for (let from = 0; from < 30; from += 3) {
      const chunks: Array<Uint8Array> = []
      extractWindow(
        () => records,
        from,
        from + 9,
        (chunk) => chunks.push(chunk),
        sha256,
      )
      expect(auditRecords(Array.from(readLog(chunks, sha256)), sha256).violations, `from ${from}`).toEqual([])
    }
  })
})

type Forgery = (record: LogRecord) => LogRecord

const ofSubmit =
  (turn: number, change: object): Forgery =>
  (record) =>
    record.type === 'submit' && record.turn === turn ? { ...record, ...change } : record
const ofHeader =
  (change: (header: Header) => object): Forgery =>
  (record) =>
    record.type === 'header' ? { ...record, ...change(record) } : record

const forgeries: Readonly<Record<string, Forgery>> = {
  'two jobs have the same turn': ofSubmit(5, { turn: 4 }),
  'a turn is missing': ofSubmit(12, { turn: 13 }),
  'a job has no turn': ofSubmit(3, { turn: undefined }),
  'a job is eligible later than it may start': ofSubmit(4, { eligible: 10_000 }),
  'a job is eligible although it was eligible at its submission': ofSubmit(1, { eligible: 0.5 }),
  'no job says when it is eligible': (record) =>
    record.type === 'submit' ? ({ ...record, eligible: undefined } as object as Submit) : record,
  'the header claims no recorded order': ofHeader(({ order }) => ({
    order: { ...order, claims: { fixed: true, history: false } },
  })),
  'the header has no order': ofHeader(() => ({ order: undefined })),
}

it.each(Object.entries(forgeries))('the audit finds a forged log in which %s', (_, forge) => {
  const { records } = run({ ...fcfs, jobs: twelve })
  const forged = auditRecords(records.map(forge), sha256)
  expect(Object.keys(forged.violationCounts)).toContain('turns')
})

it('the audit finds two starts in the order of submission instead of the turns', () => {
  const jobs = jobsOf([0, 16, 5000], [1000, 1, 1000], [2000, 1, 1000])
  const { records } = run({ ...fcfs, jobs })
  const turnOf = new Map(records.flatMap((each) => (each.type === 'submit' ? [[each.job, each.turn!] as const] : [])))
  const exchange = (job: string): string => (job === '2' ? '3' : job === '3' ? '2' : job)
  const forged = records.map((record) =>
    record.type === 'submit' ? { ...record, turn: turnOf.get(exchange(record.job))! } : record,
  )
  expect(auditRecords(forged, sha256).violations).not.toEqual([])
})

it('withTurns gives the places of the recorded starts, and the latest submission of earlier turns', () => {
  const job = fc.record({ submit: fc.nat(50), waited: fc.option(fc.nat(50), { nil: undefined }) })
  fc.assert(
    fc.property(fc.array(job, { maxLength: 20 }), (drawn) => {
      const jobs = jobsOf(...drawn.map(({ submit }) => [submit, 1, 1] as const)).map((each, at) => ({
        ...each,
        ...(drawn[at].waited !== undefined && { recordedStart: each.submit + drawn[at].waited }),
      }))
      const startOf = (at: number): number => jobs[at].recordedStart ?? jobs[at].submit
      const isEarlier = (a: number, b: number): boolean =>
        startOf(a) < startOf(b) || (startOf(a) === startOf(b) && a < b)
      for (const [at, { turn, eligible, submit }] of withTurns(jobs).entries()) {
        const earlier = [...jobs.keys()].filter((other) => isEarlier(other, at))
        expect(turn).toBe(earlier.length + 1)
        expect(eligible ?? submit).toBe(Math.max(submit, ...earlier.map((other) => jobs[other].submit)))
      }
    }),
  )
})
