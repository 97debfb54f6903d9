import { decimal } from '@cloister/workload'
import { BadLineCounter, quote, type ReadingOptions, TraceError } from '../errors.ts'
import { carriageReturn, countLines, lineFeed, MAX_LINES, textStart } from '../text.ts'
import {
  decimalSwfFields,
  makeColumns,
  mostSwfFields,
  readDirectives,
  type SwfComment,
  type SwfField,
  swfFields,
  swfMaximum,
  type SwfTrace,
} from './swf.ts'

const tab = 9
const space = 32
const minus = 45
const point = 46
const zero = 48
const semicolon = 59

/** Number of decimal digits that a double always holds exactly. */
const exactDigits = 15

/** Index of the field `status`, which may be any negative number: archives have codes that SWF does not define. */
const statusField = swfFields.indexOf('status')

/**
 * Reads an SWF file (not compressed). Every line is a job, a `;` line or empty. Lines end in LF, CRLF or CR. `parseSwf`
 * skips up to three numbers after the 18 numbers of a job.
 *
 * @throws TraceError for too many or too long lines, and at the first bad line unless `skipBadLines` is true
 */
export function parseSwf(text: string | Uint8Array, options: ReadingOptions): SwfTrace {
  const bytes = withLastLineEnd(typeof text === 'string' ? new TextEncoder().encode(text) : text)
  const capacity = countLines(bytes, { file: options.file, limit: MAX_LINES })
  const columns = swfFields.map(() => new Float64Array(capacity))
  const lines = new Int32Array(capacity)
  const comments: Array<SwfComment> = []
  const badLines = new BadLineCounter(options)
  let longLines = 0
  let jobs = 0
  let line = 0
  let at = textStart(bytes)
  while (at < bytes.length) {
    line++
    const first = skipBlanks(bytes, at)
    let end = first
    if (bytes[first] === semicolon) {
      end = lineEnd(bytes, first)
      comments.push({ line, text: decode(bytes.subarray(first + 1, end)) })
    } else if (!isLineEnd(bytes[first])) {
      const behind = readJob(bytes, first, columns, jobs)
      end = behind < 0 || isLineEnd(bytes[behind]) ? behind : moreNumbers(bytes, behind)
      if (end >= 0) {
        if (end !== behind) longLines++
        lines[jobs++] = line
      } else {
        end = lineEnd(bytes, first)
        badLines.add(badJobLine(options.file, line, decode(bytes.subarray(first, end))))
      }
    }
    at = bytes[end] === carriageReturn && bytes[end + 1] === lineFeed ? end + 2 : end + 1
  }
  return {
    file: options.file,
    comments,
    directives: readDirectives(comments),
    jobs,
    lines: lines.subarray(0, jobs),
    columns: makeColumns((_, index) => columns[index].subarray(0, jobs)),
    ...(badLines.count === 0 ? {} : { badLines }),
    ...(longLines === 0 ? {} : { longLines }),
  }
}

/** Reads 18 numbers into a row. Returns the index after the numbers and blanks; -1 for a wrong or missing number. */
function readJob(bytes: Uint8Array, start: number, columns: ReadonlyArray<Float64Array>, row: number): number {
  let at = start
  for (let field = 0; field < columns.length; field++) {
    const from = at
    const negative = bytes[at] === minus
    if (negative) at++
    const firstDigit = at
    let value = 0
    for (let digit = bytes[at] - zero; digit >= 0 && digit <= 9; digit = bytes[++at] - zero) value = value * 10 + digit
    let digits = at - firstDigit
    if (digits === 0) return -1
    if (bytes[at] === point) {
      const firstDecimal = ++at
      let power = 1
      for (let digit = bytes[at] - zero; digit >= 0 && digit <= 9; digit = bytes[++at] - zero) {
        value = value * 10 + digit
        power *= 10
      }
      if (at === firstDecimal) return -1
      digits += at - firstDecimal
      value /= power
    }
    if (digits > exactDigits) value = Math.abs(Number(decode(bytes.subarray(from, at))))
    if (value > swfMaximum || (negative && value !== 1 && (field !== statusField || value === 0))) return -1
    if (!Number.isInteger(value) && !decimalSwfFields.has(swfFields[field])) return -1
    columns[field][row] = negative ? -value : value
    const afterNumber = at
    at = skipBlanks(bytes, at)
    if (at === afterNumber && !isLineEnd(bytes[at])) return -1
  }
  return at
}

/** Returns the index of the line's end if at most three numbers follow the 18 numbers of a job; -1 for other text. */
function moreNumbers(bytes: Uint8Array, from: number): number {
  const end = lineEnd(bytes, from)
  const words = wordsOf(decode(bytes.subarray(from, end)))
  return words.length <= mostSwfFields - swfFields.length && words.every(isNumber) ? end : -1
}

function wordsOf(text: string): ReadonlyArray<string> {
  return text.split(/[ \t]+/).filter((word) => word !== '')
}

function isNumber(word: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(word)
}

/** Returns the error with the first wrong field of a bad line. Only bad lines are read a second time, word by word. */
function badJobLine(file: string, line: number, text: string): TraceError {
  const words = wordsOf(text)
  const wrong = (field: SwfField | undefined, found: string, expected: string): TraceError =>
    new TraceError({ file, line, field, found, expected })
  for (const [index, field] of swfFields.entries()) {
    const word = words[index]
    if (word === undefined)
      return wrong(field, `the end of the line after ${words.length} fields`, `${swfFields.length} fields`)
    const mayHaveDecimals = decimalSwfFields.has(field)
    if (!isNumber(word))
      return wrong(field, quote(word), `a number such as 12${mayHaveDecimals ? ', 3.5' : ''} or -1 (unknown)`)
    const value = Number(word)
    if (word.startsWith('-') && value !== -1 && (field !== 'status' || value === 0))
      return wrong(field, quote(word), 'a number of at least 0, or -1 (unknown)')
    if (value > swfMaximum) return wrong(field, quote(word), `a number of at most ${swfMaximum}`)
    if (!Number.isInteger(value) && !mayHaveDecimals)
      return wrong(field, quote(word), 'a whole number, or -1 (unknown)')
  }
  const behind = words.slice(swfFields.length, mostSwfFields).find((word) => !isNumber(word))
  return wrong(
    undefined,
    behind === undefined ? `${words.length} fields` : `${quote(behind)} behind the ${swfFields.length} fields`,
    `${swfFields.length} fields, and at most ${mostSwfFields - swfFields.length} more numbers`,
  )
}

function isLineEnd(byte: number): boolean {
  return byte === lineFeed || byte === carriageReturn
}

function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from
  while (bytes[at] === space || bytes[at] === tab) at++
  return at
}

function lineEnd(bytes: Uint8Array, from: number): number {
  let at = from
  while (!isLineEnd(bytes[at])) at++
  return at
}

/** Adds a line end after the last line, so that no loop has to check for the end of the file. */
function withLastLineEnd(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0 || isLineEnd(bytes[bytes.length - 1])) return bytes
  const copy = new Uint8Array(bytes.length + 1)
  copy.set(bytes)
  copy[bytes.length] = lineFeed
  return copy
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8, or else Latin-1, because old headers have names of people in either encoding. */
function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  }
}

/**
 * Returns the text of an SWF file: the `;` lines and the lines of jobs, in the order of their line numbers, with one
 * space between values. `parseSwf` reads the same comments and columns from the text.
 */
export function formatSwf(trace: SwfTrace): string {
  const columns = swfFields.map((field) => trace.columns[field])
  const text: Array<string> = []
  let comment = 0
  for (let job = 0; job < trace.jobs; job++) {
    while (comment < trace.comments.length && trace.comments[comment].line < trace.lines[job])
      text.push(`;${trace.comments[comment++].text}\n`)
    let line = decimal(columns[0][job])
    for (let field = 1; field < columns.length; field++) line += ` ${decimal(columns[field][job])}`
    text.push(`${line}\n`)
  }
  while (comment < trace.comments.length) text.push(`;${trace.comments[comment++].text}\n`)
  return text.join('')
}
