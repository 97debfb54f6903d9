import type { LogRecord } from '../records/types.ts'
import { LogState } from './fold.ts'

/**
 * Gives the same records, each after a check that the record can follow the earlier records. The check serves callers
 * that keep no state. Even a sealed log may end a job that never came.
 *
 * @throws FoldError at the first record that cannot follow, RangeError if there is no header
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
