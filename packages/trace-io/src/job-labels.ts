import type { Job } from '@cloister/workload'

/** What a job has besides numbers; see `Job`. */
export type JobLabels = Pick<Job, 'user' | 'account' | 'queue' | 'name' | 'bandwidth' | 'communication'>
