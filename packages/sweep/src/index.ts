export {
  answers,
  cellDigest,
  type CellContent,
  type CellNotPlaced,
  type CellResult,
  cellsWithNotPlaced,
  type CellTimes,
  digestOf,
  notPlacedOf,
  parseResult,
  ResultsFileError,
  type RunAssumptions,
  type TimedResult,
} from './cell-result.ts'
export { type CellHost, type CellOptions, auditedCell, keepLog, logName, type Program, runCell } from './run-cell.ts'
export { type Answer, type CellPool, type CellWatcher, CellWorkers, type OnShare, type Task } from './cell-workers.ts'
export { answer, serveCells, threadPool } from './worker-threads.ts'

export {
  type Cell,
  cellsOf,
  type ExperimentBegin,
  type ExperimentOptions,
  type ExperimentOutcome,
  policyVersions,
  runExperiment,
  type VersionsOf,
} from './experiment.ts'
export { byReason, type FailedRun, type FailedRuns } from './failed-runs.ts'
export { openResults, ResultsFile, type ResultsFileOptions } from './results-file.ts'
export { timesIn, timesLine, timesPath } from './times-file.ts'
export {
  type Difference,
  differencesOf,
  type Draw,
  unpairedOf,
  equalResamples,
  type EqualResamples,
  type Group,
  groupsOf,
  haveReplicates,
  mixedDraws,
  numericMetrics,
  replicatesOf,
  withoutRuns,
} from './replicates.ts'
export { type Interval, intervalOf } from './interval.ts'

export { type Failure, type FolderKind, readTimes, SweepFolder, sweepFolderOf } from './sweep-folder.ts'
export { type Shard } from './shard-queue.ts'
export { type BatchShard, parseShard, shardOfBatchSystem, shardOfEnvironment } from './given-shard.ts'
export { runShard, type ShardOptions, type ShardOutcome, type WorkerOptions } from './shard-worker.ts'
export { CellQueueError, type OutsideQueue, type QueuedCell, type QueueOptions, runQueue } from './queue-worker.ts'
export {
  joinResults,
  mergedResults,
  missingCells,
  NoSweepError,
  type Placed,
  readPlaced,
  readSweep,
  ResultsRead,
  timesOf,
  type UnequalResults,
} from './results-read.ts'
export { statusOf, type SweepStatus } from './status.ts'
export { type Verification, verifyCells } from './verify.ts'
export { type RunTable, tableOfRuns } from './run-table.ts'
export { type EngineName, engineNames } from './engine-names.ts'
export { type EmittedSweep, engines, estimate, type Estimate, type ShardSize, sizeShards, spread } from './engines.ts'
