import { type Allocate, type Header, type Kill, type LogRecord, replayable, type Submit } from '@cloister/eventlog'

/** A job of a log with its outcome. A requeued job that waits has outcome `waiting`, and the times of its last run. */
export interface JobRun {
  readonly submit: Submit
  readonly outcome: 'finished' | 'failed' | 'killed' | 'rejected' | 'cancelled' | 'running' | 'waiting'
  /** Code of the kill of the job's last run; undefined if the last run was not killed. */
  readonly killCode: Kill['code'] | undefined
  /** Allocate record of the last run; undefined if the job never started. */
  readonly allocate: Allocate | undefined
  /** End of the last run in seconds; undefined if the job never started or still runs. */
  readonly end: number | undefined
}

/** Jobs of an event log with their outcomes. */
export interface JobRuns {
  readonly header: Header
  /** Jobs in submit order. */
  readonly jobs: ReadonlyArray<JobRun>
  /** Time of the last record in seconds. */
  readonly t: number
}

type Mutable<A> = { -readonly [Key in keyof A]: A[Key] }

/**
 * Returns all jobs of a log with their outcomes. The records begin with the header and may end before the end of the
 * log. A log that holds a part of a run also has a few jobs that left before the part, because later records refer to
 * these jobs; `jobRuns` omits these jobs.
 *
 * @throws FoldError if a record contradicts earlier records
 * @throws RangeError if the records do not begin with a header
 */
export function jobRuns(records: Iterable<LogRecord>): JobRuns {
  let header!: Header
  let t = 0
  const jobs = new Map<string, Mutable<JobRun>>()
  const gone = new Set<string>()
  for (const record of replayable(records)) {
    if (record.type === 'header') {
      header = record
      continue
    }
    t = record.t
    if (record.type === 'submit')
      jobs.set(record.job, {
        submit: record,
        outcome: 'waiting',
        killCode: undefined,
        allocate: undefined,
        end: undefined,
      })
    else if ('job' in record) {
      const run = jobs.get(record.job)!
      follow(run, record)
      if (header.part === undefined) continue
      if (hasLeft(run) && (gone.has(record.job) || t < header.part.from)) gone.add(record.job)
      else gone.delete(record.job)
    }
  }
  return { header, jobs: [...jobs].flatMap(([job, run]) => (gone.has(job) ? [] : [run])), t }
}

function hasLeft({ outcome }: JobRun): boolean {
  return outcome !== 'waiting' && outcome !== 'running'
}

function follow(run: Mutable<JobRun>, record: LogRecord): void {
  switch (record.type) {
    case 'allocate':
      return void Object.assign(run, { outcome: 'running', allocate: record, end: undefined, killCode: undefined })
    case 'finish':
      return void Object.assign(run, { outcome: record.status === 'failed' ? 'failed' : 'finished', end: record.t })
    case 'kill':
      return void Object.assign(run, { outcome: 'killed', killCode: record.code, end: record.t })
    case 'reject':
      return void (run.outcome = 'rejected')
    case 'requeue':
      return void (run.outcome = 'waiting')
    case 'cancel':
      if (run.outcome === 'waiting') run.outcome = 'cancelled'
  }
}
