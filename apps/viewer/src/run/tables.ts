import type { LogRecord } from '@cloister/eventlog'
import { type Table, type TableFormat, tableFormats, type TableName, tables } from '@cloister/exports'

/** Table of the log that the page can save. `row` is a noun phrase for one row. */
export type OfferedTable = Pick<Table, 'row'> & { readonly name: TableName }

/** All tables of a log, in the order of their documentation. */
export const offeredTables: ReadonlyArray<OfferedTable> = Object.entries(tables).map(([name, { row }]) => ({
  name: name as TableName,
  row,
}))

/** Returns the bytes of a table as a file, as `cloister export --table` writes it. */
export function tableFile(name: TableName, format: TableFormat, records: Iterable<LogRecord>): Uint8Array {
  const { columns, batches } = tables[name]
  const encoder = new TextEncoder()
  const written: Iterable<string | Uint8Array> = tableFormats[format]({ columns, batches: batches(records) })
  const pieces = Array.from(written, (piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece))
  const file = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    file.set(piece, at)
    at += piece.length
  }
  return file
}
