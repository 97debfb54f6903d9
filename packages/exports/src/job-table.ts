import { type LogRecord, secondsBetween } from '@cloister/eventlog'
import { type JobRun, jobRuns } from './job-runs.ts'

/** Columns of the table of jobs with SQL types: times in seconds, `bandwidth` in MB/s. A missing value is null. */
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
} as const

/** Yields a line of JSON (which DuckDB reads) with the keys of `jobColumns` for each job of a log, in submit order. */
export function* jobRows(records: Iterable<LogRecord>): Generator<string, void> {
  for (const job of jobRuns(records).jobs) yield `${JSON.stringify(row(job))}\n`
}

function row({ submit, outcome, killCode, allocate, end }: JobRun): {
  readonly [Column in keyof typeof jobColumns]: unknown
} {
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
  }
}

/**
 * Yields the table of jobs as comma-separated values (RFC 4180), after a line of column names. A missing value is
 * empty. In the column `links`, semicolons separate the idsets of links of the levels.
 */
export function* jobsCsv(records: Iterable<LogRecord>): Generator<string, void> {
  const columns = Object.keys(jobColumns) as ReadonlyArray<keyof typeof jobColumns>
  yield `${columns.join(',')}\n`
  for (const job of jobRuns(records).jobs) {
    const values = row(job)
    yield `${columns.map((column) => csvValue(values[column])).join(',')}\n`
  }
}

function csvValue(value: unknown): string {
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
