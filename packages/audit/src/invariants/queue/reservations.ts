import type { Invariant } from '../../invariant.ts'
import type { Reservation } from '../../cluster/cluster-model.ts'

export const reservations: Invariant = {
  name: 'reservations',
  property:
    'Only a queue that backfills makes reservations. There is one reservation at a time; under conservative backfilling there is one for each job, and at most as many as the window has places. No reservation starts in the past, an unreserve names the reservation of its own job, and no reservation outlives the wait of its job.',
  begin(model, tally) {
    const { backfill, window = Infinity } = model.rules.queue
    const isAlone = backfill !== 'conservative'
    const inForce = (): Reservation | undefined => {
      const [first] = model.reservations.values()
      return isAlone ? first : model.job?.reservation
    }
    // The invariant queue-order finds a reservation of a job beyond the window.
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
