import { deserialize, serialize } from 'node:v8'
import { type Header, LogIndexBuilder, LogSeeker } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { jobNumbers, jobTexts } from '@cloister/metrics'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { QuestionName, Questions } from '../src/run/questions.ts'
import { type StoredRun, ViewedRun } from '../src/run/viewed-run.ts'
import { type RunLog, runs } from './runs.ts'

type Asked = { readonly [Name in QuestionName]: ReadonlyArray<Questions[Name]['ask']> }

/** Returns examples of every question of the page, so that the answers use all stored data of a run. */
function asked(seq: number, job: string): Asked {
  const times = { from: 0, to: 40, points: 7 }
  const table = { query: '', sort: null, descending: false, from: 0, count: 50, histogram: null }
  return {
    overview: [{}],
    queries: [{}],
    query: [{ name: 'worst-waits' }, { name: 'fragmentation-by-leaf' }],
    tables: [{}],
    table: [{ name: 'decisions', format: 'csv' }],
    growth: [
      { jobs: 0, spans: 0 },
      { jobs: 3, spans: 2 },
    ],
    timeline: [times, { ...times, from: 5, to: 6 }],
    means: [times],
    steps: [{}],
    linkUse: [times],
    worst: [{ figure: 'fragmented', from: 0, to: 40 }],
    area: [{ from: 2, to: 30, firstNode: 1, endNode: 9 }],
    jobs: [
      ...[...jobNumbers, ...jobTexts].map((sort) => ({ ...table, sort })),
      ...jobNumbers.map((histogram) => ({ ...table, histogram })),
      { ...table, query: 'size>2 wait>1' },
    ],
    explain: [{ job }],
    moment: [{ seq }, { t: 4 }],
    step: [{ seq, by: 'pass', direction: 1 }],
    why: [{ seq }],
    largest: [{ seq }],
    fits: [{ seq }],
    relief: [{ seq }],
    fragmented: [{ seq }],
    outages: [{}],
    job: [{ job }],
    record: [{ seq }],
    routes: [{ seq, switch: { level: 0, sw: 1 }, job, pair: { from: 0, to: 3 } }],
    metrics: [{}],
  }
}

/** Returns the answers of a run to all example questions. */
function answers(run: ViewedRun, seq: number, job: string): unknown {
  return Object.entries(asked(seq, job)).flatMap(([name, questions]) =>
    questions.map((question) => {
      const { json, arrays } = run.answer(name as QuestionName, question)
      return [name, json, Object.fromEntries(Object.entries(arrays).map(([key, array]) => [key, [...array]]))]
    }),
  )
}

/** Returns a run with the first `count` records of a log, and a function that makes the same run from stored data. */
function readTo(
  { bytes, records }: RunLog,
  count: number,
): { run: ViewedRun; again: (stored: StoredRun) => ViewedRun } {
  const builder = new LogIndexBuilder()
  const some = records.slice(0, count)
  for (const record of some) builder.add(record)
  const outcome = { status: 'unsealed', records: count, sealed: 0, bytes: bytes.length } as const
  const seeker = new LogSeeker(builder.index(outcome), (from, to) => bytes.subarray(from, to), sha256)
  const run = new ViewedRun(some[0] as Header, () => seeker)
  for (const record of some) run.add(record)
  return { run, again: (stored) => new ViewedRun(some[0] as Header, () => seeker, { stored }) }
}

it('a `ViewedRun` gives the same answers from stored data as from records, after any record', () => {
  fc.assert(
    fc.property(runs, fc.nat(), fc.nat(), (log, cut, at) => {
      const count = 1 + (cut % log.records.length)
      const { run, again } = readTo(log, count)
      const restored = again(deserialize(serialize(run.stored)) as StoredRun)
      expect(answers(restored, at % count, 'job1')).toEqual(answers(run, at % count, 'job1'))
      expect(restored.stored).toEqual(run.stored)
    }),
    { numRuns: 100 },
  )
})
