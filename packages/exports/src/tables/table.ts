import type { LogRecord } from '@cloister/eventlog'

/** Types of columns. `int64` values are below 2^53, and `timestamp` values are Unix milliseconds in memory. */
export type ColumnType = 'bool' | 'int32' | 'int64' | 'float64' | 'utf8' | 'timestamp'

/** Value of a row. A missing value is null. */
export type Value = string | number | boolean | null

/** Values of some rows: an array for each column, of equal lengths from 1. */
export type Batch = ReadonlyArray<ReadonlyArray<Value>>

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
   * @throws FoldError if a record contradicts earlier records, except that the table `jobs` follows no nodes and links
   * @throws RangeError if the records do not begin with a header, or if the table has no column of a name
   */
  readonly batches: (records: Iterable<LogRecord>, names?: ReadonlyArray<string>) => Generator<Batch, void>
}

/** Column with the function that reads a value out of an item. */
export interface ColumnOf<Item> extends Column {
  readonly of: (item: Item) => Value | undefined
}

/**
 * Most rows of a batch. Each batch is a row group of Parquet or a record batch of Arrow. The values of larger batches
 * would outlive the young generation of the garbage collector, and take several times the time.
 */
const ROWS = 2 ** 12

/** Returns a table with a row for each item of a log. */
export function tableOf<Item>(
  name: string,
  row: string,
  columns: ReadonlyArray<ColumnOf<Item>>,
  items: (records: Iterable<LogRecord>) => Iterable<Item>,
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
        chosen.map((column) => (item: Item) => column!.of(item) ?? null),
        items(records),
      )
    },
  }
}

/** Yields batches with a row for each item, and a column for each function. */
export function* batchesOf<Item>(
  columns: ReadonlyArray<(item: Item) => Value>,
  items: Iterable<Item>,
): Generator<Batch, void> {
  let batch: Array<Item> = []
  const values = (): Batch => columns.map((of) => batch.map(of))
  for (const item of items) {
    batch.push(item)
    if (batch.length < ROWS) continue
    yield values()
    batch = []
  }
  if (batch.length > 0) yield values()
}

type Maker = <Item>(
  name: string,
  meaning: string,
  of: (item: Item) => Value | undefined,
  unit?: string,
) => ColumnOf<Item>

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
