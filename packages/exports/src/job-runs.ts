import {
  type Allocate,
  type Header,
  type Kill,
  type JobState,
  type LogRecord,
  replayable,
  RunTable,
  type Submit,
} from '@cloister/eventlog'

/** A job of a log with its outcome. A requeued job that waits has outcome `waiting`, and the times of its last run. */
export interface JobRun {
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
  const table = new RunTable({ records: true })
  let header!: Header
  for (const record of replayable(records)) {
    if (record.type === 'header') header = record
    table.add(record)
  }
  const jobs = Array.from(table.rows(), (job) => ({
    submit: table.submitOf(job),
    outcome: table.stateOf(job),
    killCode: table.killCodeOf(job),
    allocate: table.allocateOf(job),
    end: Number.isNaN(table.of.end[job]) ? undefined : table.of.end[job] / 1000,
  }))
  return { header, jobs, t: table.now / 1000 }
}
