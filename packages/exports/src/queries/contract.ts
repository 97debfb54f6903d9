import { type Header, headerTopology, type LogRecord, type Submit } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import { type TableName, tableNames, tables } from '../tables/index.ts'
import { type Column, type ColumnOf, optional, text, type Value } from '../tables/table.ts'

/**
 * Part of a run that a value of a column names. The viewer shows the part: a job by its id; a node, leaf or pod by its
 * number; a record by its number; the begin and the end of a span of time, or another `time` of the row.
 */
export type Mark = 'job' | 'node' | 'leaf' | 'pod' | 'record' | 'begin' | 'end' | 'time'

/** Column of the rows of a query, described like a column of a table. */
export interface QueryColumn extends Column {
  /** Part of the run that a value names; absent if a value names no part. */
  readonly mark?: Mark
}

/** Row of a table or of a query: the values by the names of the columns. */
export type Row = Readonly<Record<string, Value>>

/** Log that a query reads. A pipe can be read only once: by one call of one method. */
export interface QueriedLog {
  readonly header: Header
  /** Shape of the machine: the leaf of each node, and so on. */
  readonly topology: Topology
  /** Yields the records of the log, the header first. Each call reads the log from its begin. */
  records(): Iterable<LogRecord>
  /**
   * Yields the rows of a table, such as `jobs`. Each call reads the log from its begin.
   *
   * @param columns names of the needed columns; all columns by default
   * @throws RangeError for an unknown table or column
   */
  rows(table: TableName, columns?: ReadonlyArray<string>): Iterable<Row>
}

/**
 * A named question about a run, with its answer as a table. A query is a value: an own query is an object in a file,
 * which needs nothing of this package at run time.
 *
 * @example
 *
 *     const query: Query = {
 *       contract: 1,
 *       name: 'jobs-by-state',
 *       description: 'Number of jobs in each state at the end of the log',
 *       columns: [
 *         { name: 'state', type: 'utf8', unit: '', nullable: false, meaning: 'last state of the jobs' },
 *         { name: 'jobs', type: 'int64', unit: 'jobs', nullable: false, meaning: 'number of jobs' },
 *       ],
 *       rows(log) {
 *         const counts = new Map<Value, number>()
 *         for (const { state } of log.rows('jobs', ['state'])) counts.set(state, (counts.get(state) ?? 0) + 1)
 *         return Array.from(counts, ([state, jobs]) => ({ state, jobs }))
 *       },
 *     }
 */
export interface Query {
  /** Number of the contract. Programs refuse a query with another number. */
  readonly contract: 1
  /** Name of lower-case letters, digits and "-". */
  readonly name: string
  /** Question that the query answers, in one line. */
  readonly description: string
  readonly columns: ReadonlyArray<QueryColumn>
  /**
   * Returns the rows, the most important row first. A program may stop after the first rows. Each row has a value of
   * the column's type for each column, or null for a missing value of a nullable column. The rows depend only on the
   * log.
   */
  readonly rows: (log: QueriedLog) => Iterable<Row>
}

/** Returns the log that queries read. @param records yields the records of the log; each call reads from the begin */
export function queriedLog(records: () => Iterable<LogRecord>): QueriedLog {
  let header: Header | undefined
  const log: QueriedLog = {
    get header() {
      if (header === undefined) for (const _ of log.records()) break
      return header!
    },
    get topology() {
      return headerTopology(log.header)
    },
    *records() {
      for (const record of records()) {
        // A reading for rows or records also has the header, so that a pipe needs no second reading.
        if (record.type === 'header') header ??= record
        yield record
      }
    },
    *rows(table, columns) {
      if (!Object.hasOwn(tables, table))
        throw new RangeError(`a log has no table ${JSON.stringify(table)}; the tables are ${tableNames.join(', ')}`)
      const names = columns ?? tables[table].columns.map(({ name }) => name)
      for (const batch of tables[table].batches(log.records(), names)) {
        const values = names.map((_, at) => batch.values(at))
        for (let row = 0; row < batch.rows; row++)
          yield Object.fromEntries(names.map((name, at) => [name, values[at][row]]))
      }
    },
  }
  return log
}

/** Returns a column whose values name a part of the run. */
export function marked<Item>(mark: Mark, column: ColumnOf<Item>): ColumnOf<Item> & QueryColumn {
  return { ...column, mark }
}

interface Submitted {
  readonly submit: Submit
}

/** Column with the id of a row's job. */
export const jobColumn: ColumnOf<Submitted> & QueryColumn = marked(
  'job',
  text('job', 'id of the job', ({ submit }) => submit.job),
)

/** Column with the user of a row's job. */
export const userColumn: ColumnOf<Submitted> = optional.text(
  'user',
  'user who submitted the job; missing if the log does not have it',
  ({ submit }) => submit.user,
)

/** Returns a query with a row for each item. */
export function queryOf<Item>(
  name: string,
  description: string,
  columns: ReadonlyArray<ColumnOf<Item> & QueryColumn>,
  items: (log: QueriedLog) => Iterable<Item>,
): Query {
  return {
    contract: 1,
    name,
    description,
    columns: columns.map(({ of: _of, ...column }) => column),
    *rows(log) {
      for (const item of items(log))
        yield Object.fromEntries(columns.map(({ name: column, of }) => [column, of(item, undefined) ?? null]))
    },
  }
}

/** Returns items by a number, the largest first, and equal items in their present order. */
export function largestFirst<Item>(items: Iterable<Item>, numberOf: (item: Item) => number): Array<Item> {
  return [...items].sort((a, b) => numberOf(b) - numberOf(a))
}
