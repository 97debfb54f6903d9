import { FoldError, type Header, type LogRecord, resourcesOf, type Submit, milliseconds } from '@cloister/eventlog'
import type { Cancellation, Outage } from '@cloister/kernel'
import type { Job } from '@cloister/workload'

/** What came to a run from outside, read from its log. */
export interface RecordedInputs {
  readonly header: Header
  /** How many records the log has, the header included. */
  readonly records: number
  /**
   * In submit order. The run time is that of the recorded finish, Infinity where there is none: the run's own rules ended
   * such a job, or the log ends before it does.
   */
  readonly jobs: ReadonlyArray<Job>
  /** How often each job was started: its finish is the end of the last of these. */
  readonly starts: ReadonlyArray<number>
  readonly outages: ReadonlyArray<Outage>
  readonly cancellations: ReadonlyArray<Cancellation>
  /** What the policy was given for the answer that it failed to give, integer milliseconds; undefined where it did not. */
  readonly limit: number | undefined
}

/**
 * @param records all of a log, from the header on
 * @throws FoldError where they are out of order: a job is submitted twice, ends before it started, time runs backwards
 */
export function recordedInputs(records: Iterable<LogRecord>): RecordedInputs {
  let header: Header | undefined
  const jobs: Array<Job & { runTime: number }> = []
  const numbers = new Map<string, number>()
  const starts: Array<number> = []
  const started = new Map<string, number>()
  const outages: Array<Outage> = []
  const cancellations: Array<Cancellation> = []
  let limit: number | undefined
  let t = 0
  let count = 0
  for (const record of records) {
    count++
    if (record.type !== 'header') {
      if (record.t < t) throw new FoldError(record, `t = ${record.t} is before ${t}, the time of a record before`)
      t = record.t
    }
    if ('job' in record && numbers.has(record.job) === (record.type === 'submit')) {
      throw new FoldError(
        record,
        `job ${record.job} was ${record.type === 'submit' ? 'submitted before' : 'not submitted'}`,
      )
    }
    switch (record.type) {
      case 'header':
        header = record
        break
      case 'submit':
        numbers.set(record.job, jobs.length)
        jobs.push({ ...jobOf(record), runTime: Infinity })
        starts.push(0)
        break
      case 'allocate':
        started.set(record.job, milliseconds(record.t))
        starts[numbers.get(record.job)!]++
        break
      case 'finish':
        if (!started.has(record.job)) throw new FoldError(record, `job ${record.job} was not started`)
        jobs[numbers.get(record.job)!].runTime = milliseconds(record.t) - started.get(record.job)!
        break
      case 'down':
      case 'up':
        outages.push({ time: milliseconds(record.t), change: record.type, parts: resourcesOf(record) })
        break
      case 'fault':
        limit = record.limit === undefined ? undefined : milliseconds(record.limit)
        break
      case 'cancel':
        cancellations.push({ time: milliseconds(record.t), job: numbers.get(record.job)! })
    }
  }
  if (header === undefined) throw new RangeError('a log begins with its header')
  return { header, records: count, jobs, starts, outages, cancellations, limit }
}

/** What a submit record says of its job. */
export function jobOf({ job, t, size, estimate, name, bandwidth, communication }: Submit): Omit<Job, 'runTime'> {
  return {
    id: job,
    submit: milliseconds(t),
    size,
    walltime: estimate === undefined ? undefined : milliseconds(estimate),
    ...(name === undefined ? {} : { name }),
    ...(bandwidth === undefined ? {} : { bandwidth }),
    ...(communication === undefined ? {} : { communication }),
  }
}
