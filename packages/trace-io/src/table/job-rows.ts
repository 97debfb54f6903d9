import { quote, TraceError } from '../errors.ts'
import {
  durationSeconds,
  fixedOffset,
  type JobLabels,
  stateWord,
  swfStatus,
  timeReader,
  type UtcOffset,
} from '../slurm/accounting.ts'
import { swfMaximum, swfStatuses } from '../swf/swf.ts'
import { type JobColumn, type JobColumnName, parseJobColumns } from './job-columns.ts'

/** A job of the table: numbers are -1 if unknown. Times are Unix seconds, or seconds after an unknown begin. */
export interface JobRow {
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

/** Source of a table: the file, the columns, and the kind of the numbers of its rows. */
export interface TableSource {
  readonly file: string
  /** Value of the option `columns`. */
  readonly columns: string
  /** Clocks of times without a zone. Default: UTC. */
  readonly utcOffset?: UtcOffset | undefined
  readonly unit: 'line' | 'row'
}

/** Texts for an unknown value. */
const UNKNOWN = /^(?:|nan|nat|none|null|n\/a|na|unknown|infinite|unlimited)$/i

/** Column of the table, with its place in a row. */
interface Placed extends JobColumn {
  readonly at: number
}

/** Reads the rows of a table whose header names the columns. Numbers are -1 if unknown. */
export class RowReader {
  readonly #source: TableSource
  readonly #columns: ReadonlyMap<JobColumnName, Placed>
  /** Number of the row that is read, and the texts of its cells by the place of a column. */
  #line = 0
  #cell: (at: number) => string = () => ''

  /**
   * @param header names of the table's columns
   * @param line line of the header; undefined for a table in Parquet
   * @throws SpecError for a wrong option `columns`
   * @throws TraceError if the table lacks or repeats a column of the option
   */
  constructor(source: TableSource, header: ReadonlyArray<string>, line?: number) {
    this.#source = source
    this.#columns = new Map(
      Array.from(parseJobColumns(source.columns), ([name, column]) => {
        const at = header.indexOf(column.column)
        if (at >= 0 && !header.includes(column.column, at + 1)) return [name, { ...column, at }] as const
        throw new TraceError({
          file: source.file,
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

  /** Returns the job of a row. @throws TraceError for a wrong value */
  read(line: number, cell: (at: number) => string, number: number): JobRow {
    this.#line = line
    this.#cell = cell
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
    const text = column === undefined ? '' : this.#cell(column.at)
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
    const [, day, time, fraction = '', zone, hours, minutes = '00'] = DATE.exec(text) ?? []
    if (day === undefined) return undefined
    const ofZone = hours === undefined ? undefined : fixedOffset(`${hours}:${minutes}`)
    const seconds = timeReader(zone === undefined ? this.#source.utcOffset : ofZone)(`${day}T${time}`)
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
    const { file, unit } = this.#source
    return new TraceError({ file, unit, line: this.#line, field, found: quote(text), expected })
  }
}

/** Day, time of day, fraction of a second, and zone. */
const DATE = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(\.\d+)? ?(Z|UTC|([+-]\d{2})(?::?(\d{2}))?)?$/
