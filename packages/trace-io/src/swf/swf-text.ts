import { decimal } from '@cloister/workload'
import { BadLineCounter, quote, type ReadingOptions, TraceError } from '../errors.ts'
import { carriageReturn, lineFeed, MAX_LINE_BYTES, textStart } from '../text.ts'
import { ColumnBuilder, unknowns } from './column-builder.ts'
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
 * @param text the whole text, or the bytes of a large file in pieces of any length
 * @throws TraceError for a line of more than 2^20 bytes, for comments of more than 2^22 bytes, for too many jobs, and at the first bad line unless `skipBadLines` is true
 */
export function parseSwf(text: string | Uint8Array | Iterable<Uint8Array>, options: ReadingOptions): SwfTrace {
  const reader = new SwfReader(options)
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  for (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) reader.push(piece)
  return reader.end()
}

/** Most bytes of comment lines. All comments stay in memory, and the header of a log has some thousand bytes. */
const MAX_COMMENT_BYTES = 2 ** 22
/** Most jobs, which need some 60 bytes each: a small gzip may have hundreds of millions of jobs. */
const MAX_JOBS = 2 ** 26

class SwfReader {
  readonly #options: ReadingOptions
  readonly #maxJobs: number
  readonly #columns = swfFields.map(() => new ColumnBuilder())
  readonly #lines = new ColumnBuilder()
  readonly #comments: Array<SwfComment> = []
  readonly #badLines: BadLineCounter
  /** Values of the job that is read. */
  readonly #values = new Float64Array(swfFields.length)
  #commentBytes = 0
  #longLines = 0
  #jobs = 0
  #line = 0
  /** Bytes of a line without its end. */
  #rest: Uint8Array = new Uint8Array(0)

  constructor(options: ReadingOptions) {
    this.#options = options
    this.#maxJobs = options.maxJobs ?? MAX_JOBS
    this.#badLines = new BadLineCounter(options)
  }

  push(piece: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? piece : joined(this.#rest, piece)
    const end = behindLastLine(bytes)
    this.#read(bytes.subarray(0, end))
    this.#rest = bytes.slice(end)
    // The end of this line is in a later piece.
    this.#checkLength(this.#rest.length, this.#line + 1, 'at least ')
  }

  end(): SwfTrace {
    // No loop has to check for the end of the file, because every line has an end.
    if (this.#rest.length > 0) this.#read(joined(this.#rest, Uint8Array.of(lineFeed)))
    const unknown = unknowns(this.#jobs)
    return {
      file: this.#options.file,
      comments: this.#comments,
      directives: readDirectives(this.#comments),
      jobs: this.#jobs,
      lines: this.#lines.column(unknown),
      columns: makeColumns((_, index) => this.#columns[index].column(unknown)),
      ...(this.#badLines.count === 0 ? {} : { badLines: this.#badLines }),
      ...(this.#longLines === 0 ? {} : { longLines: this.#longLines }),
    }
  }

  /** Reads lines with their ends. */
  #read(bytes: Uint8Array): void {
    let at = this.#line === 0 ? textStart(bytes) : 0
    while (at < bytes.length) {
      this.#line++
      const first = skipBlanks(bytes, at)
      let end = first
      if (bytes[first] === semicolon) {
        end = lineEnd(bytes, first)
        this.#addComment(decode(bytes.subarray(first + 1, end)))
      } else if (!isLineEnd(bytes[first])) {
        end = this.#readJob(bytes, first)
      }
      this.#checkLength(end - at, this.#line)
      at = bytes[end] === carriageReturn && bytes[end + 1] === lineFeed ? end + 2 : end + 1
    }
  }

  #addComment(text: string): void {
    this.#comments.push({ line: this.#line, text })
    this.#commentBytes += text.length + 1
    if (this.#commentBytes > MAX_COMMENT_BYTES)
      this.#refuse(`more than ${MAX_COMMENT_BYTES} bytes of comment lines`, 'a few lines')
  }

  #refuse(found: string, expected: string): never {
    throw new TraceError({ file: this.#options.file, line: this.#line, found, expected })
  }

  /** Returns the index of the line's end. */
  #readJob(bytes: Uint8Array, first: number): number {
    const values = this.#values
    const behind = readValues(bytes, first, values)
    const end = behind < 0 || isLineEnd(bytes[behind]) ? behind : moreNumbers(bytes, behind)
    if (end < 0) {
      const bad = lineEnd(bytes, first)
      this.#checkLength(bad - first, this.#line)
      this.#badLines.add(badJobLine(this.#options.file, this.#line, decode(bytes.subarray(first, bad))))
      return bad
    }
    if (end !== behind) this.#longLines++
    if (this.#jobs === this.#maxJobs)
      this.#refuse(`more than ${this.#maxJobs} jobs`, 'fewer jobs; cut the file into parts')
    for (let field = 0; field < values.length; field++) this.#columns[field].push(values[field])
    this.#lines.push(this.#line)
    this.#jobs++
    return end
  }

  #checkLength(bytes: number, line: number, about: string = ''): void {
    if (bytes <= MAX_LINE_BYTES) return
    const expected = `a line of at most ${MAX_LINE_BYTES} bytes`
    throw new TraceError({ file: this.#options.file, line, found: `${about}${bytes} bytes`, expected })
  }
}

/** Returns the index behind the last line end; a CR at the end of the bytes does not count, because LF may follow. */
function behindLastLine(bytes: Uint8Array): number {
  const last = bytes.length - (bytes[bytes.length - 1] === carriageReturn ? 2 : 1)
  return Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn, last)) + 1
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}

/** Reads 18 numbers. Returns the index after the numbers and blanks; -1 for a wrong or missing number. */
function readValues(bytes: Uint8Array, start: number, values: Float64Array): number {
  let at = start
  for (let field = 0; field < values.length; field++) {
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
    values[field] = negative ? -value : value
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
