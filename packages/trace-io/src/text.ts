import Papa from 'papaparse'
import { quote, TraceError } from './errors.ts'

/** Limits on the memory that a hostile trace can take. The longest public logs have some 6 million jobs in 0.5 GB. */

/** Most bytes of a decompressed trace. */
export const MAX_BYTES: number = 2 ** 30
/** Most bytes of a trace that is turned into one text: comma-separated values, JSON, list of communicating jobs. */
export const MAX_CSV_BYTES: number = 2 ** 28
/** Most lines of a trace in memory as one text, such as comma-separated values. */
const MAX_CSV_LINES: number = 2 ** 22
/** Most lines of a trace that a reader reads line by line: SWF, or output of `sacct -P`. */
export const MAX_LINES: number = 2 ** 24
const MAX_LINE_BYTES: number = 2 ** 20

export const lineFeed = 10
export const carriageReturn = 13

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

/** Deepest nesting of arrays and objects in JSON from a file or an argument; the same as for JSON in event logs. */
const MAX_DEPTH = 64

/** Error for a JSON text with the same key twice in an object, because `JSON.parse` silently takes the last value. */
export class RepeatedKeyError extends SyntaxError {
  readonly _tag: 'RepeatedKeyError' = 'RepeatedKeyError'
  override readonly name: string = 'RepeatedKeyError'
  readonly key: string
  /** Line of the second occurrence of the key in the text, from 1. */
  readonly line: number

  constructor(key: string, line: number, isOnlyLine: boolean) {
    super(`${isOnlyLine ? '' : `line ${line}: `}the key ${JSON.stringify(key)} is given twice in one object`)
    this.key = key
    this.line = line
  }
}

/**
 * Returns the value of a JSON text that a user wrote.
 *
 * @throws RepeatedKeyError if an object has a key twice
 * @throws SyntaxError if the text is no JSON, or if arrays and objects are nested more than 64 deep
 */
export function parseJsonText(text: string): unknown {
  const depth = depthOf(text)
  if (depth > MAX_DEPTH)
    throw new SyntaxError(`arrays and objects are nested ${depth} deep; at most ${MAX_DEPTH} levels are allowed`)
  const value: unknown = JSON.parse(text)
  checkKeys(text)
  return value
}

const [QUOTE, BACKSLASH, COLON, LF] = [0x22, 0x5c, 0x3a, 0x0a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_LIST || code === OPEN_OBJECT) deepest = Math.max(deepest, ++depth)
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--
  }
  return deepest
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at
  }
  return text.length
}

/**
 * Throws a RepeatedKeyError for a repeated key. The function reads the text itself, without a reviver of `JSON.parse`,
 * because V8 13.6 confuses keys of a single escaped character. `text` must be valid JSON.
 */
function checkKeys(text: string): void {
  /** Keys of each open object, innermost last; an empty set for an open array. */
  const open: Array<Set<string>> = []
  let line = 1
  /** Indices of the opening and closing quote of the last string read. A string before a colon is a key. */
  let [start, end] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === LF) line++
    else if (code === OPEN_LIST || code === OPEN_OBJECT) open.push(new Set())
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) open.pop()
    else if (code === QUOTE) {
      start = at
      at = end = endOfString(text, at)
    } else if (code === COLON) {
      const raw = text.slice(start + 1, end)
      const key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
      const keys = open[open.length - 1]
      if (keys.has(key)) throw new RepeatedKeyError(key, line, !text.trimEnd().includes('\n'))
      keys.add(key)
    }
  }
}
