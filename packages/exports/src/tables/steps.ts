import { type Header, type LogRecord, LogState, type Reserve, type RunningJob, type Submit } from '@cloister/eventlog'

/** Places of a job in a state: the queue, the machine, and the reservations. A job without a place is undefined. */
interface Places {
  readonly waiting?: Submit | undefined
  readonly running?: RunningJob | undefined
  readonly reservation?: Reserve | undefined
}

/** State of the log after a record, with the places that the record's job had before the record. */
export interface Step {
  /** State after the record. The next step changes the state. */
  readonly state: LogState
  readonly record: Exclude<LogRecord, Header>
  /** Places of the record's job before the record; empty for a record without a job. */
  readonly before: Places
  /** True if the record is before the part of a run that the log covers. */
  readonly isBefore: boolean
}

/** Returns the places of a job in a state. */
export function placesOf(state: LogState, job: string): Places {
  return { waiting: state.waiting.get(job), running: state.running.get(job), reservation: state.reservations.get(job) }
}

/**
 * Yields a step for each record after the header, and calls `begin` with the state after the header.
 *
 * @throws FoldError if a record contradicts earlier records
 * @throws RangeError if the records do not begin with a header
 */
export function* stepsOf(records: Iterable<LogRecord>, begin: (state: LogState) => void): Generator<Step, void> {
  let state: LogState | undefined
  for (const record of records) {
    if (record.type === 'header' && state === undefined) {
      state = new LogState(record)
      begin(state)
      continue
    }
    if (state === undefined) break
    const job = 'job' in record ? record.job : undefined
    const before = job === undefined ? {} : placesOf(state, job)
    state.apply(record)
    const after = record as Step['record']
    yield { state, record: after, before, isBefore: after.t < (state.header.part?.from ?? 0) }
  }
  if (state === undefined) throw new RangeError('a log begins with its header')
}
