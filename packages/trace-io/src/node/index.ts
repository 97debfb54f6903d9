export { loadWorkload } from './load-workload.ts'
export { findTrace } from './find-trace.ts'
export { readTraceFile, traceText } from './trace-file.ts'
export type { TraceFile } from './trace-file.ts'
