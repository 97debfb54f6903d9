export type * from './records/types.ts'
export {
  type Appendable,
  countingRecorder,
  type RecordedEvent,
  type Recorder,
  recordOf,
  type Resources,
  type Totals,
} from './log/recorder.ts'
export type { HashFunction } from './log/hash.ts'
export { decodeOptions, decodeRecord, resourcesOf, type RecordedResources } from './records/decode.ts'
export { RecordError } from './records/record-error.ts'
export { headerTopology } from './log/header-topology.ts'
export { encodeRecord } from './records/encode.ts'
export { expectedEnd, FoldError, LogState, type RunningJob, type StateSnapshot } from './log/fold.ts'
export type { IdSet } from './log/id-set.ts'
export { JobNumbers } from './log/job-numbers.ts'
export { extractWindow } from './log/extract-window.ts'
export { compareLogs, type Divergence, type JobDifference, type LogComparison } from './log/compare-logs.ts'
export { LogIndex, LogIndexBuilder } from './log/log-index.ts'
export { describeNearest } from './log/nearest-miss.ts'
export { IndexMisfitError, LogSeeker } from './log/seek.ts'
export { type Accepted, BrokenChunksError, describeOutcome, type LogOutcome, LogReader, readLog } from './log/reader.ts'
export { milliseconds, secondsBetween } from './records/time.ts'
export { replayable } from './log/replayable.ts'
export { recordSchemas } from './records/schema.ts'
export { SEAL_EVERY } from './log/seals.ts'
export type { Upcaster, Upcasters } from './records/versions.ts'
export { type LogHeader, LogWriter } from './log/writer.ts'
export { LogWriteError } from './log/ascii.ts'
