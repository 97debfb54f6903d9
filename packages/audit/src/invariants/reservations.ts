import type { Invariant } from '../invariant.ts'

export const reservations: Invariant = {
  name: 'reservations',
  property: 'There is one reservation at a time, not in the past; an unreserve names that of its job, and none outlives its job.',
  begin(machine, tally) {
    return {
      reserve(record) {
        tally.tested()
        const [live] = machine.reservations.values()
        if (live !== undefined) tally.violated(record, `job ${live.job.id} still has the reservation of record ${live.seq}`)
        else if (record.start < record.t) tally.violated(record, `starts at ${record.start}, which is past`)
      },
      unreserve(record) {
        tally.tested()
        const reservation = machine.reservations.get(record.for)
        if (reservation === undefined) tally.violated(record, `record ${record.for} is no reservation that still stands`)
        else if (reservation.job !== machine.job) tally.violated(record, `the reservation of record ${record.for} is that of job ${reservation.job.id}`)
      },
      end(record) {
        for (const { seq, job } of machine.reservations.values()) {
          if (job.state !== 'waiting') tally.violated(record, `job ${job.id} is ${job.state} and still has the reservation of record ${seq}`)
        }
      },
    }
  },
}
