import { type Header, type LogRecord, LogState, resourcesOf } from '@cloister/eventlog'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Growth,
  type JobLife,
  type Moment,
  noOwner,
  type QuestionName,
  type Questions,
  type RecordView,
  spanFlags,
  type Why,
} from '../src/run/questions.ts'
import type { ViewedRun } from '../src/run/viewed-run.ts'
import { runs, viewed } from './runs.ts'

function ask<Name extends QuestionName>(
  run: ViewedRun,
  name: Name,
  question: Questions[Name]['ask'],
): Questions[Name]['answer'] {
  const { json, arrays } = run.answer(name, question)
  return (json === null ? null : { ...(json as object), ...arrays }) as Questions[Name]['answer']
}

function stateAfter(records: ReadonlyArray<LogRecord>, seq: number): LogState {
  const state = new LogState(records[0] as Header)
  for (const record of records.slice(1, seq + 1)) state.apply(record)
  return state
}

describe('`ViewedRun`', () => {
  it('`ViewedRun` returns the times and nodes of all jobs, or only of the jobs and spans from given indices on', () => {
    fc.assert(
      fc.property(runs, (log) => {
        const run = viewed(log)
        const { ids, submits, sizes, spanJobs, starts, ends, flags, rangeCounts, ranges, settled }: Growth = ask(
          run,
          'growth',
          { jobs: 0, spans: 0 },
        )
        const submitted = log.records.filter((record) => record.type === 'submit')
        expect([...ids].map((id, at) => [id, submits[at], sizes[at]])).toEqual(
          submitted.map(({ job, t, size }) => [job, t, size]),
        )
        const allocates = log.records.filter((record) => record.type === 'allocate')
        expect(settled).toBe(allocates.length)
        let range = 0
        allocates.forEach((allocate, span) => {
          const release = log.records.find(
            (record) => record.type === 'release' && record.job === allocate.job && record.seq > allocate.seq,
          )!
          const end = log.records.find(
            (record) =>
              (record.type === 'finish' || record.type === 'kill') &&
              record.job === allocate.job &&
              record.seq > allocate.seq,
          )!
          expect([ids[spanJobs[span]], starts[span], ends[span]]).toEqual([
            allocate.job,
            allocate.t,
            't' in release ? release.t : 0,
          ])
          expect(flags[span]).toBe(
            (allocate.backfill === undefined ? 0 : spanFlags.backfilled) + (end.type === 'kill' ? spanFlags.killed : 0),
          )
          const nodes: Array<number> = []
          for (let each = 0; each < rangeCounts[span]; each++, range += 2)
            for (let node = ranges[range]; node <= ranges[range + 1]; node++) nodes.push(node)
          expect(nodes).toEqual([...resourcesOf(allocate).nodes])
        })
        const later = ask(run, 'growth', { jobs: 1, spans: Math.min(2, allocates.length) })
        expect(later.starts).toEqual(starts.slice(2))
        expect(later.ids).toEqual(ids.slice(1))
      }),
      { numRuns: 100 },
    )
  })

  it('the answer `moment` of `ViewedRun` has the same state after a record as the fold of the log', () => {
    fc.assert(
      fc.property(runs, fc.nat(), (log, at) => {
        const run = viewed(log)
        const seq = at % log.records.length
        const state = stateAfter(log.records, seq)
        const moment: Moment = ask(run, 'moment', { seq })
        expect(moment).toMatchObject({
          seq,
          t: state.t,
          free: state.freeNodes.size,
          down: state.downNodes.size,
          waiting: state.waiting.size,
        })
        expect(moment.running.map(({ job }) => job)).toEqual([...state.running.keys()])
        expect(moment.queue.map(({ job }) => job)).toEqual([...state.waiting.keys()])
        expect(moment.reservations.map(({ job }) => job)).toEqual([...state.reservations.keys()])
        const { ids } = ask(run, 'growth', { jobs: 0, spans: 0 })
        const name = (owner: number): string | undefined => ids[owner]
        moment.nodeOwners.forEach((owner, node) => {
          if (state.downNodes.has(node)) expect(owner).toBe(noOwner.down)
          else expect(name(owner)).toBe(state.nodeOwner(node)?.submit.job)
        })
        let link = 0
        state.topology.levels.forEach(({ links }, level) => {
          for (let each = 0; each < links; each++, link++)
            expect(name(moment.linkOwners[link])).toBe(state.linkOwner(level, each)?.submit.job)
        })
        expect(moment.linkOwners).toHaveLength(link)
        const last = log.records.findLast((record) => !('t' in record) || record.t <= state.t)!
        expect(ask(run, 'moment', { t: state.t }).seq).toBe(last.seq)
      }),
      { numRuns: 100 },
    )
  })

  it('`ViewedRun` finds the same ends of scheduling passes forwards and backwards, and steps by single records', () => {
    fc.assert(
      fc.property(runs, (log) => {
        const run = viewed(log)
        const forwards = [0]
        for (let seq = 0; seq < log.records.length - 1;) {
          const next = ask(run, 'step', { seq, by: 'pass', direction: 1 }).seq
          expect(next).toBeGreaterThan(seq)
          forwards.push(next)
          seq = next
        }
        const backwards = [log.records.length - 1]
        for (let seq = log.records.length - 1; seq > 0;) {
          seq = ask(run, 'step', { seq, by: 'pass', direction: -1 }).seq
          backwards.unshift(seq)
        }
        expect(backwards).toEqual(forwards)
        // The last record of every instant is the end of a scheduling pass.
        for (const [at, record] of log.records.entries()) {
          const next = log.records[at + 1]
          if (next !== undefined && 't' in record && 't' in next && next.t > record.t) expect(forwards).toContain(at)
        }
        expect(ask(run, 'step', { seq: 3, by: 'record', direction: 1 }).seq).toBe(4)
        expect(ask(run, 'step', { seq: 0, by: 'record', direction: -1 }).seq).toBe(0)
      }),
      { numRuns: 60 },
    )
  })

  it('`ViewedRun` returns the records of a job, and of a record its causes and the counts before and after', () => {
    fc.assert(
      fc.property(runs, fc.nat(), (log, at) => {
        const run = viewed(log)
        const own = log.records.filter((record) => 'job' in record && record.job === 'job1')
        const life: JobLife | null = ask(run, 'job', { job: 'job1' })
        expect(life?.records).toEqual(own.filter(({ type }) => type !== 'refuse'))
        expect(life?.refusals).toBe(own.filter(({ type }) => type === 'refuse').length)
        expect(ask(run, 'job', { job: 'nobody' })).toBeNull()
        const seq = at % log.records.length
        const { record, line, causes, before, after }: RecordView = ask(run, 'record', { seq })
        expect(record).toEqual(log.records[seq])
        expect(JSON.parse(line)).toEqual(record)
        const counts = (state: LogState) => ({
          free: state.freeNodes.size,
          running: state.running.size,
          waiting: state.waiting.size,
          reservations: state.reservations.size,
          down: state.downNodes.size,
        })
        expect(before).toEqual(counts(stateAfter(log.records, Math.max(0, seq - 1))))
        expect(after).toEqual(counts(stateAfter(log.records, seq)))
        let from = record
        for (const cause of causes) {
          expect(cause.seq).toBe((from as { readonly cause: number }).cause)
          from = cause
        }
        expect('cause' in from && from.cause < from.seq && causes.length < 20).toBe(false)
      }),
      { numRuns: 100 },
    )
  })

  it('`ViewedRun` without a policy takes reasons for waits from `refuse` records, and has source `none` for other logs', () => {
    fc.assert(
      fc.property(runs, fc.nat(), (log, at) => {
        const run = viewed(log)
        const seq = at % log.records.length
        const state = stateAfter(log.records, seq)
        const why: Why = ask(run, 'why', { seq })
        expect(why.lines.map(({ job }) => job)).toEqual([...state.waiting.keys()])
        expect(why.source).toBe(state.header.options.refusals === true ? 'log' : 'none')
        for (const { job, why: text } of why.lines) {
          const refusal = log.records.findLast(
            (record) => record.type === 'refuse' && record.job === job && record.seq <= seq,
          )
          if (refusal?.type === 'refuse')
            expect(text).toContain(refusal.code === 'too-few-nodes' ? 'too few free nodes' : refusal.constraint)
        }
      }),
      { numRuns: 60 },
    )
  })
})
