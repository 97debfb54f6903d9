import { batchesOf, type ColumnType, type TableData, type Value } from '../tables/table.ts'
import type { Mark, QueriedLog, Query, QueryColumn, Row } from './contract.ts'

/** Error of a query whose rows do not keep the contract. The message names row, column, found value and type. */
export class QueryError extends Error {
  readonly _tag: 'QueryError' = 'QueryError'
  override readonly name: string = 'QueryError'
}

const isOfType: Readonly<Record<ColumnType, readonly [right: string, (value: unknown) => boolean]>> = {
  bool: ['true or false', (value) => typeof value === 'boolean'],
  int32: ['a whole number from -2^31 to 2^31 - 1', (value) => value === (Number(value) | 0)],
  int64: ['a whole number', (value) => Number.isSafeInteger(value)],
  float64: ['a finite number', (value) => Number.isFinite(value)],
  utf8: ['a text', (value) => typeof value === 'string'],
  timestamp: ['whole Unix milliseconds', (value) => Number.isSafeInteger(value)],
}

/** Types of the columns whose values may have a mark. */
const typesOfMarks: Readonly<Record<Mark, ReadonlyArray<ColumnType>>> = {
  job: ['utf8'],
  node: ['int32', 'int64'],
  leaf: ['int32', 'int64'],
  pod: ['int32', 'int64'],
  record: ['int32', 'int64'],
  begin: ['float64', 'int32', 'int64'],
  end: ['float64', 'int32', 'int64'],
  time: ['float64', 'int32', 'int64'],
}

/**
 * Returns the problems that keep a value from being a query, a sentence for each member; empty for a query. The rows
 * are checked when they are read, by `rowsOf`.
 */
export function queryDefects(value: unknown): ReadonlyArray<string> {
  if (typeof value !== 'object' || value === null)
    return [`the default export is ${inWords(value)}, expected an object`]
  const { contract, name, description, columns, rows } = value as Record<string, unknown>
  const problems: Array<string> = []
  const expect = (member: string, found: unknown, isRight: boolean, right: string): void => {
    if (!isRight) problems.push(`${member} is ${inWords(found)}, expected ${right}`)
  }
  expect('contract', contract, contract === 1, '1: update the query, or the program that runs the query')
  const isName = typeof name === 'string' && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)
  expect('name', name, isName, 'a text of lower-case letters, digits and "-"')
  const isLine = typeof description === 'string' && /^[^\n]+$/.test(description)
  expect('description', description, isLine, 'one line of text')
  const isList = Array.isArray(columns) && columns.length > 0
  expect('columns', columns, isList, 'a list of at least one column')
  if (isList) for (const [at, column] of columns.entries()) problems.push(...columnDefects(column, at, columns))
  expect('rows', rows, typeof rows === 'function', 'a function (log) that returns the rows')
  return problems
}

function columnDefects(column: unknown, at: number, columns: ReadonlyArray<unknown>): ReadonlyArray<string> {
  if (typeof column !== 'object' || column === null)
    return [`columns[${at}] is ${inWords(column)}, expected { name, type, unit, nullable, meaning }`]
  const { name, type, unit, nullable, meaning, mark } = column as Record<string, unknown>
  const problems: Array<string> = []
  const expect = (member: string, found: unknown, isRight: boolean, right: string): void => {
    if (!isRight) problems.push(`columns[${at}].${member} is ${inWords(found)}, expected ${right}`)
  }
  const isName = typeof name === 'string' && /^[a-z][a-z0-9_]*$/.test(name)
  expect('name', name, isName, 'a lower-case letter, then lower-case letters, digits and "_"')
  const earlier = columns.findIndex((other) => (other as { readonly name?: unknown } | null)?.name === name)
  if (isName) expect('name', name, earlier === at, `another name than that of columns[${earlier}]`)
  const isType = typeof type === 'string' && Object.hasOwn(isOfType, type)
  expect('type', type, isType, `one of ${Object.keys(isOfType).join(', ')}`)
  expect('unit', unit, typeof unit === 'string', 'a text, empty for values without a unit')
  expect('nullable', nullable, typeof nullable === 'boolean', 'true if values may be missing, else false')
  expect('meaning', meaning, typeof meaning === 'string' && /^[^\n]+$/.test(meaning), 'one line of text')
  if (mark === undefined) return problems
  const isMark = typeof mark === 'string' && Object.hasOwn(typesOfMarks, mark)
  expect('mark', mark, isMark, `one of ${Object.keys(typesOfMarks).join(', ')}, or no mark`)
  const types = isMark ? typesOfMarks[mark as Mark] : []
  if (isMark && isType)
    expect('type', type, types.includes(type as ColumnType), `${types.join(' or ')} for a column with the mark ${mark}`)
  return problems
}

/**
 * Yields the rows of a query, and checks each row against the columns.
 *
 * @throws QueryError for a row that lacks a column, has a further column, or has a value of another type
 * @throws FoldError if a record contradicts earlier records
 */
export function* rowsOf(query: Query, log: QueriedLog): Generator<Row, void> {
  const fail = (problem: string): never => {
    throw new QueryError(`query ${query.name}: ${problem}`)
  }
  const rows: unknown = query.rows(log)
  if (typeof rows !== 'object' || rows === null || !(Symbol.iterator in rows))
    fail(`rows(log) returned ${inWords(rows)}, expected a list or another iterable of rows`)
  const names = new Set(query.columns.map(({ name }) => name))
  let at = 0
  for (const row of rows as Iterable<unknown>) {
    if (typeof row !== 'object' || row === null) fail(`row ${at} is ${inWords(row)}, expected an object`)
    for (const name of Object.keys(row as object))
      if (!names.has(name)) fail(`row ${at} has a value ${name}, but the query has no column of this name`)
    for (const column of query.columns) {
      const problem = valueDefect(column, (row as Record<string, unknown>)[column.name])
      if (problem !== undefined) fail(`row ${at}: ${problem}`)
    }
    at++
    yield row as Row
  }
}

function valueDefect({ name, type, nullable }: QueryColumn, value: unknown): string | undefined {
  if (value === null && nullable) return undefined
  const [right, isRight] = isOfType[type]
  if (isRight(value)) return undefined
  return `${name} is ${inWords(value)}, expected ${right}${nullable ? ', or null' : ''} (type ${type})`
}

function inWords(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return JSON.stringify(value).slice(0, 80)
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'symbol' ? 'a symbol' : `${value as number | boolean | bigint | null}`
}

/** Returns rows of a query as a table for the writers of CSV, NDJSON, Parquet and Arrow. */
export function tableOfRows({ columns }: Query, rows: Iterable<Row>): TableData {
  return {
    columns,
    batches: batchesOf(
      columns.map(
        ({ name }) =>
          (row: Row): Value =>
            row[name],
      ),
      () => rows,
    ),
  }
}
