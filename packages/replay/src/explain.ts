import type { LogRecord } from '@cloister/eventlog'
import type { RefusalReason } from '@cloister/kernel'
import type { Explanation } from './explanation.ts'
import { JobHistory } from './job-history.ts'
import { RateChanges } from './rate-changes.ts'
import { recordedInputs } from './recorded-inputs.ts'
import { recordedPasses } from './recorded-passes.ts'
import type { KnownReasons } from './wait-history.ts'

/**
 * Explains from a log why a job waited, and how the wait ended.
 *
 * @param records returns all records of the log from the header; called up to twice
 * @param known refusals of the job from a rerun with `watch`; default: the refusals in the log
 * @returns undefined if the log does not have the job
 * @throws FoldError if the records are out of order
 */
export function explain(
  records: () => Iterable<LogRecord>,
  job: string,
  known: KnownReasons = recordedReasons(records(), job),
): Explanation | undefined {
  if (!known.inputs.jobs.some(({ id }) => id === job)) return undefined
  const history = new JobHistory(known, job)
  const rates = new RateChanges(job)
  const seen = noting(records(), (record) => rates.see(record))
  for (const pass of recordedPasses(seen)) history.follow(pass)
  return { ...history.explanation(), ...(rates.all !== undefined && { slowed: rates.all }) }
}

/** Returns the inputs of a log and its refusals of one job. A log without the option `refusals` has no refusals. */
function recordedReasons(records: Iterable<LogRecord>, job: string): KnownReasons {
  const refusals: Array<RefusalReason> = []
  const inputs = recordedInputs(
    noting(records, (record) => {
      if (record.type === 'refuse' && record.job === job) refusals.push(record)
    }),
  )
  return { inputs, refusals, compared: inputs.header.options.refusals === true ? Infinity : 0 }
}

function* noting(records: Iterable<LogRecord>, note: (record: LogRecord) => void): Generator<LogRecord, void, void> {
  for (const record of records) {
    note(record)
    yield record
  }
}
