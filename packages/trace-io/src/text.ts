import Papa from 'papaparse'
import { quote, TraceError } from './errors.ts'

/** Limits on the memory that a hostile trace can take. The longest public logs have some 6 million jobs in 0.5 GB. */

/** Most bytes of a decompressed trace, except a file in SWF, which is read in a stream. */
export const MAX_BYTES: number = 2 ** 30
/** Most bytes of a trace that is turned into one text: comma-separated values, JSON, list of communicating jobs. */
export const MAX_CSV_BYTES: number = 2 ** 28
/** Most lines of a trace in memory as one text, such as comma-separated values. */
export const MAX_CSV_LINES: number = 2 ** 22
/** Most lines of the output of `sacct -P`. */
export const MAX_LINES: number = 2 ** 24
/** Most bytes of a line. */
export const MAX_LINE_BYTES: number = 2 ** 20

export const lineFeed = 10
export const carriageReturn = 13

/**
 * Returns the name of the encoding if bytes begin like text in UTF-16: with a byte order mark of UTF-16, or with an
 * ASCII character and a zero byte. Returns undefined for any other bytes.
 */
export function otherEncoding(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  const hasZero = bytes.length > 1 && (first === 0) !== (second === 0)
  return hasMark || hasZero ? 'text in UTF-16' : undefined
}

/** Encoding that readers of text expect, with a command that converts UTF-16. */
export const EXPECTED_ENCODING = 'text in UTF-8 (iconv -f UTF-16 -t UTF-8 FILE converts the file)'

/** Returns the index of the first byte after a byte order mark; 0 if the bytes begin with no byte order mark. */
export function textStart(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}

/**
 * Returns the number of lines that are not empty. Lines end in LF, CRLF or CR.
 *
 * @throws TraceError for more than `limit` lines, including empty lines, or for a line of more than 2^20 bytes
 */
export function countLines(
  bytes: Uint8Array,
  { file, limit }: { readonly file: string; readonly limit: number },
): number {
  let ends = 0
  let filled = 0
  let start = 0
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && bytes[at] !== lineFeed && bytes[at] !== carriageReturn) continue
    if (at === start && bytes[at] === lineFeed && bytes[at - 1] === carriageReturn) {
      start = at + 1
      continue
    }
    ends++
    if (at > start) filled++
    if (at - start > MAX_LINE_BYTES) {
      const expected = `a line of at most ${MAX_LINE_BYTES} bytes`
      throw new TraceError({ file, line: ends, found: `${at - start} bytes`, expected })
    }
    start = at + 1
  }
  if (ends > limit) throw new TraceError({ file, found: `${ends} lines`, expected: `at most ${limit} lines` })
  return filled
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Decodes UTF-8, and keeps a byte order mark. */
export function decoded(bytes: Uint8Array): string {
  return utf8.decode(bytes)
}

/**
 * Returns bytes as one text.
 *
 * @param expected description of the allowed numbers of bytes, for the error
 * @throws TraceError for more than 2^28 bytes, more than 2^22 lines, or a line of more than 2^20 bytes
 */
export function wholeText(bytes: Uint8Array, file: string, expected: string): string {
  if (bytes.length > MAX_CSV_BYTES) throw new TraceError({ file, found: `${bytes.length} bytes`, expected })
  countLines(bytes, { file, limit: MAX_CSV_LINES })
  return decoded(bytes)
}

/**
 * Reads comma-separated values (RFC 4180): a value in quotes may hold commas, line ends and doubled quotes. Lines end
 * in LF, CRLF or CR. `readCsv` skips empty lines and a byte order mark.
 *
 * @param visit function that `readCsv` calls for every record in turn, with the record's first line in the file, from 1,
 *   and the values without surrounding white space
 * @throws TraceError for a quoted value without a closing quote, or with text after the closing quote
 */
export function readCsv(
  text: string,
  file: string,
  visit: (line: number, values: ReadonlyArray<string>) => void,
): void {
  const unix = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  let line = 1
  let at = 0
  Papa.parse<ReadonlyArray<string>>(unix, {
    delimiter: ',',
    newline: '\n',
    step: ({ data, errors: [error], meta }) => {
      if (error !== undefined) throw brokenQuote(file, line, unix.slice(at, meta.cursor))
      const values = data.map((value) => value.trim())
      if (values.length > 1 || values[0] !== '') visit(line, values)
      line += lineFeeds(unix, at, meta.cursor)
      at = meta.cursor
    },
  })
}

/** Returns the comma-separated values of the first line of a text, without surrounding white space. */
export function firstCsvRecord(text: string): ReadonlyArray<string> {
  const [line] = text.replace(/^\uFEFF/, '').split(/[\r\n]/, 1)
  const [values = []] = Papa.parse<ReadonlyArray<string>>(line, { delimiter: ',' }).data
  return values.map((value) => value.trim())
}

function lineFeeds(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}

function brokenQuote(file: string, line: number, record: string): TraceError {
  const [start] = record.split('\n', 1)
  const expected = 'a closing quote for every opening quote, and doubled quotes inside'
  return new TraceError({ file, line, found: quote(start), expected })
}
