export { swfFields } from './swf/swf.ts'
export type { JobLabels } from './slurm/accounting.ts'
export type { SwfComment, SwfDirective, SwfField, SwfTrace } from './swf/swf.ts'
export type { BadLines, ReadingOptions } from './errors.ts'
export { parseSwf } from './swf/swf-text.ts'
export { isSlurmCsv, parseSlurmCsv, type SlurmOptions } from './slurm/parse-slurm-csv.ts'
export { type HeldProcessors, NodeCapacities } from './slurm/accounting-facts.ts'
export { accountedId, joinComponents } from './slurm/accounting.ts'
export { fixedOffset, timeReader, type UtcOffset } from './slurm/accounting.ts'
export {
  type AccountingFile,
  type AccountingOptions,
  accountingReader,
  isSacct,
  readSacct,
  sacctRows,
} from './slurm/read-sacct.ts'
export { type AccountingField, type AccountingRow, openStates } from './slurm/accounting.ts'
export type { Contradictions } from './slurm/accounting-facts.ts'
export { SlurmJson, slurmJsonList } from './slurm/sacct-json.ts'
export { slurmStates } from './slurm/accounting.ts'
export { type AccountingFacts, sacctCommand, sacctFields } from './slurm/accounting-facts.ts'
export { isCommunicationList, parseCommunicationList } from './parse-communication-list.ts'
export { anonymisedTrace } from './swf/swf-from-workload.ts'
export { formatSwf } from './swf/swf-text.ts'
export { swfFromConverted } from './swf/swf-from-workload.ts'
export { swfFromWorkload } from './swf/swf-from-workload.ts'
export { traceName, workloadFromSwf } from './swf/workload-from-swf.ts'
export type { ConversionOptions, ConvertedWorkload, SmallerThanNode } from './swf/workload-from-swf.ts'

export { loadWorkloadFrom } from './load-workload.ts'
export type { LoadOptions, OpenTrace, TraceFiles } from './load-workload.ts'

export { publicLog, traceManifest } from './manifest.ts'
export type { GeneratedTrace, PublicLog, TraceManifest } from './manifest.ts'

export { parseJsonText, RepeatedKeyError } from './text.ts'
export { TraceError, TraceNotFoundError } from './errors.ts'
