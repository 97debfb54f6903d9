import { BadLineCounter, type ReadingOptions, TraceError } from '../errors.ts'
import type { UtcOffset } from '../slurm/accounting.ts'
import { commentsOfNodes, makeColumns, numberOfName, readDirectives, type SwfTrace } from '../swf/swf.ts'
import { readCsv, wholeText } from '../text.ts'
import { lacksOf } from './job-columns.ts'
import { type JobRow, RowReader } from './job-rows.ts'

/** Options for reading a table of jobs. */
export interface JobTableOptions extends ReadingOptions {
  /** Value of the option `columns`. */
  readonly columns: string
  /** Clocks of times without a zone. Default: UTC. */
  readonly utcOffset?: UtcOffset
}

/** Table in Parquet, read by `readParquet` of `@cloister/trace-io/parquet`. */
export interface ParquetTable {
  /** Names of all columns of the file. */
  readonly names: ReadonlyArray<string>
  readonly rows: number
  /** Returns the value of a column, by its place in `names`, as the text of a cell in CSV; empty for null. */
  readonly cell: (column: number, row: number) => string
}

/** Submissions from this time on, in 2001, are Unix times. */
const UNIX = 1_000_000_000

/**
 * Reads jobs from a table: CSV with a line of column names, or a table in Parquet. Times are seconds, or dates such as
 * `2023-03-01 00:18:22+08:00`. Sizes are in nodes, and a size with a factor is rounded up. Without a column `wait`, the
 * wait is the time from submission to start; without a column `run`, the run time is the time from start to end.
 * States are Slurm's words, or numbers of SWF. Without a column `id`, the ids are the numbers of the rows.
 *
 * @throws SpecError for a wrong option `columns`
 * @throws TraceError for a missing column, and at the first bad line or row unless `skipBadLines` is true
 */
export function parseJobTable(table: string | Uint8Array | ParquetTable, options: JobTableOptions): SwfTrace {
  const badLines = new BadLineCounter(options)
  const rows: Array<JobRow> = []
  const visit = (read: (number: number) => JobRow): void => {
    const row = badLines.reading(() => read(rows.length + 1))
    if (row !== undefined) rows.push(row)
  }
  const isText = typeof table === 'string' || table instanceof Uint8Array
  const reader = isText ? readText(table, options, visit) : readRows(table, options, visit)
  const trace = traceOfRows(rows, options.file)
  return {
    ...trace,
    lacks: lacksOf(options.columns),
    ...(isText ? {} : { unit: 'row' }),
    ...(reader?.tells('gpus') === true && { gpus: Float64Array.from(rows, ({ labels }) => labels.gpus ?? 0) }),
    ...(badLines.count === 0 ? {} : { badLines }),
  }
}

type VisitRow = (read: (number: number) => JobRow) => void

function readText(text: string | Uint8Array, options: JobTableOptions, visit: VisitRow): RowReader | undefined {
  const { file } = options
  const whole = typeof text === 'string' ? text : wholeText(text, file, 'at most 256 MiB of comma-separated values')
  let reader: RowReader | undefined
  let width = 0
  readCsv(whole, file, (line, values) => {
    if (reader === undefined) {
      width = values.length
      reader = new RowReader({ ...options, unit: 'line' }, values, line)
      return
    }
    visit((number) => {
      if (values.length === width) return reader!.read(line, (at) => values[at], number)
      const expected = `${width} values, as the line of column names has`
      throw new TraceError({ file, line, found: `${values.length} values`, expected })
    })
  })
  return reader
}

function readRows({ names, rows, cell }: ParquetTable, options: JobTableOptions, visit: VisitRow): RowReader {
  const reader = new RowReader({ ...options, unit: 'row' }, names)
  for (let row = 0; row < rows; row++) visit((number) => reader.read(row + 1, (at) => cell(at, row).trim(), number))
  return reader
}

/** Returns jobs as the columns of SWF, with their labels. */
export function traceOfRows(rows: ReadonlyArray<JobRow>, file: string): SwfTrace {
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
  }
}
