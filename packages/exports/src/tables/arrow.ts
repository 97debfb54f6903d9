import {
  bool,
  type Column as FlechetteColumn,
  columnFromArray,
  type DataType,
  float64,
  int32,
  int64,
  tableFromColumns,
  tableToIPC,
  timestamp,
  TimeUnit,
  utf8,
} from '@uwdata/flechette'
import type { Batch, ColumnType, TableData } from './table.ts'

const types: Readonly<Record<ColumnType, DataType>> = {
  bool: bool(),
  int32: int32(),
  int64: int64(),
  float64: float64(),
  utf8: utf8(),
  timestamp: timestamp(TimeUnit.MILLISECOND, 'UTC'),
}

/** Length in bytes of the end of a stream. */
const END = 8

/** Yields the bytes of a table in Arrow's IPC streaming format, with a record batch for each batch. */
export function* arrowOf(table: TableData): Generator<Uint8Array<ArrayBuffer>, void> {
  const { columns } = table
  const streamOf = (batch: Batch): Uint8Array<ArrayBuffer> => {
    const arrays = columns.map(({ name, type }, at): [string, FlechetteColumn<unknown>] => [
      name,
      columnFromArray([...batch.values(at)], types[type]),
    ])
    return tableToIPC(tableFromColumns(arrays), { format: 'stream' }) as Uint8Array<ArrayBuffer>
  }
  // A stream is the schema, the record batches and the end. The schema is the same in the stream of each batch.
  const empty = streamOf({ rows: 0, values: () => [] })
  const schema = empty.length - END
  yield empty.subarray(0, schema)
  for (const batch of table.batches) yield streamOf(batch).subarray(schema, -END)
  yield empty.subarray(schema)
}
