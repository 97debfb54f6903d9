export {
  type DrivenJobs,
  drivenJobsArguments,
  endedJob,
  parseDrivenJobs,
  type SlurmJob,
  type UnreadJob,
} from './driven-jobs.ts'
export type { RunEnd } from './history.ts'
export { HistoryReader, historyOfRows, type HistoryOfRows } from './history-of-rows.ts'
export { importHistory, type ImportOptions, type ImportReport } from './import-history.ts'
export { type NodeEvents, type NodeOutage, parseNodeEvents } from './nodes.ts'
export { NodeIds, type NodesFound } from './nodes.ts'
export type { Sharing } from './node-sharing.ts'
export type { WrittenHistory } from './write-history.ts'
export { liveHeader, type Look, ObservedLog } from './observed-log.ts'
export { jobsMissing, type Observation, withAccounting } from './reconcile.ts'
export { parseRestJobs, type RestJobs } from './squeue.ts'
export { parseRestNodes } from './nodes.ts'
export { parseSacct, sacctArguments, separatorOf } from './commands.ts'
export { parseSinfo, sinfoArguments } from './nodes.ts'
export { parseSqueue, squeueArguments } from './squeue.ts'
export { SlurmCommandError, SlurmCommands } from './slurm-commands.ts'
