import type { Job } from '@cloister/workload'

/** Labels of a job, its bandwidth and its communication; see `Job`. */
export type JobLabels = Pick<Job, 'user' | 'account' | 'queue' | 'name' | 'bandwidth' | 'communication'>
