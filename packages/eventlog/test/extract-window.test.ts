import fc from 'fast-check'
import { expect, it } from 'vitest'
import { extractWindow, expectedEnd, type Header, type LogRecord, LogState } from '../src/index.ts'
import { sha256 } from '../src/node/index.ts'
import { chance, tellLegalHistory } from './legal-history.ts'
import { read } from './reading.ts'
import { anyTopology, concat, sampleHeader, writeLog } from './sample-logs.ts'

/** Returns the jobs, reservations, routes and free or down resources of a state, without the seqs of records. */
function visible(state: LogState): unknown {
  return {
    waiting: [...state.waiting.keys()],
    running: [...state.running.values()].map(({ submit, allocate, nodes, links }) => [
      submit.job,
      expectedEnd({ submit, allocate }),
      [...nodes],
      links.map((ids) => [...ids]),
    ]),
    reservations: [...state.reservations.values()].map(({ job, start, nodes }) => [job, start, nodes]),
    killed: [...state.killed.keys()],
    routes: [...state.routes.values()].map(({ job }) => job),
    downRails: state.downRails,
    down: [state.downNodes, ...state.downLinks].map((ids) => [...ids].toSorted((a, b) => a - b)),
    free: [...state.freeNodes].toSorted((a, b) => a - b),
  }
}

/** Returns the state after all events until a time. */
function stateAt(records: ReadonlyArray<LogRecord>, t: number): LogState {
  const state = new LogState(records[0] as Header)
  for (const record of records.slice(1)) {
    if (record.type === 'end' || ('t' in record && record.t > t)) break
    state.apply(record)
  }
  return state
}

it('extractWindow writes a whole log with the states of the run between `from` and `until`, and without references to missing records', () => {
  fc.assert(
    fc.property(anyTopology, fc.boolean(), chance, (topology, capped, next) => {
      const header = sampleHeader({ seal_every: 4 + next(10) }, capped ? 'capped' : 'owned')
      const { records } = read(
        writeLog(header, topology, [(to) => (tellLegalHistory(to, topology, capped, 40 + next(200), next), 0)]),
      )
      const end = records.reduce((t, record) => ('t' in record ? record.t : t), 0)
      const from = (next(1000) / 1000) * end
      const until = from + (next(1000) / 1000) * (end - from)
      const chunks: Uint8Array[] = []
      extractWindow(
        () => records,
        from,
        until,
        (chunk) => chunks.push(chunk),
        sha256,
      )
      const cut = read(concat(chunks))
      expect(cut.outcome.status).toBe('whole')
      const arrival = records.find(({ type }) => type === 'submit') as { readonly t: number } | undefined
      const part = { from: Math.min(rounded(until), Math.max(arrival?.t ?? end, rounded(from))), until: rounded(until) }
      expect(cut.records[0]).toMatchObject({ requires: expect.arrayContaining(['part', 'progress']), part })
      expect(cut.records.find(({ type }) => type === 'end')).toMatchObject({ t: part.until })
      expect(cut.records.length).toBeLessThanOrEqual(records.length + 3 + Math.ceil(records.length / header.seal_every))
      for (const t of [rounded(from), from + (until - from) / 2, rounded(until)])
        expect(visible(stateAt(cut.records, t))).toEqual(visible(stateAt(records, t)))
      for (const record of cut.records) {
        const {
          cause,
          for: reservation,
          backfill,
        } = record as { readonly cause?: number; readonly for?: number; readonly backfill?: number }
        for (const seq of [cause, reservation, backfill]) expect(seq ?? 0).toBeLessThan(Math.max(1, record.seq))
        if (reservation !== undefined)
          expect(cut.records[reservation]).toMatchObject({
            type: 'reserve',
            job: (record as { readonly job: string }).job,
          })
      }
    }),
    { numRuns: 150 },
  )
})

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

it('extractWindow limits the times in `part` to the times of the run, or of the part from which it cuts', () => {
  const topology = fc.sample(anyTopology, 1)[0]
  const bytes = writeLog(sampleHeader(), topology, [
    (to) => to.record({ type: 'submit', t: 5000, job: 'a', size: 1, estimate: 5000 }),
    (to) => to.record({ type: 'allocate', t: 5000, job: 'a', nodes: [0], cause: 1 }),
    (to) => to.record({ type: 'finish', t: 9000, job: 'a', cause: 2 }),
    (to) => to.record({ type: 'release', t: 9000, job: 'a', cause: 3 }),
    (to) =>
      to.record({ type: 'end', t: 9000, submitted: 1, started: 1, finished: 1, rejected: 0, killed: 0, cancelled: 0 }),
  ])
  const extracted = (records: ReadonlyArray<LogRecord>, from: number, until: number): ReadonlyArray<LogRecord> => {
    const chunks: Uint8Array[] = []
    extractWindow(
      () => records,
      from,
      until,
      (chunk) => chunks.push(chunk),
      sha256,
    )
    return read(concat(chunks)).records
  }
  const whole = extracted(read(bytes).records, 0, Infinity)
  expect(whole[0]).toMatchObject({ part: { from: 5, until: 9 } })
  const part = extracted(read(bytes).records, 6, 7)
  expect(extracted(part, 0, Infinity)[0]).toMatchObject({ part: { from: 6, until: 7 } })
  expect(extracted(read(bytes).records, 100, 200)[0]).toMatchObject({ part: { from: 9, until: 9 } })
})

it('extractWindow leaves out jobs that ended before the part', () => {
  const bytes = writeLog(
    sampleHeader(),
    fc.sample(anyTopology, 1)[0],
    Array.from({ length: 300 }, (_, at) => [
      (to: Parameters<typeof tellLegalHistory>[0]) =>
        to.record({ type: 'submit', t: at * 10_000, job: `job${at}`, size: 1, estimate: 5000 }),
      (to: Parameters<typeof tellLegalHistory>[0]) =>
        to.record({ type: 'allocate', t: at * 10_000, job: `job${at}`, nodes: [0], cause: 1, estimate: 4000 + at }),
      (to: Parameters<typeof tellLegalHistory>[0]) =>
        to.record({ type: 'finish', t: at * 10_000 + 5000, job: `job${at}`, cause: 1 }),
      (to: Parameters<typeof tellLegalHistory>[0]) =>
        to.record({ type: 'release', t: at * 10_000 + 5000, job: `job${at}`, cause: 1 }),
    ]).flat(),
  )
  const { records } = read(bytes)
  const chunks: Uint8Array[] = []
  extractWindow(
    () => records,
    1000,
    1020,
    (chunk) => chunks.push(chunk),
    sha256,
  )
  expect(read(concat(chunks)).records.find(({ type }) => type === 'allocate')).toMatchObject({
    job: 'job100',
    estimate: 4.1,
  })
  expect(
    read(concat(chunks))
      .records.filter(({ type }) => type === 'submit')
      .map((record) => (record as { readonly job: string }).job),
  ).toEqual(['job100', 'job101', 'job102'])
})
