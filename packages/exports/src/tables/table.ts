import type { LogRecord } from '@cloister/eventlog'

/** Types of columns. `int64` values are below 2^53, and `timestamp` values are Unix milliseconds in memory. */
export type ColumnType = 'bool' | 'int32' | 'int64' | 'float64' | 'utf8' | 'timestamp'

/** Value of a row. A missing value is null. */
export type Value = string | number | boolean | null

/** Some rows of a table. */
export interface Batch {
  /** Number of rows, from 1. */
  readonly rows: number
  /** Returns the values of a column, by the place of the column. Each call makes the values again. */
  readonly values: (column: number) => ReadonlyArray<Value>
}

/** Name, type and meaning of a column. */
export interface Column {
  readonly name: string
  readonly type: ColumnType
  /** Unit of the values, such as `s`; empty if the values have no unit. */
  readonly unit: string
  /** True if values may be missing. */
  readonly nullable: boolean
  /** Meaning of a value, and of a missing value. */
  readonly meaning: string
}

/** Columns and values of a table, for the writers of CSV, NDJSON, Parquet and Arrow. */
export interface TableData {
  readonly columns: ReadonlyArray<Column>
  readonly batches: Iterable<Batch>
}

/** Table of an event log. All file formats and the documentation follow from this description. */
export interface Table {
  readonly name: string
  /** Noun phrase for one row. */
  readonly row: string
  readonly columns: ReadonlyArray<Column>
  /**
   * Yields the rows of the table, up to 4,096 at once. If the log has a part of a run, the rows are those of the part.
   *
   * @param names names of the columns in the batches, in this order; all columns by default
   * @throws FoldError if a record contradicts earlier records, except that the table `jobs` does not compare the nodes and links of different jobs
   * @throws RangeError if the records do not begin with a header, or if the table has no column of a name
   */
  readonly batches: (records: Iterable<LogRecord>, names?: ReadonlyArray<string>) => Generator<Batch, void>
}

/** Column with the function that reads a value out of an item, and out of the collection of all items. */
export interface ColumnOf<Item, Items = unknown> extends Column {
  readonly of: (item: Item, items: Items) => Value | undefined
}

/**
 * Most rows of a batch. Each batch is a row group of Parquet or a record batch of Arrow. The values of larger batches
 * would outlive the young generation of the garbage collector, and take more time and memory.
 */
const ROWS = 2 ** 12

/** Returns a table with a row for each item of a log. */
export function tableOf<Item, Items extends Iterable<Item> = Iterable<Item>>(
  name: string,
  row: string,
  columns: ReadonlyArray<ColumnOf<Item, Items>>,
  itemsOf: (records: Iterable<LogRecord>) => Items,
): Table {
  return {
    name,
    row,
    columns: columns.map(({ of: _of, ...column }) => column),
    batches(records, names = columns.map((column) => column.name)) {
      const chosen = names.map((wanted) => columns.find((column) => column.name === wanted))
      const missing = names[chosen.indexOf(undefined)]
      if (missing !== undefined) throw new RangeError(`the table ${name} has no column ${missing}`)
      return batchesOf(
        chosen.map((column) => (item: Item, items: Items) => column!.of(item, items) ?? null),
        () => itemsOf(records),
      )
    },
  }
}

/** Yields batches with a row for each item, and a column for each function. */
export function* batchesOf<Item, Items extends Iterable<Item>>(
  columns: ReadonlyArray<(item: Item, items: Items) => Value>,
  itemsOf: () => Items,
): Generator<Batch, void> {
  const items = itemsOf()
  const batchOf = (rows: ReadonlyArray<Item>): Batch => ({
    rows: rows.length,
    values: (column) => rows.map((item) => columns[column](item, items)),
  })
  let rows: Array<Item> = []
  for (const item of items) {
    rows.push(item)
    if (rows.length < ROWS) continue
    yield batchOf(rows)
    rows = []
  }
  if (rows.length > 0) yield batchOf(rows)
}

type Maker = <Item, Items = unknown>(
  name: string,
  meaning: string,
  of: (item: Item, items: Items) => Value | undefined,
  unit?: string,
) => ColumnOf<Item, Items>

const maker =
  (type: ColumnType, nullable: boolean, ofType = ''): Maker =>
  (name, meaning, of, unit = ofType) => ({ name, type, unit, nullable, meaning, of })

// Makers of columns without missing values.
export const text: Maker = maker('utf8', false)
export const flag: Maker = maker('bool', false)
export const whole: Maker = maker('int32', false)
export const long: Maker = maker('int64', false)
export const seconds: Maker = maker('float64', false, 's')
export const nodeTime: Maker = maker('float64', false, 'node·s')
export const share: Maker = maker('float64', false)

/** Makers of columns with missing values. */
export const optional: {
  readonly [Kind in 'text' | 'flag' | 'whole' | 'long' | 'number' | 'seconds' | 'moment']: Maker
} = {
  text: maker('utf8', true),
  flag: maker('bool', true),
  whole: maker('int32', true),
  long: maker('int64', true),
  number: maker('float64', true),
  seconds: maker('float64', true, 's'),
  moment: maker('timestamp', true),
}
