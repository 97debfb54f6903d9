import { Metric } from 'effect'

/** Metrics of a controller. */
export const measures = {
  records: Metric.counter('cloister_drive_records', { description: 'Records written to the log' }),
  acts: Metric.counter('cloister_drive_acts', { description: 'Changes of jobs that were asked for' }),
  leaseErrors: Metric.counter('cloister_drive_lease_errors', {
    description: 'Requests to the file of a lease that the file system did not grant',
  }),
  deciding: Metric.histogram('cloister_drive_deciding_ms', {
    description: 'Milliseconds for what a look showed, from the first record to the last decision',
    boundaries: [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000],
  }),
} as const
