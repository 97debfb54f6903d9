export type * from './records/types.ts'
export { type MigrationRules, migrationOf, milliseconds, secondsBetween } from './records/kinds.ts'
export {
  decodeOptions,
  decodeRecord,
  encodeRecord,
  type RecordedResources,
  railCablesOf,
  resourcesOf,
} from './records/lines.ts'
export { recordSchemas } from './records/schemas.ts'
export { fieldsOf, type RecordType } from './records/table.ts'
export {
  eachEntry,
  entriesOf,
  type EntryGroup,
  type EntryRange,
  firstSwitchOfLevels,
  spellEntries,
} from './records/table-entries.ts'
export { LoggedTables } from './log/forwarding-tables.ts'
export type { Field, Fields, Kind } from './records/kinds.ts'
export type { Upcaster, Upcasters } from './records/versions.ts'
export { RecordError } from './limits.ts'
export {
  type Appendable,
  countingRecorder,
  type RecordedEvent,
  type Recorder,
  recordOf,
  type Resources,
  type Totals,
} from './log/recorder.ts'
export { type LogHeader, LogWriter } from './log/writer.ts'
export { LogWriteError } from './log/ascii.ts'
export { SubmitsChecksum } from './log/submits-checksum.ts'
export { headerTopology, SEAL_EVERY } from './log/header.ts'
export type { HashFunction } from './log/hash-function.ts'
export { type Accepted, BrokenChunksError, type LogOutcome, LogReader, readLog } from './log/reader.ts'
export { describeNearest, describeOutcome } from './log/descriptions.ts'
export { type EndedRun, LogState, replayable, type StateSnapshot } from './log/fold.ts'
export { expectedEnd, FoldError, MachineState, type RunningJob } from './log/machine-state.ts'
export { type IdSet, JobNumbers } from './log/ids.ts'
export { LogIndex, LogIndexBuilder } from './log/log-index.ts'
export { IndexMisfitError, LogSeeker } from './log/seek.ts'
export { extractWindow } from './log/extract-window.ts'
export {
  describePath,
  type DirectedLink,
  directedLinkName,
  type JobPaths,
  type PortEnd,
  type RoutedPath,
  RoutedPaths,
  type SwitchOfPath,
} from './log/routed-paths.ts'
export type { EntryDifference, FirstTableDifferences, TableDifferences } from './log/compare-tables.ts'
export { compareLogs, type Divergence, type JobDifference, type LogComparison } from './log/compare-logs.ts'
export { type ColumnArrays, type ColumnKind, Columns, RareColumns } from './run-table/columns.ts'
export type { Allocations } from './run-table/allocations.ts'
export {
  type JobLabel,
  type JobState,
  jobStates,
  RunTable,
  type StoredTable,
  type TableParts,
} from './run-table/run-table.ts'
export { type Spread, SpreadOfNodes } from './run-table/spread.ts'
export { type Window, type WindowOfLog, windowOfLog } from './run-table/window.ts'
