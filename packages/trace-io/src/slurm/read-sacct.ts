import { BadLineCounter, type BadLines, type ReadingOptions, TraceError } from '../errors.ts'
import {
  carriageReturn,
  countLines,
  decoded,
  firstCsvRecord,
  lineFeed,
  MAX_BYTES,
  MAX_CSV_BYTES,
  MAX_LINES,
  readCsv,
  textStart,
  wholeText,
} from '../text.ts'
import { type AccountingField, type AccountingRow, timeReader, type UtcOffset } from './accounting.ts'
import { ContradictionCounter, type Contradictions, type SaidTwice } from './accounting-facts.ts'
import { isSacctJson, readSacctJson } from './sacct-json.ts'
import { noHeading, SacctLines } from './sacct-lines.ts'

/** Options for reading a file of Slurm's accounting. */
export interface AccountingOptions extends ReadingOptions {
  /** UTC offset of the times of day in the file. Default: an offset of 0 seconds. */
  readonly utcOffset?: UtcOffset
}

/** Facts of a file of Slurm's accounting besides its rows. */
export interface AccountingFile {
  /** Fields that the file has; undefined for JSON, which has all fields. */
  readonly fields: ReadonlySet<AccountingField> | undefined
  /** Number of skipped rows of steps of jobs; 0 for JSON, which lists no steps as rows. */
  readonly steps: number
  readonly badLines: BadLines
  /** Account of the rows with fields that contradict each other. The reader visits contradictory rows, too. */
  readonly contradictions: Contradictions
}

/** Returns true if a file is output of `sacct`: JSON, or a first line of columns with `JobID` or `JobIDRaw`. */
export function isSacct(bytes: Uint8Array): boolean {
  const start = decoded(bytes.subarray(0, 4096))
  return (
    isSacctJson(start) ||
    isPadded(start) ||
    separatorOf(start) !== undefined ||
    firstCsvRecord(start).some((name) => name === 'JobID' || name === 'JobIDRaw')
  )
}

/** Returns all rows of jobs in a text that `sacct` printed in any form. @throws TraceError at the first bad line */
export function sacctRows(text: string, file: string): ReadonlyArray<AccountingRow> {
  const rows: Array<AccountingRow> = []
  readSacct(new TextEncoder().encode(text), { file }, (row) => rows.push(row))
  return rows
}

/**
 * Returns a reader for records of Slurm's accounting that are already split into values, so that a value may hold any
 * character. The reader returns the row of a record; undefined for a step of a job. The reader throws a TraceError for
 * a wrong value.
 *
 * @param names names of the columns, as `sacct` spells names
 * @throws TraceError for a missing or repeated column
 */
export function accountingReader(
  file: string,
  names: ReadonlyArray<string>,
): (line: number, values: ReadonlyArray<string>) => AccountingRow | undefined {
  const lines = new SacctLines(file, 1, names, timeReader())
  return (line, values) => lines.read(line, values)
}

/**
 * Reads the output of `sacct`: with `-P` or `-p` and any `--delimiter`, as comma-separated values with quotes, or with
 * `--json`. The columns may have any order. `readSacct` skips and counts rows of steps (`12.batch`).
 *
 * @param visit function that `readSacct` calls with every row of a job in turn
 * @throws TraceError for a file in another form, and at the first bad line unless `skipBadLines` is true
 */
export function readSacct(
  bytes: Uint8Array,
  options: AccountingOptions,
  visit: (row: AccountingRow) => void,
): AccountingFile {
  const { file } = options
  const badLines = new BadLineCounter(options)
  const contradictions = new ContradictionCounter()
  const take = (row: AccountingRow, twice?: SaidTwice): void => {
    contradictions.add(row, twice)
    visit(row)
  }
  const start = decoded(bytes.subarray(0, 4096))
  if (isSacctJson(start)) {
    readSacctJson(wholeText(bytes, file, atMost(MAX_CSV_BYTES)), file, (read) => {
      const row = badLines.reading(read)
      if (row !== undefined) take(row)
    })
    return { fields: undefined, steps: 0, badLines, contradictions: contradictions.found }
  }
  if (isPadded(start))
    throw new TraceError({
      file,
      line: 1,
      found: 'columns padded with blanks; sacct cuts values to the width of such columns',
      expected: 'the output of sacct -P',
    })
  let lines: SacctLines | undefined
  let steps = 0
  const record = (line: number, values: ReadonlyArray<string>): void => {
    if (lines === undefined) {
      lines = new SacctLines(file, line, values, timeReader(options.utcOffset))
      return
    }
    const reader = lines
    const read = badLines.reading(() => ({ row: reader.read(line, values) }))
    if (read?.row !== undefined) take(read.row, reader.saidTwice())
    else if (read !== undefined) steps++
  }
  const separator = separatorOf(start)
  if (separator === undefined || separator === ',') readCsv(wholeText(bytes, file, atMost(MAX_CSV_BYTES)), file, record)
  else readSeparated(bytes, file, separator, record)
  const { fields } = lines ?? noHeading(file)
  return { fields, steps, badLines, contradictions: contradictions.found }
}

/** Returns the separator of column names; undefined without `JobID` and `JobIDRaw`, for only blanks, or for quotes. */
function separatorOf(start: string): string | undefined {
  const line = firstLine(start)
  if (!/\bJobID(?:Raw)?\b/.test(line)) return undefined
  const [, separator] = /^[A-Za-z]+([^A-Za-z"]+)[A-Za-z]/.exec(line) ?? []
  if (separator === undefined || /^ +$/.test(separator)) return undefined
  return separator.startsWith(',') ? ',' : separator
}

/** Recognises the output of `sacct` without `-P`: columns padded with blanks. */
function isPadded(start: string): boolean {
  return /^ *JobID(?:Raw)? +[A-Za-z]/.test(firstLine(start))
}

function firstLine(start: string): string {
  return start.replace(/^\uFEFF/, '').split(/[\r\n]/, 1)[0]
}

/** Quotes are plain text, because `sacct -P` quotes nothing. With `sacct -p`, each line ends in a separator. */
function readSeparated(
  bytes: Uint8Array,
  file: string,
  separator: string,
  record: (line: number, values: ReadonlyArray<string>) => void,
): void {
  if (bytes.length > MAX_BYTES)
    throw new TraceError({ file, found: `${bytes.length} bytes`, expected: atMost(MAX_BYTES) })
  countLines(bytes, { file, limit: MAX_LINES })
  let endsWithSeparator: boolean | undefined
  let line = 0
  for (let at = textStart(bytes); at < bytes.length;) {
    const next = bytes.indexOf(lineFeed, at)
    const end = next < 0 ? bytes.length : next
    const text = decoded(bytes.subarray(at, bytes[end - 1] === carriageReturn ? end - 1 : end))
    at = end + 1
    line++
    if (text.trim() === '') continue
    endsWithSeparator ??= text.endsWith(separator)
    const values = text.split(separator)
    if (endsWithSeparator && values.at(-1) === '') values.pop()
    record(
      line,
      values.map((value) => value.trim()),
    )
  }
}

function atMost(limit: number): string {
  return `Slurm's accounting in at most ${limit} bytes; the output of sacct -P may have ${MAX_BYTES} bytes`
}
