import type { LogRecord } from '../records/types.ts'
import { LogState } from './fold.ts'

/**
 * Yields the given records, each after a check that the record can follow the earlier records. The check serves callers
 * that keep no state, because even a sealed log may, for example, end a job that was never submitted.
 *
 * @throws FoldError at the first record that cannot follow, RangeError if the first record is no header
 */
export function* replayable(records: Iterable<LogRecord>): Generator<LogRecord, void> {
  let state: LogState | undefined
  for (const record of records) {
    if (state !== undefined) state.apply(record)
    else if (record.type === 'header') state = new LogState(record)
    else break
    yield record
  }
  if (state === undefined) throw new RangeError('a log begins with its header')
}
