import { gunzipSync } from 'fflate'
import { decompress as unzstd } from 'fzstd'
import { type ColumnMetaData, type Compressors, parquetMetadata, parquetRead, parquetSchema } from 'hyparquet'
import { TraceError } from './errors.ts'
import { checkPages } from './parquet-pages.ts'
import { parseJobColumns } from './table/job-columns.ts'
import type { ParquetTable } from './table/parse-job-table.ts'
import { MAX_CSV_LINES } from './text.ts'

/** Compressions of pages that `readParquet` reads. */
const codecs: ReadonlyArray<string> = ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'ZSTD']

const compressors: Compressors = {
  GZIP: (page, length) => gunzipSync(page, { out: new Uint8Array(length) }),
  ZSTD: (page, length) => unzstd(page, new Uint8Array(length)),
}

/** Parts of the bytes of a column, from a row on. */
interface Chunk {
  readonly from: number
  readonly values: ArrayLike<unknown>
}

/**
 * Reads the columns of a Parquet file that the option `columns` names, for `loadWorkloadFrom` (`OpenTrace.table`).
 * Pages may be uncompressed, or compressed by Snappy, gzip or zstd.
 *
 * @throws SpecError for a wrong option `columns`
 * @throws TraceError for a damaged or encrypted file, another compression, more than 2^22 rows, or more than 2^30 bytes
 */
export async function readParquet(bytes: Uint8Array, file: string, columns: string): Promise<ParquetTable> {
  const wanted = new Set(Array.from(parseJobColumns(columns).values(), ({ column }) => column))
  const whole = new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength)
  try {
    const metadata = parquetMetadata(whole)
    const tree = parquetSchema(metadata)
    const schema = tree.children
    const names = schema.map(({ element }) => element.name)
    const read = names.filter((name) => wanted.has(name))
    const rows = Number(metadata.num_rows)
    if (rows > MAX_CSV_LINES)
      throw new TraceError({ file, found: `${rows} rows`, expected: `at most ${MAX_CSV_LINES} rows` })
    const stored = metadata.row_groups
      .flatMap(({ columns: parts }) => parts.map(({ meta_data: part }) => part!))
      .filter(({ path_in_schema: path }) => read.includes(path[0]))
    checkCodecs(stored, file)
    checkPages(stored, tree, whole, compressors)
    const chunks = new Map(read.map((name) => [name, [] as Chunk[]]))
    await parquetRead({
      file: { byteLength: whole.length, slice: (from, to) => whole.slice(from, to).buffer },
      metadata,
      columns: read,
      compressors,
      parsers: { ...dates, stringFromBytes: textOf, jsonFromBytes: textOf },
      onChunk: ({ columnName, columnData, rowStart }) =>
        chunks.get(columnName)?.push({ from: rowStart, values: columnData }),
    })
    const cells = schema.map(({ element: { name, logical_type: type } }) => {
      const parts = chunks.get(name)?.toSorted((a, b) => a.from - b.from) ?? []
      const values = parts.reduce((sum, part) => sum + part.values.length, 0)
      if (chunks.has(name) && values !== rows) throw new Error(`${values} values of ${name} in ${rows} rows`)
      // A timestamp without a zone is a time of day of the option `utcOffset`.
      return cellsOf(parts, type?.type === 'TIMESTAMP' && !type.isAdjustedToUTC)
    })
    return { names, rows, cell: (column, row) => cells[column](row) }
  } catch (error) {
    if (error instanceof TraceError) throw error
    const found = `damaged data (${error instanceof Error ? error.message : String(error)})`
    throw new TraceError({ file, found, expected: 'a whole Parquet file' })
  }
}

function checkCodecs(columns: ReadonlyArray<ColumnMetaData>, file: string): void {
  const other = columns.find(({ codec }) => !codecs.includes(codec))
  if (other === undefined) return
  const found = `the compression ${other.codec} of column ${other.path_in_schema.join('.')}`
  throw new TraceError({ file, found, expected: `one of ${codecs.join(', ')}; write the file again with ZSTD` })
}

/** Returns a function for the text of a row in the chunks of a column, which are in ascending order. */
function cellsOf(chunks: ReadonlyArray<Chunk>, isLocal: boolean): (row: number) => string {
  let at = 0
  return (row) => {
    if (chunks[at] === undefined || row < chunks[at].from) at = 0
    while (chunks[at + 1] !== undefined && row >= chunks[at + 1].from) at++
    const value = chunks[at]?.values[row - chunks[at].from]
    if (value instanceof Moment) return isLocal ? value.text : `${value.text}Z`
    if (typeof value === 'object' && value !== null) return 'a list or struct'
    return String((value as string | number | bigint | boolean | null | undefined) ?? '')
  }
}

/** Day and time of day, such as `2023-03-01T00:18:22.250`. */
class Moment {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const decoder = new TextDecoder()

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && decoder.decode(bytes)
}

const dates = {
  timestampFromMilliseconds: (time: bigint) => momentOf(time, 1000n),
  timestampFromMicroseconds: (time: bigint) => momentOf(time, 1_000_000n),
  timestampFromNanoseconds: (time: bigint) => momentOf(time, 1_000_000_000n),
  dateFromDays: (days: number) => momentOf(BigInt(days) * 86_400n, 1n),
}

/** Latest second of a year with four digits. */
const LATEST = 253_402_300_799n

/** Returns a time in parts of a second as a moment, with the fraction of a second only if it is not 0; else the time's number. */
function momentOf(time: bigint | null | undefined, parts: bigint): unknown {
  if (time === null || time === undefined) return undefined
  const fraction = ((time % parts) + parts) % parts
  const seconds = (time - fraction) / parts
  if (seconds < 0n || seconds > LATEST) return time
  // oxlint-disable-next-line no-restricted-globals -- spells a given time, and reads no clock
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
  return new Moment(fraction === 0n ? text : `${text}.${String(fraction).padStart(String(parts).length - 1, '0')}`)
}
