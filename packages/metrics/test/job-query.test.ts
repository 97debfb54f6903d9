import { type LogRecord, RunTable } from '@cloister/eventlog'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  JobColumns,
  jobHistogram,
  type JobNumber,
  jobNumbers,
  MetricsFold,
  parseJobQuery,
  parseLength,
  selectJobs,
  sortJobs,
} from '../src/index.ts'
import { randomLog } from './random-log.ts'

const columnsOf = (records: Iterable<LogRecord>): JobColumns => {
  const table = new RunTable({ details: true })
  for (const record of records) table.add(record)
  return new JobColumns(table)
}

const few = [
  { t: 0, type: 'submit', job: '9', size: 4, user: 'ann', queue: 'long', estimate: 100 },
  { t: 1.1, type: 'submit', job: '10', size: 300, user: 'bob', name: 'CFD of a wing' },
  { t: 2, type: 'submit', job: 'x', size: 1, user: 'ann' },
  { t: 2, type: 'reserve', job: '10', start: 50, nodes: '0-3' },
  { t: 3.3, type: 'allocate', job: '9', nodes: '0-3', note: { shape: 1 } },
  { t: 13.4, type: 'finish', job: '9' },
  { t: 60, type: 'allocate', job: '10', nodes: '0-3', backfill: 4 },
  { t: 20_000, type: 'kill', job: '10', code: 'estimate' },
].map((record, seq) => ({ seq, cause: 0, ...record }) as unknown as LogRecord)

const chosen = (query: string): ReadonlyArray<string> => {
  const columns = columnsOf(few)
  return Array.from(selectJobs(columns, parseJobQuery(query)), (row) => columns.text('job', row))
}

describe('parseJobQuery and selectJobs', () => {
  test.each([
    ['', ['9', '10', 'x']],
    ['size>256', ['10']],
    ['size > 256, wait < 1h', ['10']],
    ['nodes=4', ['9']],
    ['user=ann wait>3h', ['x']],
    ['user=ann|bob size<=4', ['9', 'x']],
    ['size=1|runtime>5h', ['10', 'x']],
    ['name~"cfd of"', ['10']],
    ['name~wing', ['10']],
    ['queue!=long', ['10', 'x']],
    ['ann', ['9', 'x']],
    ['10', ['10']],
    ['9|x', ['9', 'x']],
    ['slip=10', ['10']],
    ['slowdown>1.1', ['9']],
    ['runtime=10.1', ['9']],
    ['wait=3.3', ['9']],
    ['state=killed backfilled=yes', ['10']],
    ['note~shape', ['9']],
    ['estimate<2min', ['9']],
  ])('selectJobs finds the right jobs for the query %s', (query, jobs) => {
    expect(chosen(query)).toEqual(jobs)
  })

  test.each([
    ['wiat>3h', 'one of the fields size, submit'],
    ['wait>3x', 'a length of time'],
    ['size>big', 'a number'],
    ['size>', 'a value after'],
    ['>3', 'a field before'],
    ['user>ann', 'texts have no order'],
    ['size~3', '~ is for texts'],
    ['name="a', 'quotation mark'],
  ])('parseJobQuery throws an error with the right alternatives for the wrong query %s', (query, expected) => {
    expect(() => parseJobQuery(query)).toThrow(expected)
  })

  test('parseJobQuery reads any text, or throws a JobQueryError', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({ unit: fc.constantFrom('size', '>', '<', '=', '~', '|', '!', ',', '"', ' ', '1', 'h', 'wait') }),
        ),
        (text) => {
          try {
            selectJobs(columnsOf(few), parseJobQuery(text))
          } catch (error) {
            expect((error as Error).name).toBe('JobQueryError')
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  test('parseLength reads lengths of time such as `1d12h`', () => {
    expect(['90', '30min', '3h', '1d12h', '-5min', '1.5h', '3 h', 'h', '3hh'].map(parseLength)).toEqual([
      90,
      1800,
      10_800,
      129_600,
      -300,
      5400,
      undefined,
      undefined,
      undefined,
    ])
  })
})

test('sortJobs puts jobs without a value last, and jobHistogram counts every job', () => {
  fc.assert(
    fc.property(randomLog, fc.constantFrom(...jobNumbers), fc.boolean(), (log, by, descending) => {
      const columns = columnsOf(log)
      const rows = selectJobs(columns, [])
      const value = (row: number): number => columns.number(by, row)
      const known = [...rows].filter((row) => !Number.isNaN(value(row)))
      known.sort((a, b) => (descending ? value(b) - value(a) : value(a) - value(b)) || a - b)
      expect([...sortJobs(columns, rows, by, descending)]).toEqual([
        ...known,
        ...[...rows].filter((row) => Number.isNaN(value(row))),
      ])
      const { edges, counts, without } = jobHistogram(columns, rows, by, 12)
      expect(counts.reduce((sum, each) => sum + each, 0) + without).toBe(rows.length)
      if (known.length === 0) return
      const values = known.map(value)
      expect(edges[0]).toBeLessThanOrEqual(Math.min(...values))
      expect(edges.at(-1)).toBeGreaterThanOrEqual(Math.max(...values))
      counts.forEach((count, bar) =>
        expect(
          values.filter(
            (each) =>
              each >= edges[bar] && (each < edges[bar + 1] || (bar === counts.length - 1 && each <= edges[bar + 1])),
          ).length,
        ).toBe(count),
      )
    }),
    { numRuns: 60 },
  )
  const columns = columnsOf(few)
  const ids = [...sortJobs(columns, selectJobs(columns, []), 'job', false)].map((row) => columns.text('job', row))
  expect(ids).toEqual(['9', '10', 'x'])
})

test('JobColumns gives no slowdown to a job that was killed and waits again', () => {
  const requeue = { seq: few.length, cause: few.length - 1, t: 20_000, type: 'requeue', job: '10' }
  const columns = columnsOf([...few, requeue as unknown as LogRecord])
  expect(columns.number('slowdown', 1)).toBeNaN()
})

test('the waits and slowdowns in JobColumns agree with the metrics of the run', () => {
  fc.assert(
    fc.property(randomLog, (log) => {
      const columns = columnsOf(log)
      const fold = new MetricsFold({ query: parseJobQuery('state=finished|killed') })
      for (const record of log) fold.add(record)
      const rows = [...selectJobs(columns, parseJobQuery('state=finished|killed'))]
      const mean = (of: JobNumber): number => rows.reduce((sum, row) => sum + columns.number(of, row), 0) / rows.length
      const [group] = fold.groups()
      expect(group?.jobs.submitted ?? 0).toBe(rows.length)
      if (rows.length === 0) return
      expect(group.wait.mean).toBeCloseTo(mean('wait'), 6)
      expect(group.slowdown).toBeCloseTo(mean('slowdown'), 6)
    }),
    { numRuns: 60 },
  )
})
