import type { Job } from '@cloister/workload'

/** Labels of a job: the optional fields of a `Job` that do not concern times or size. */
export type JobLabels = Pick<Job, 'user' | 'account' | 'queue' | 'name' | 'bandwidth' | 'communication'>
