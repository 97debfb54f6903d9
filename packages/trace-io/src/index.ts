export { swfFields } from './swf/swf.ts'
export type { JobLabels } from './job-labels.ts'
export type { SwfComment, SwfDirective, SwfField, SwfTrace } from './swf/swf.ts'
export type { BadLines, ReadingOptions } from './bad-lines.ts'
export { parseSwf } from './swf/parse-swf.ts'
export { isSlurmCsv, parseSlurmCsv, type SlurmOptions } from './slurm/parse-slurm-csv.ts'
export { type HeldProcessors, NodeCapacities } from './slurm/node-capacities.ts'
export { accountedId, joinComponents } from './slurm/jobs-of-rows.ts'
export { fixedOffset, timeReader, type UtcOffset } from './slurm/local-time.ts'
export {
  type AccountingFile,
  type AccountingOptions,
  accountingReader,
  isSacct,
  readSacct,
  sacctRows,
} from './slurm/read-sacct.ts'
export { type AccountingField, type AccountingRow, openStates } from './slurm/accounting-row.ts'
export type { Contradictions } from './slurm/contradictions.ts'
export { SlurmJson, slurmJsonList } from './slurm/slurm-json.ts'
export { slurmStates } from './slurm/slurm-values.ts'
export { type AccountingFacts, sacctCommand, sacctFields } from './slurm/what-is-lacking.ts'
export { isCommunicationList, parseCommunicationList } from './parse-communication-list.ts'
export { anonymisedTrace } from './swf/anonymised.ts'
export { formatSwf } from './swf/format-swf.ts'
export { swfFromConverted } from './swf/swf-from-converted.ts'
export { swfFromWorkload } from './swf/swf-from-workload.ts'
export { traceName, workloadFromSwf } from './swf/workload-from-swf.ts'
export type { ConversionOptions, ConvertedWorkload, SmallerThanNode } from './swf/workload-from-swf.ts'

export { loadWorkloadFrom } from './load-workload.ts'
export type { LoadOptions, OpenTrace, TraceFiles } from './load-workload.ts'

export { publicLog, traceManifest } from './manifest.ts'
export type { GeneratedTrace, PublicLog, TraceManifest } from './manifest.ts'

export { parseJsonText, RepeatedKeyError } from './json-text.ts'
export { TraceError, TraceNotFoundError } from './errors.ts'
