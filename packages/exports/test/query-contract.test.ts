import { type Header, type LogRecord } from '@cloister/eventlog'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  queriedLog,
  queries,
  queryDefects,
  QueryError,
  type Query,
  rowsOf,
  tableFormats,
  tableOfRows,
} from '../src/index.ts'
import { runs } from './runs.ts'

const [records] = fc.sample(
  runs().filter((all) => all.length > 20),
  1,
)
const log = queriedLog(() => records)
const column = { name: 'jobs', type: 'int64', unit: 'jobs', nullable: false, meaning: 'number of jobs' } as const
const query: Query = {
  contract: 1,
  name: 'jobs-of-log',
  description: 'How many jobs has the log?',
  columns: [column],
  rows: (of) => [{ jobs: [...of.rows('jobs', ['job'])].length }],
}

describe('queryDefects', () => {
  it('finds no defect in the built-in queries, whose names differ', () => {
    expect(queries.flatMap(queryDefects)).toEqual([])
    expect(queryDefects(query)).toEqual([])
    expect(new Set(queries.map(({ name }) => name)).size).toBe(8)
  })

  it.each<readonly [change: object | null, message: string]>([
    [null, 'the default export is null, expected an object'],
    [{ contract: 2 }, 'contract is 2, expected 1: update the query, or the program that runs the query'],
    [{ name: 'My Query' }, 'name is "My Query", expected a text of lower-case letters, digits and "-"'],
    [{ description: 'a\nb' }, 'description is "a\\nb", expected one line of text'],
    [{ columns: [] }, 'columns is a list of 0, expected a list of at least one column'],
    [{ columns: ['jobs'] }, 'columns[0] is "jobs", expected { name, type, unit, nullable, meaning }'],
    [{ columns: [{ ...column, name: 'Jobs' }] }, 'columns[0].name is "Jobs", expected a lower-case letter, then'],
    [{ columns: [column, column] }, 'columns[1].name is "jobs", expected another name than that of columns[0]'],
    [{ columns: [{ ...column, type: 'int' }] }, 'columns[0].type is "int", expected one of bool, int32,'],
    [{ columns: [{ ...column, unit: undefined }] }, 'columns[0].unit is missing, expected a text, empty for'],
    [{ columns: [{ ...column, nullable: 0 }] }, 'columns[0].nullable is 0, expected true if values may be missing'],
    [{ columns: [{ ...column, meaning: '' }] }, 'columns[0].meaning is "", expected one line of text'],
    [{ columns: [{ ...column, mark: 'user' }] }, 'columns[0].mark is "user", expected one of job, node, leaf,'],
    [{ columns: [{ ...column, mark: 'job' }] }, 'columns[0].type is "int64", expected utf8 for a column with the mark'],
    [{ rows: [] }, 'rows is a list of 0, expected a function (log) that returns the rows'],
  ])('finds the defect of %j', (change, message) => {
    const defects = queryDefects(change === null ? null : { ...query, ...change })
    expect(defects).toHaveLength(1)
    expect(defects[0]).toContain(message)
  })
})

describe('rowsOf', () => {
  it('yields the rows, which the formats of tables write', () => {
    expect([...rowsOf(query, log)]).toEqual([{ jobs: records.filter(({ type }) => type === 'submit').length }])
    expect([...tableFormats.csv(tableOfRows(query, [{ jobs: 7 }]))].join('')).toBe('jobs\n7\n')
  })

  const nullable = { ...column, name: 'wait', type: 'float64', nullable: true } as const
  it.each<readonly [rows: unknown, message: string]>([
    [7, 'rows(log) returned 7, expected a list or another iterable of rows'],
    [[{ jobs: 1, wait: null }, 'x'], 'row 1 is "x", expected an object'],
    [[{ jobs: 1, wait: null, users: 2 }], 'row 0 has a value users, but the query has no column of this name'],
    [[{ wait: 1 }], 'row 0: jobs is missing, expected a whole number (type int64)'],
    [[{ jobs: null, wait: 1 }], 'row 0: jobs is null, expected a whole number (type int64)'],
    [[{ jobs: 1.5, wait: 1 }], 'row 0: jobs is 1.5, expected a whole number (type int64)'],
    [[{ jobs: 1n, wait: 1 }], 'row 0: jobs is 1, expected a whole number (type int64)'],
    [[{ jobs: {}, wait: 1 }], 'row 0: jobs is an object, expected a whole number (type int64)'],
    [[{ jobs: 1, wait: '7' }], 'row 0: wait is "7", expected a finite number, or null (type float64)'],
    [[{ jobs: 1, wait: Number.NaN }], 'row 0: wait is NaN, expected a finite number, or null (type float64)'],
    [[{ jobs: 1 }], 'row 0: wait is missing, expected a finite number, or null (type float64)'],
  ])('refuses %o', (rows, message) => {
    const wrong = { ...query, columns: [column, nullable], rows: () => rows } as unknown as Query
    const read = (): unknown => [...rowsOf(wrong, log)]
    expect(read).toThrow(QueryError)
    expect(read).toThrow(`query jobs-of-log: ${message}`)
  })
})

describe('queriedLog', () => {
  it('has header and topology, and refuses unknown tables and columns', () => {
    expect(log.header).toBe(records[0])
    expect(log.topology.nodes).toBe(16)
    expect(() => [...log.rows('jbos' as 'jobs')]).toThrow('a log has no table "jbos"; the tables are jobs, allocations')
    expect(() => [...log.rows('jobs', ['job', 'wiat'])]).toThrow('the table jobs has no column wiat')
  })

  it('has the rows of a part of a run only', () => {
    const [header, ...rest] = records as readonly [Header, ...Array<LogRecord>]
    const part = queriedLog(() => [{ ...header, part: { from: 1e6, until: 1e6 } }, ...rest])
    for (const name of ['lost-work', 'who-delayed-whom', 'costliest-reservations'])
      expect([
        ...rowsOf(
          queries.find((each) => each.name === name)!,
          part,
        ),
      ]).toEqual([])
  })
})

it('QUERIES.md has every column of every query', async () => {
  const chapters = queries.map(({ name, description, columns }) => {
    const rows = columns.map(({ name: of, type, nullable, unit, meaning, mark = '' }) => `| \`${of}\` | ${type}${nullable ? ', may be missing' : ''} | ${unit} | ${mark} | ${meaning} |\n`) // prettier-ignore
    return `\n## ${name}\n\n${description}\n\n| column | type | unit | mark | meaning |\n|---|---|---|---|---|\n${rows.join('')}`
  })
  await expect(`${HEAD}${chapters.join('')}`).toMatchFileSnapshot('../QUERIES.md')
})

const HEAD = `<!-- \`vitest --update\` writes this file from src/queries. -->

# Columns of the queries

\`cloister query LOG NAME\` answers these questions about a run, the most important row first. [Queries](../../docs/queries.md) shows how to ask, and how to add a query. Times are in seconds from the start of the trace. The mark of a column is the part of the run that a value names, and that the viewer shows.
`
