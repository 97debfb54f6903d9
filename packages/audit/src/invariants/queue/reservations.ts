import type { Invariant } from '../../invariant.ts'
import type { Reservation } from '../../cluster/cluster-model.ts'

export const reservations: Invariant = {
  name: 'reservations',
  property:
    'There is one reservation at a time, under conservative backfilling one for each job and as many as the window has; none is made for the past; an unreserve names that of its job, and none outlives its job.',
  begin(machine, tally) {
    const { backfill, window = Infinity } = machine.header.queue
    const isAlone = backfill !== 'conservative'
    const standing = (): Reservation | undefined => {
      const [first] = machine.reservations.values()
      return isAlone ? first : machine.job?.reservation
    }
    // That a job is beyond the window itself is checked with the order of the queue.
    const isTooMany = (): boolean =>
      !isAlone &&
      machine.reservations.size >= window &&
      machine.job !== undefined &&
      machine.queue.before(machine.job) < window
    return {
      reserve(record) {
        tally.tested()
        const other = standing()
        if (other !== undefined)
          tally.violated(record, `job ${other.job.id} still has the reservation of record ${other.seq}`)
        else if (isTooMany())
          tally.violated(
            record,
            `there are ${window} reservations already, one of a job that was pushed out of the window`,
          )
        else if (record.start < record.t) tally.violated(record, `starts at ${record.start}, which is past`)
      },
      unreserve(record) {
        tally.tested()
        const reservation = machine.reservations.get(record.for)
        if (reservation === undefined)
          tally.violated(record, `record ${record.for} is no reservation that still stands`)
        else if (reservation.job !== machine.job)
          tally.violated(record, `the reservation of record ${record.for} is that of job ${reservation.job.id}`)
      },
      end(record) {
        for (const { seq, job } of machine.reservations.values()) {
          if (job.state !== 'waiting')
            tally.violated(record, `job ${job.id} is ${job.state} and still has the reservation of record ${seq}`)
        }
      },
    }
  },
}
