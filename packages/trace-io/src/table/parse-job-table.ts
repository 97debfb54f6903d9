import { BadLineCounter, quote, type ReadingOptions, TraceError } from '../errors.ts'
import {
  durationSeconds,
  fixedOffset,
  type JobLabels,
  stateWord,
  swfStatus,
  timeReader,
  type UtcOffset,
} from '../slurm/accounting.ts'
import {
  commentsOfNodes,
  makeColumns,
  numberOfName,
  readDirectives,
  swfMaximum,
  swfStatuses,
  type SwfTrace,
} from '../swf/swf.ts'
import { readCsv, wholeText } from '../text.ts'
import { type JobColumn, type JobColumnName, parseJobColumns } from './job-columns.ts'

/** Options for reading a table of jobs. */
export interface JobTableOptions extends ReadingOptions {
  /** Value of the option `columns`. */
  readonly columns: string
  /** Clocks of times without a zone. Default: UTC. */
  readonly utcOffset?: UtcOffset
}

/** A job of the table: numbers are -1 if unknown. Times are Unix seconds, or seconds after an unknown begin. */
interface Row {
  readonly line: number
  readonly id: string
  readonly submit: number
  readonly wait: number
  readonly run: number
  readonly walltime: number
  readonly nodes: number
  readonly status: number
  readonly labels: JobLabels
}

/** Texts for an unknown value. */
const UNKNOWN = /^(?:|nan|nat|none|null|n\/a|na|unknown)$/i
/** Submissions from this time on, in 2001, are Unix times. */
const UNIX = 1_000_000_000

/**
 * Reads jobs from a table in CSV: a line of column names, then a line for each job. Times are seconds, or dates such as
 * `2023-03-01 00:18:22+08:00`. Sizes are in nodes, and a size with a factor is rounded up. Without a column `wait`, the
 * wait is the time from submission to start; without a column `run`, the run time is the time from start to end.
 * States are Slurm's words, or numbers of SWF. Without a column `id`, the ids are the numbers of the rows.
 *
 * @throws SpecError for a wrong option `columns`
 * @throws TraceError for a missing column, and at the first bad line unless `skipBadLines` is true
 */
export function parseJobTable(text: string | Uint8Array, options: JobTableOptions): SwfTrace {
  const { file } = options
  const whole = typeof text === 'string' ? text : wholeText(text, file, 'at most 256 MiB of comma-separated values')
  const badLines = new BadLineCounter(options)
  let reader: RowReader | undefined
  const rows: Array<Row> = []
  readCsv(whole, file, (line, values) => {
    if (reader === undefined) reader = new RowReader(options, line, values)
    else {
      const row = badLines.reading(() => reader!.read(line, values, rows.length + 1))
      if (row !== undefined) rows.push(row)
    }
  })
  const columns = makeColumns(() => new Float64Array(rows.length).fill(-1))
  const numbers = {
    user: new Map<string, number>(),
    account: new Map<string, number>(),
    queue: new Map<string, number>(),
  }
  for (const [at, { id, submit, wait, run, walltime, nodes, status, labels }] of rows.entries()) {
    columns.job[at] = /^\d{1,12}$/.test(id) ? Number(id) : -1
    columns.submit[at] = submit
    columns.wait[at] = wait
    columns.runTime[at] = run
    columns.allocatedProcs[at] = columns.requestedProcs[at] = nodes
    columns.requestedTime[at] = walltime
    columns.status[at] = status
    columns.user[at] = numberOfName(labels.user, numbers.user)
    columns.group[at] = numberOfName(labels.account, numbers.account)
    columns.queue[at] = numberOfName(labels.queue, numbers.queue)
  }
  const isDated = rows.some(({ submit }) => submit >= UNIX)
  const comments = commentsOfNodes().filter((comment) => isDated || !comment.text.includes('UnixStartTime'))
  return {
    file,
    comments,
    directives: readDirectives(comments),
    jobs: rows.length,
    lines: Int32Array.from(rows, ({ line }) => line),
    columns,
    labels: rows.map(({ labels }) => labels),
    ...(columns.job.includes(-1) ? { ids: rows.map(({ id }) => id) } : {}),
    ...(reader?.tells('gpus') === true && { gpus: Float64Array.from(rows, ({ labels }) => labels.gpus ?? 0) }),
    ...(badLines.count === 0 ? {} : { badLines }),
  }
}

/** Column of the table, with its place in a row. */
interface Placed extends JobColumn {
  readonly at: number
}

/** Reads the rows of a table whose header names the columns. Numbers are -1 if unknown. */
class RowReader {
  readonly #file: string
  readonly #columns: ReadonlyMap<JobColumnName, Placed>
  readonly #width: number
  readonly #utcOffset: UtcOffset | undefined
  /** Line and values of the row that is read. */
  #line = 0
  #values: ReadonlyArray<string> = []

  constructor({ file, columns, utcOffset }: JobTableOptions, line: number, header: ReadonlyArray<string>) {
    this.#file = file
    this.#width = header.length
    this.#utcOffset = utcOffset
    this.#columns = new Map(
      Array.from(parseJobColumns(columns), ([name, column]) => {
        const at = header.indexOf(column.column)
        if (at >= 0 && !header.includes(column.column, at + 1)) return [name, { ...column, at }] as const
        throw new TraceError({
          file,
          line,
          found: `the columns ${header.join(', ')}`,
          expected: `one column ${quote(column.column)} for ${name}; --columns names other columns`,
        })
      }),
    )
  }

  tells(name: JobColumnName): boolean {
    return this.#columns.has(name)
  }

  /** @throws TraceError for a row with another number of values than the header, or with a wrong value */
  read(line: number, values: ReadonlyArray<string>, number: number): Row {
    if (values.length !== this.#width)
      throw new TraceError({
        file: this.#file,
        line,
        found: `${values.length} values`,
        expected: `${this.#width} values, as the line of column names has`,
      })
    this.#line = line
    this.#values = values
    const [submit, start, end] = [this.#time('submit'), this.#time('start'), this.#time('end')]
    const run = this.tells('run') ? this.#duration('run') : this.#between('start', start, 'end', end)
    return {
      line,
      id: this.#text('id') ?? String(number),
      submit,
      wait: this.tells('wait') ? this.#duration('wait') : this.#between('submit', submit, 'start', start),
      run,
      walltime: this.#duration('walltime'),
      nodes: this.#count('nodes', 'a number of nodes'),
      status: this.#status(run),
      labels: this.#labels(),
    }
  }

  #text(name: JobColumnName): string | undefined {
    const column = this.#columns.get(name)
    const text = column === undefined ? '' : this.#values[column.at]
    return UNKNOWN.test(text) ? undefined : text
  }

  #number(name: JobColumnName, expected: string): number {
    const text = this.#text(name)
    if (text === undefined) return -1
    const number = /^-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
    if (number < 0) return -1
    const value = number * this.#columns.get(name)!.times
    if (value <= swfMaximum) return value
    throw this.#wrong(name, text, expected)
  }

  /** Rounds up, because a job may use its last node in part. A factor such as 1/3 has a rounding error. */
  #count(name: JobColumnName, expected: string): number {
    return Math.ceil(this.#number(name, expected) - 1e-9)
  }

  #time(name: JobColumnName): number {
    const date = this.#date(this.#text(name) ?? '')
    return date ?? this.#number(name, 'a date such as 2023-03-01 00:18:22+08:00, or seconds')
  }

  /** Returns the Unix seconds of a date; undefined for any other text. */
  #date(text: string): number | undefined {
    const [, day, time, fraction = '', zone, hours, minutes] = DATE.exec(text) ?? []
    if (day === undefined) return undefined
    const ofZone = hours === undefined ? undefined : fixedOffset(`${hours}:${minutes}`)
    const seconds = timeReader(zone === undefined ? this.#utcOffset : ofZone)(`${day}T${time}`)
    return seconds === undefined ? undefined : seconds + Number(`0${fraction}`)
  }

  #duration(name: JobColumnName): number {
    const clock = durationSeconds(this.#text(name) ?? '')
    return clock ?? this.#number(name, 'seconds, or a duration such as 1-02:30:00')
  }

  /** @throws TraceError if the end is before the begin */
  #between(begin: JobColumnName, from: number, end: JobColumnName, to: number): number {
    if (from < 0 || to < 0) return -1
    if (to >= from) return to - from
    throw this.#wrong(end, this.#text(end)!, `a time from ${begin} (${this.#text(begin)}) on`)
  }

  /** A job without a state has completed if it has run. */
  #status(run: number): number {
    const text = this.#text('state')
    if (text === undefined) return run >= 0 ? 1 : -1
    if (swfStatuses.has(Number(text))) return Number(text)
    const word = stateWord(text.toUpperCase())
    return word === undefined ? -1 : swfStatus(word)
  }

  #labels(): JobLabels {
    const labels: Record<string, string> = {}
    for (const name of ['user', 'account', 'queue', 'name'] as const) {
      const text = this.#text(name)
      if (text !== undefined) labels[name] = text
    }
    const gpus = this.#count('gpus', 'a number of GPUs')
    return { ...labels, ...(gpus > 0 && { gpus }) }
  }

  #wrong(name: JobColumnName, text: string, expected: string): TraceError {
    const field = this.#columns.get(name)!.column
    return new TraceError({ file: this.#file, line: this.#line, field, found: quote(text), expected })
  }
}

/** Day, time of day, fraction of a second, and zone. */
const DATE = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(\.\d+)? ?(Z|UTC|([+-]\d{2}):?(\d{2}))?$/
