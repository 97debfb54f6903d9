import type { Invariant } from '../../invariant.ts'

export const backfill: Invariant = {
  name: 'backfill',
  property:
    'A backfilled job names the reservation it was started beside: one that stands, of the job at the head of the queue.',
  begin(machine, tally) {
    return {
      allocate(record) {
        if (record.backfill === undefined) return
        tally.tested()
        const reservation = machine.reservations.get(record.backfill)
        if (reservation === undefined) tally.violated(record, `record ${record.backfill} is no reservation that stands`)
        else if (reservation.job === machine.job) tally.violated(record, 'backfilled beside its own reservation')
        else if (reservation.job !== machine.queue.head) {
          tally.violated(
            record,
            `record ${record.backfill} is the reservation of job ${reservation.job.id}, but job ${machine.queue.head?.id} is at the head`,
          )
        }
      },
    }
  },
}
