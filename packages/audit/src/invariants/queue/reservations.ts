import type { Invariant } from '../../invariant.ts'
import type { Reservation } from '../../cluster/cluster-model.ts'

export const reservations: Invariant = {
  name: 'reservations',
  property:
    'Only a queue that backfills makes reservations. There is one at a time; under conservative backfilling one for each job, and as many as the window has. None starts in the past, an unreserve names the reservation of its job, and no reservation outlives its job.',
  begin(model, tally) {
    const { backfill, window = Infinity } = model.header.queue
    const isAlone = backfill !== 'conservative'
    const inForce = (): Reservation | undefined => {
      const [first] = model.reservations.values()
      return isAlone ? first : model.job?.reservation
    }
    // That a job is beyond the window itself is checked with the order of the queue.
    const isTooMany = (): boolean =>
      !isAlone && model.reservations.size >= window && model.job !== undefined && model.queue.before(model.job) < window
    return {
      reserve(record) {
        tally.tested()
        const other = inForce()
        if (backfill === 'none') tally.violated(record, `the queue makes no reservations (backfill: ${backfill})`)
        else if (other !== undefined)
          tally.violated(record, `job ${other.job.id} still has the reservation of record ${other.seq}`)
        else if (isTooMany())
          tally.violated(record, `there are ${window} reservations already, one of a job that left the window`)
        else if (record.start < record.t) tally.violated(record, `starts at ${record.start}, which is past`)
      },
      unreserve(record) {
        tally.tested()
        const reservation = model.reservations.get(record.for)
        if (reservation === undefined) tally.violated(record, `record ${record.for} is no reservation in force`)
        else if (reservation.job !== model.job)
          tally.violated(record, `the reservation of record ${record.for} is that of job ${reservation.job.id}`)
      },
      end(record) {
        for (const { seq, job } of model.reservations.values()) {
          if (job.state !== 'waiting')
            tally.violated(record, `job ${job.id} is ${job.state} and still has the reservation of record ${seq}`)
        }
      },
    }
  },
}
