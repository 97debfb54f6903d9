import type { Invariant } from '../../invariant.ts'

export const backfill: Invariant = {
  name: 'backfill',
  property:
    'Only a queue discipline that backfills has allocate records with `backfill`. The `backfill` of an allocate record names a reservation in force: the reservation of the job at the head of the queue, ahead of which the job started.',
  begin(model, tally) {
    const { backfill: discipline } = model.rules.queue
    return {
      allocate(record) {
        if (record.backfill === undefined) return
        tally.tested()
        if (discipline === 'none')
          return tally.violated(
            record,
            `the job is backfilled, but the queue discipline does not backfill (backfill: ${discipline})`,
          )
        const reservation = model.reservations.get(record.backfill)
        if (reservation === undefined) tally.violated(record, `record ${record.backfill} is no reservation in force`)
        else if (reservation.job === model.job)
          tally.violated(record, `record ${record.backfill} is the reservation of the backfilled job itself`)
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
