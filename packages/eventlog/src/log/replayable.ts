import type { LogRecord } from '../records/types.ts'
import { LogState } from './fold.ts'

/**
 * The same records, each given once it is known that it can follow those before it: for whoever tells what a log says
 * without a state of their own. A sealed log may still say that a job ends which never came.
 *
 * @throws FoldError at the first record that cannot follow, RangeError where there is no header
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
