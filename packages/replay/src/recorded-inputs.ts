import { FoldError, type Header, type LogRecord, resourcesOf, type Submit, milliseconds } from '@cloister/eventlog'
import type { Cancellation, Outage } from '@cloister/kernel'
import type { Job } from '@cloister/workload'

/** Inputs of a run, read from the log. */
export interface RecordedInputs {
  readonly header: Header
  /** Number of records in the log, including the header. */
  readonly records: number
  /**
   * Jobs in submit order. A run time ends with the job's recorded finish, and is Infinity for a job without a finish.
   */
  readonly jobs: ReadonlyArray<Job>
  /** Number of starts of each job. A finish ends the last start. */
  readonly starts: ReadonlyArray<number>
  readonly outages: ReadonlyArray<Outage>
  readonly cancellations: ReadonlyArray<Cancellation>
  /**
   * Time limit, in integer milliseconds, that the policy exceeded at the log's fault; undefined if it exceeded none.
   */
  readonly limit: number | undefined
}

/**
 * Reads the inputs of a run from the log.
 *
 * @param records all records of a log, from the header
 * @throws FoldError if the records are out of order: time runs backwards, or a job is submitted twice, is named before
 *   its submission, or finishes before a start
 * @throws RangeError if the log has no header
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
      if (record.t < t) throw new FoldError(record, `t = ${record.t} is before ${t}, the time of an earlier record`)
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
        outages.push({ time: milliseconds(record.t), change: record.type, resources: resourcesOf(record) })
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
