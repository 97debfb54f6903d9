import type { Invariant } from '../../invariant.ts'
import type { Reservation } from '../../cluster/jobs.ts'

export const reservations: Invariant = {
  name: 'reservations',
  property:
    'Only a queue discipline that backfills makes reservations. Under EASY, at most one reservation is in force at a time. Under conservative backfilling, each job has at most one reservation, and the number of reservations is at most the window. No reservation starts in the past. An unreserve names a reservation of its own job. At the end of the log, only waiting jobs have reservations.',
  begin(model, tally) {
    const { backfill, window = Infinity } = model.rules.queue
    const isAlone = backfill !== 'conservative'
    const inForce = (): Reservation | undefined => {
      const [first] = model.reservations.values()
      return isAlone ? first : model.job?.reservation
    }
    // The invariant queue-order reports a reservation of a job beyond the window.
    const isTooMany = (): boolean =>
      !isAlone && model.reservations.size >= window && model.job !== undefined && model.queue.before(model.job) < window
    return {
      reserve(record) {
        tally.tested()
        const other = inForce()
        if (backfill === 'none')
          tally.violated(record, `the queue discipline makes no reservations (backfill: ${backfill})`)
        else if (other !== undefined)
          tally.violated(record, `job ${other.job.id} still has the reservation of record ${other.seq}`)
        else if (isTooMany())
          tally.violated(record, `${window} reservations are in force already, as many as the window allows`)
        else if (record.start < record.t)
          tally.violated(record, `the reservation starts at ${record.start} s, in the past`)
      },
      unreserve(record) {
        tally.tested()
        const reservation = model.reservations.get(record.for)
        if (reservation === undefined) tally.violated(record, `record ${record.for} is no reservation in force`)
        else if (reservation.job !== model.job)
          tally.violated(
            record,
            `record ${record.for} is a reservation of job ${reservation.job.id}, not of job ${record.job}`,
          )
      },
      end(record) {
        for (const { seq, job } of model.reservations.values()) {
          if (job.state !== 'waiting')
            tally.violated(record, `job ${job.id} is ${job.state}, but still has the reservation of record ${seq}`)
        }
      },
    }
  },
}
