export type { Job, Workload } from './workload.ts'
