import { arrowOf } from './arrow.ts'
import { parquetOf } from './parquet.ts'
import type { TableData } from './table.ts'
import { csvOf, ndjsonOf } from './text-files.ts'

/** Names of the file formats of tables. */
export const tableFormatNames = ['csv', 'ndjson', 'parquet', 'arrow'] as const

/** Name of a file format of tables. */
export type TableFormat = (typeof tableFormatNames)[number]

/** Functions that yield a table as the pieces of a file, text or bytes, by the name of the format. */
export const tableFormats: Readonly<
  Record<TableFormat, (table: TableData) => Iterable<string> | Iterable<Uint8Array<ArrayBuffer>>>
> = { csv: csvOf, ndjson: ndjsonOf, parquet: parquetOf, arrow: arrowOf }
