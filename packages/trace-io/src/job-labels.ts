import type { Job } from '@cloister/workload'

/**
 * Optional fields of a `Job` that do not concern times or size: user, account, queue, name, bandwidth and
 * communication.
 */
export type JobLabels = Pick<Job, 'user' | 'account' | 'queue' | 'name' | 'bandwidth' | 'communication'>
