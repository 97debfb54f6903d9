export { swfFields } from './swf.ts'
export type { JobLabels, SwfComment, SwfDirective, SwfField, SwfTrace } from './swf.ts'
export { parseSwf } from './parse-swf.ts'
export { isSlurmCsv, parseSlurmCsv } from './parse-slurm-csv.ts'
export { isCommunicationList, parseCommunicationList } from './parse-communication-list.ts'
export { formatSwf } from './format-swf.ts'
export { swfFromWorkload } from './swf-from-workload.ts'
export { traceName, workloadFromSwf } from './workload-from-swf.ts'
export type { ConversionOptions, ConvertedWorkload } from './workload-from-swf.ts'

export { loadWorkloadFrom } from './load-workload.ts'
export type { LoadOptions, OpenTrace, TraceFiles } from './load-workload.ts'

export { publicLog, traceManifest } from './manifest.ts'
export type { GeneratedTrace, PublicLog, TraceManifest } from './manifest.ts'

export { TraceError, TraceNotFoundError } from './errors.ts'
