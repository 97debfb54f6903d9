export { swfFields } from './swf/swf.ts'
export type { JobLabels, SwfComment, SwfDirective, SwfField, SwfTrace } from './swf/swf.ts'
export type { BadLines, ReadingOptions } from './bad-lines.ts'
export { parseSwf } from './swf/parse-swf.ts'
export { isSlurmCsv, parseSlurmCsv } from './slurm/parse-slurm-csv.ts'
export { isCommunicationList, parseCommunicationList } from './parse-communication-list.ts'
export { formatSwf } from './swf/format-swf.ts'
export { swfFromConverted } from './swf/swf-from-converted.ts'
export { swfFromWorkload } from './swf/swf-from-workload.ts'
export { traceName, workloadFromSwf } from './swf/workload-from-swf.ts'
export type { ConversionOptions, ConvertedWorkload } from './swf/workload-from-swf.ts'

export { loadWorkloadFrom } from './load-workload.ts'
export type { LoadOptions, OpenTrace, TraceFiles } from './load-workload.ts'

export { publicLog, traceManifest } from './manifest.ts'
export type { GeneratedTrace, PublicLog, TraceManifest } from './manifest.ts'

export { TraceError, TraceNotFoundError } from './errors.ts'
