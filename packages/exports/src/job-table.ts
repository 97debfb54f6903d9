import {
  type Allocate,
  type Header,
  type Kill,
  type JobState,
  type LogRecord,
  replayable,
  RunTable,
  secondsBetween,
  type Submit,
} from '@cloister/eventlog'
import { JobColumns, type JobNumber } from '@cloister/metrics'

/** A job of a log with its outcome. A requeued job that waits has outcome `waiting`, and the times of its last run. */
export interface JobRun {
  /** Row of the job in the table, in submit order. */
  readonly row: number
  readonly submit: Submit
  readonly outcome: JobState
  /** Code of the kill of the job's last run; undefined if the last run was not killed. */
  readonly killCode: Kill['code'] | undefined
  /** Allocate record of the last run; undefined if the job never started. */
  readonly allocate: Allocate | undefined
  /** End of the last run in seconds; undefined if the job never started or still runs. */
  readonly end: number | undefined
}

/** Jobs of an event log with their outcomes. */
interface JobRuns {
  readonly header: Header
  /** Jobs in submit order. */
  readonly jobs: ReadonlyArray<JobRun>
  /** Time of the last record in seconds. */
  readonly t: number
}

/**
 * Returns all jobs of a log with their outcomes. The records begin with the header and may end before the end of the
 * log. A log that holds a part of a run also has a few jobs that left before the part, because later records refer to
 * these jobs; `jobRuns` omits these jobs.
 *
 * @throws FoldError if a record contradicts earlier records
 * @throws RangeError if the records do not begin with a header
 */
export function jobRuns(records: Iterable<LogRecord>): JobRuns {
  return runsIn(records, new RunTable({ records: true }))
}

function runsIn(records: Iterable<LogRecord>, table: RunTable): JobRuns {
  let header!: Header
  for (const record of replayable(records)) {
    if (record.type === 'header') header = record
    table.add(record)
  }
  const jobs = Array.from(table.rows(), (job) => ({
    row: job,
    submit: table.submitOf(job),
    outcome: table.stateOf(job),
    killCode: table.killCodeOf(job),
    allocate: table.allocateOf(job),
    end: Number.isNaN(table.of.end[job]) ? undefined : table.of.end[job] / 1000,
  }))
  return { header, jobs, t: table.now / 1000 }
}

/**
 * Columns of the table of jobs with SQL types: times in seconds, `bandwidth` in MB/s. A missing value is null. The
 * placement is that of the last allocation: numbers of leaves, pods and links, mean hops between two nodes, `spread`
 * (hops over those of the most compact placement of the requested nodes) and `extra_leaves` (above that placement).
 */
export const jobColumns = {
  job: 'VARCHAR',
  name: 'VARCHAR',
  user: 'VARCHAR',
  account: 'VARCHAR',
  queue: 'VARCHAR',
  outcome: 'VARCHAR',
  kill_code: 'VARCHAR',
  size: 'INTEGER',
  estimate: 'DOUBLE',
  submit: 'DOUBLE',
  start: 'DOUBLE',
  end: 'DOUBLE',
  wait: 'DOUBLE',
  run: 'DOUBLE',
  backfilled: 'BOOLEAN',
  bandwidth: 'INTEGER',
  nodes: 'VARCHAR',
  links: 'VARCHAR[]',
  leaves: 'INTEGER',
  pods: 'INTEGER',
  link_count: 'INTEGER',
  hops: 'DOUBLE',
  spread: 'DOUBLE',
  extra_leaves: 'INTEGER',
  qos: 'VARCHAR',
  advance_reservation: 'VARCHAR',
  priority: 'BIGINT',
  gpus: 'INTEGER',
  array: 'VARCHAR',
  array_task: 'BIGINT',
  het_job: 'VARCHAR',
  het_offset: 'BIGINT',
  started_by: 'VARCHAR',
} as const

/** Columns with the accounting of a foreign scheduler; a table has only the columns for which a job has a value. */
const accountingColumns = [
  'qos',
  'advance_reservation',
  'priority',
  'gpus',
  'array',
  'array_task',
  'het_job',
  'het_offset',
  'started_by',
] as const

/** Yields a line of JSON (which DuckDB reads) with the keys of `columnsOfRows` for each job of a log, in submit order. */
export function* jobRows(records: Iterable<LogRecord>): Generator<string, void> {
  for (const row of rowsOf(records)) yield `${JSON.stringify(row)}\n`
}

/**
 * Returns the columns of a table of jobs by the table's first line of `jobRows`: `jobColumns` without the accounting that
 * no job of the log has.
 *
 * @param line first line of `jobRows`; empty if the log has no jobs
 */
export function columnsOfRows(line: string): Partial<typeof jobColumns> {
  const has = line === '' ? {} : (JSON.parse(line) as object)
  const isAbsent = (name: string): boolean =>
    (accountingColumns as ReadonlyArray<string>).includes(name) && !(name in has)
  return Object.fromEntries(Object.entries(jobColumns).filter(([name]) => !isAbsent(name)))
}

type Column = keyof typeof jobColumns
type AccountingColumn = (typeof accountingColumns)[number]
type Row = { readonly [Name in Column]?: unknown }

function* rowsOf(records: Iterable<LogRecord>): Generator<Row, void> {
  const table = new RunTable({ records: true, details: true })
  const columns = new JobColumns(table)
  const { jobs } = runsIn(records, table)
  const present = accountingColumns.filter((name) => jobs.some((job) => accountingOf(job, name) !== null))
  for (const job of jobs)
    yield { ...rowOf(job, columns), ...Object.fromEntries(present.map((name) => [name, accountingOf(job, name)])) }
}

function accountingOf({ submit, allocate }: JobRun, name: AccountingColumn): number | string | null {
  if (name === 'started_by') return allocate?.started_by ?? null
  return (name === 'gpus' ? allocate?.gpus : undefined) ?? submit[name] ?? null
}

function rowOf(
  { row, submit, outcome, killCode, allocate, end }: JobRun,
  columns: JobColumns,
): Required<Omit<Row, AccountingColumn>> {
  const number = (field: JobNumber): number | null => {
    const value = columns.number(field, row)
    return Number.isNaN(value) ? null : value
  }
  return {
    job: submit.job,
    name: submit.name ?? null,
    user: submit.user ?? null,
    account: submit.account ?? null,
    queue: submit.queue ?? null,
    outcome,
    kill_code: killCode ?? null,
    size: submit.size,
    estimate: submit.estimate ?? null,
    submit: submit.t,
    start: allocate?.t ?? null,
    end: end ?? null,
    wait: allocate === undefined ? null : secondsBetween(submit.t, allocate.t),
    run: allocate === undefined || end === undefined ? null : secondsBetween(allocate.t, end),
    backfilled: allocate === undefined ? null : allocate.backfill !== undefined,
    bandwidth: allocate?.bandwidth ?? null,
    nodes: allocate?.nodes ?? null,
    links: allocate?.links ?? [],
    leaves: number('leaves'),
    pods: number('pods'),
    link_count: number('links'),
    hops: number('hops'),
    spread: number('spread'),
    extra_leaves: number('extraleaves'),
  }
}

/**
 * Yields the table of jobs as comma-separated values (RFC 4180), after a line of column names. A missing value is
 * empty. In the column `links`, semicolons separate the idsets of links of the levels.
 */
export function* jobsCsv(records: Iterable<LogRecord>): Generator<string, void> {
  const [...rows] = rowsOf(records)
  const columns = Object.keys(rows[0] ?? columnsOfRows('')) as ReadonlyArray<Column>
  yield `${columns.join(',')}\n`
  for (const row of rows) yield `${columns.map((column) => csvValue(row[column])).join(',')}\n`
}

/** Returns a value of a CSV file, quoted (RFC 4180) if the value has a comma, a quote or a line end; empty for null. */
export function csvValue(value: unknown): string {
  const text =
    typeof value === 'string'
      ? value
      : Array.isArray(value)
        ? value.join(';')
        : value === null
          ? ''
          : JSON.stringify(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
