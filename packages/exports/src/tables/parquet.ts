import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { Column, ColumnType, TableData, Value } from './table.ts'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

const types: Readonly<Record<ColumnType, Pick<SchemaElement, 'type' | 'converted_type'>>> = {
  bool: { type: 'BOOLEAN' },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  float64: { type: 'DOUBLE' },
  utf8: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  timestamp: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
}

/** Yields the bytes of a table as a Parquet file, compressed by Snappy, with a row group for each batch. */
export function* parquetOf(table: TableData): Generator<Uint8Array<ArrayBuffer>, void> {
  const { columns } = table
  const buffer = new ByteWriter()
  const taken = (): Uint8Array<ArrayBuffer> => {
    const bytes = buffer.getBytes().slice()
    buffer.index = 0
    return bytes
  }
  const schema = [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)]
  const writer = new ParquetWriter({ writer: buffer, schema, createdBy: 'cloister' })
  for (const batch of table.batches) {
    const columnData = columns.map((column, at) => ({
      name: column.name,
      // The getter keeps the values of one column in memory, not of all columns.
      get data() {
        return physical(column, batch.values(at))
      },
    }))
    void writer.write({ columnData, rowGroupSize: batch.rows })
    yield taken()
  }
  void writer.finish()
  yield taken()
}

function elementOf({ name, type, nullable }: Column): SchemaElement {
  return { name, ...types[type], repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED' }
}

/** Returns the values as the writer expects them. */
function physical({ type }: Column, values: ReadonlyArray<Value>): Array<unknown> {
  if (type === 'int64' || type === 'timestamp') return values.map((value) => (value === null ? null : BigInt(value)))
  return values as Array<Value>
}
