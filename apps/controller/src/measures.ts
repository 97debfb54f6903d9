import { Metric } from 'effect'

export const measures = {
  records: Metric.counter('cloister_drive_records', { description: 'Records written to the log' }),
  changes: Metric.counter('cloister_drive_changes', {
    description: 'Changes of jobs that the controller has requested',
  }),
  leaseErrors: Metric.counter('cloister_drive_lease_errors', { description: 'Failed requests to the file of a lease' }),
  deciding: Metric.histogram('cloister_drive_deciding_ms', {
    description: 'Milliseconds for the events of one poll, from the first record to the last decision',
    boundaries: [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000],
  }),
} as const
