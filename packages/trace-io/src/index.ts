export type { Job, Workload } from './workload.ts'
export { jobListSha256, makeWorkload } from './job-list.ts'

export { loadWorkload } from './load-workload.ts'
export type { LoadOptions } from './load-workload.ts'
export { describeWorkload } from './describe-workload.ts'
export type { Distribution, HistogramBin, Load, WorkloadDescription } from './describe-workload.ts'

export { swfFields } from './swf.ts'
export type { SwfComment, SwfDirective, SwfField, SwfTrace } from './swf.ts'
export { parseSwf } from './parse-swf.ts'
export { isSlurmCsv, parseSlurmCsv } from './parse-slurm-csv.ts'
export { isCommunicationList, parseCommunicationList } from './parse-communication-list.ts'
export { formatSwf } from './format-swf.ts'
export { swfFromWorkload } from './swf-from-workload.ts'
export { workloadFromSwf } from './workload-from-swf.ts'
export type { ConversionOptions, ConvertedWorkload } from './workload-from-swf.ts'

export { formatFilter, narrowFilter, parseFilter } from './filter.ts'
export type { Condition, Filter, FilterField, Operator, SizeRule } from './filter.ts'
export { formatArrivals, parseArrivals } from './arrivals.ts'
export type { Arrivals } from './arrivals.ts'

export { formatSynthetic, generateSynthetic, parseSynthetic } from './synthetic.ts'
export type { SyntheticOptions } from './synthetic.ts'

export { publicLog, traceManifest } from './manifest.ts'
export type { GeneratedTrace, PublicLog, TraceManifest } from './manifest.ts'
export { findTrace } from './find-trace.ts'
export { readTraceFile, traceText } from './trace-file.ts'
export type { TraceFile } from './trace-file.ts'

export { SpellingError, TraceError, TraceNotFoundError } from './errors.ts'
