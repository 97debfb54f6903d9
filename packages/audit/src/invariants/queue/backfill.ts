import type { Invariant } from '../../invariant.ts'

export const backfill: Invariant = {
  name: 'backfill',
  property:
    'Only a queue that backfills has backfilled jobs. Each backfilled job names a reservation in force, against which it was backfilled: the reservation of the job at the head of the queue.',
  begin(model, tally) {
    const { backfill: discipline } = model.rules.queue
    return {
      allocate(record) {
        if (record.backfill === undefined) return
        tally.tested()
        if (discipline === 'none')
          return tally.violated(record, `backfilled, though the queue does not backfill (backfill: ${discipline})`)
        const reservation = model.reservations.get(record.backfill)
        if (reservation === undefined) tally.violated(record, `record ${record.backfill} is no reservation in force`)
        else if (reservation.job === model.job) tally.violated(record, 'backfilled against its own reservation')
        else if (reservation.job !== model.queue.head) {
          tally.violated(
            record,
            `record ${record.backfill} is the reservation of job ${reservation.job.id}, but job ${model.queue.head?.id} is at the head`,
          )
        }
      },
    }
  },
}
