import { type Allocate, type Header, type Kill, type LogRecord, replayable, type Submit } from '@cloister/eventlog'

/** The outcome of a job; where it was requeued, that of its last run. Times in seconds. */
export interface JobRun {
  readonly submit: Submit
  readonly outcome: 'finished' | 'failed' | 'killed' | 'rejected' | 'cancelled' | 'running' | 'waiting'
  /** The code of its kill: estimate, reservation, node-down, cancel; undefined where it was not killed. */
  readonly killCode: Kill['code'] | undefined
  readonly allocate: Allocate | undefined
  readonly end: number | undefined
}

/** The jobs of a log. */
export interface JobRuns {
  readonly header: Header
  /** In submit order. */
  readonly jobs: ReadonlyArray<JobRun>
  /** Of the last record. */
  readonly t: number
}

type Mutable<A> = { -readonly [Key in keyof A]: A[Key] }

/**
 * All jobs of a log, from its header on, as far as it goes.
 *
 * @throws FoldError where a record cannot follow those before it, RangeError where there is no header
 */
export function jobRuns(records: Iterable<LogRecord>): JobRuns {
  let header!: Header
  let t = 0
  const jobs = new Map<string, Mutable<JobRun>>()
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
    else if ('job' in record) follow(jobs.get(record.job)!, record)
  }
  return { header, jobs: [...jobs.values()], t }
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
