import type { ColumnMetaData, Compressors, PageHeader, SchemaElement, SchemaTree } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { decompressPage } from 'hyparquet/src/datapage.js'
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js'
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getTreePath } from 'hyparquet/src/schema.js'
import { readVarInt } from 'hyparquet/src/thrift.js'
import { MAX_BYTES, MAX_CSV_LINES } from './text.ts'

/** Largest number of values in all columns of a file: 32 columns with the most rows, or as many items of lists. */
const MAX_VALUES = 32 * MAX_CSV_LINES
/** Largest number of bytes of a decimal number: hyparquet needs the square of the length in time. */
const MAX_DECIMAL_BYTES = 64

interface Reader {
  readonly view: DataView<ArrayBuffer>
  offset: number
}

type DataHeader = NonNullable<PageHeader['data_page_header']> | NonNullable<PageHeader['data_page_header_v2']>

/**
 * Throws an error if the pages of columns have more than 2^30 bytes, or if hyparquet would decode a page without end: it
 * believes the sizes of pages, the lengths of runs and the sizes of blocks, even if they are negative, or larger than
 * the page.
 */
export function checkPages(
  columns: ReadonlyArray<ColumnMetaData>,
  schema: SchemaTree,
  file: Uint8Array<ArrayBuffer>,
  compressors: Compressors,
): void {
  const sums = { bytes: 0, values: 0 }
  for (const column of columns) {
    const { dictionary_page_offset: first, data_page_offset: second, total_compressed_size: size } = column
    const path = getTreePath(schema, column.path_in_schema)
    checkDecimals(path.at(-1)!.element)
    const from = Number(first || second)
    const reader = { view: new DataView(file.buffer, file.byteOffset + from, Number(size)), offset: 0 }
    const last = sums.values + Number(column.num_values)
    while (reader.offset < reader.view.byteLength - 1) {
      const header = parquetHeader(reader)
      const { compressed_page_size: stored, uncompressed_page_size: page } = header
      const data = header.data_page_header ?? header.data_page_header_v2
      const values = (data ?? header.dictionary_page_header)?.num_values
      if (!(stored >= 0 && page >= 0 && values! >= 0 && values! <= MAX_CSV_LINES))
        throw new Error('a page without size')
      sums.bytes += page
      if (sums.bytes > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes of columns`)
      const start = reader.offset
      reader.offset += stored
      if (data === undefined) continue
      sums.values += values!
      if (sums.values > last) throw new Error(`pages with more than ${column.num_values} values`)
      if (sums.values > MAX_VALUES) throw new Error(`more than ${MAX_VALUES} values in all columns`)
      const bytes = new Uint8Array(reader.view.buffer, reader.view.byteOffset + start, stored)
      checkData(bytes, header, { data, path, codec: column.codec, type: column.type }, compressors)
    }
  }
}

function checkDecimals({ type, type_length: length, converted_type: converted }: SchemaElement): void {
  if (converted !== 'DECIMAL' || type === 'INT32' || type === 'INT64') return
  if (type === 'BYTE_ARRAY' || !(length! <= MAX_DECIMAL_BYTES))
    throw new Error(`decimal numbers of more than ${MAX_DECIMAL_BYTES} bytes, or of any number of bytes`)
}

interface DataPage extends Pick<ColumnMetaData, 'codec' | 'type'> {
  readonly data: DataHeader
  readonly path: SchemaTree[]
}

/** Checks the runs and blocks of a page with values. @param bytes page as it is stored */
function checkData(
  bytes: Uint8Array<ArrayBuffer>,
  header: PageHeader,
  { data, path, codec, type }: DataPage,
  compressors: Compressors,
): void {
  const repetition = widthOf(getMaxRepetitionLevel(path))
  const most = getMaxDefinitionLevel(path)
  const { num_values: count, encoding } = data
  if (encoding === undefined) throw new Error('a page of an unknown encoding')
  let values = count
  let reader: Reader
  if ('num_rows' in data) {
    const { repetition_levels_byte_length: ofRepetition, definition_levels_byte_length: ofDefinition } = data
    const levels = ofRepetition + ofDefinition
    if (repetition > 0) checkRuns(readerOf(bytes), repetition, count)
    if (most > 0) checkRuns(readerOf(bytes.subarray(ofRepetition)), widthOf(most), count)
    const isStored = data.is_compressed === false
    const page = bytes.subarray(levels)
    reader = readerOf(
      isStored ? page : decompressPage(page, header.uncompressed_page_size - levels, codec, compressors),
    )
    values -= data.num_nulls
  } else {
    reader = readerOf(decompressPage(bytes, header.uncompressed_page_size, codec, compressors))
    if (repetition > 0) levelsOf(reader, repetition, count)
    if (most > 0)
      values = levelsOf(reader, widthOf(most), count).reduce((sum, level) => sum + Number(level === most), 0)
  }
  if (encoding === 'RLE' || encoding.endsWith('_DICTIONARY')) {
    const isBoolean = type === 'BOOLEAN'
    const width = isBoolean ? 1 : reader.view.getUint8(reader.offset++)
    if (width > 32) throw new Error(`indices of ${width} bits`)
    if (width > 0) checkRuns(isBoolean ? { ...reader, offset: reader.offset + 4 } : reader, width, values)
  } else if (encoding === 'DELTA_BYTE_ARRAY') checkTexts(reader, values)
  else if (encoding.startsWith('DELTA_')) checkBlocks(reader)
}

function readerOf(bytes: Uint8Array): Reader {
  return { view: new DataView(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
}

/** Returns the number of bits of a level. */
function widthOf(level: number): number {
  return 32 - Math.clz32(level)
}

/** Reads levels after their length in bytes. */
function levelsOf(reader: Reader, width: number, count: number): ReadonlyArray<number> {
  checkRuns({ ...reader, offset: reader.offset + 4 }, width, count)
  const levels = Array<number>(count)
  readRleBitPackedHybrid(reader, width, levels)
  return levels
}

/**
 * Throws an error if a run repeats a value more often than values are left. A packed run has its values in the page, and
 * DuckDB fills its last run up to 256 values.
 */
function checkRuns({ view, offset }: Reader, width: number, values: number): void {
  const reader = { view, offset }
  for (let left = values; left > 0;) {
    const run = readVarInt(reader)
    const isPacked = (run & 1) === 1
    const count = isPacked ? (run >> 1) << 3 : run >>> 1
    if (!(count >= 0 && (isPacked || count <= left)))
      throw new Error(`a run of ${count} values, of which ${left} are left`)
    reader.offset += isPacked ? (count / 8) * width : Math.ceil(width / 8)
    left -= count
  }
}

/** Throws an error if differences are in blocks of a size that no writer makes. */
function checkBlocks({ view, offset }: Reader): void {
  const reader = { view, offset }
  const [block, parts] = [readVarInt(reader), readVarInt(reader)]
  if (!(block > 0 && parts > 0 && block % parts === 0)) throw new Error(`blocks of ${block} values in ${parts} parts`)
}

/** Throws an error if texts, each with the length of the part that equals the text before, have too many bytes. */
function checkTexts(reader: Reader, count: number): void {
  let bytes = 0
  for (let stream = 0; stream < 2; stream++) {
    checkBlocks(reader)
    const lengths = new Int32Array(count)
    deltaBinaryUnpack(reader, count, lengths)
    for (const length of lengths) {
      if (length < 0) throw new Error(`a text of ${length} bytes`)
      bytes += length
    }
  }
  if (bytes > MAX_BYTES) throw new Error(`texts of ${bytes} bytes; at most ${MAX_BYTES} bytes are read`)
}
