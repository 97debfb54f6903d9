import type { Kill, LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { ClusterModel, Reservation } from '../../cluster/cluster-model.ts'

export const reservationKills: Invariant = {
  name: 'reservation-kills',
  property:
    "Jobs are killed for a reservation only under the kill option, and only once the reservation's time has come. Only jobs that passed the reservation's job in the queue are killed, the latest start first. The reservation's job then starts in the same instant.",
  begin(model, tally) {
    const { kill: isOption = false } = model.rules.queue
    /** Seq of the allocate of the job killed last in this scheduling pass; Infinity before the first kill. */
    let lastStart = Infinity

    const check = (record: Kill): void => {
      tally.tested()
      const wrong = isOption
        ? whatIsWrong(model, model.reservations.get(record.cause), lastStart)
        : 'though the queue has no kill option'
      if (wrong !== undefined) tally.violated(record, `job ${record.job} is killed for a reservation, ${wrong}`)
      lastStart = model.job?.holding?.seq ?? Infinity
    }
    const endPass = (record: LogRecord): void => {
      const { killedFor } = model
      if (killedFor !== undefined && killedFor.holding?.start !== model.previousTime) {
        tally.violated(
          record,
          `others were killed for job ${killedFor.id} at ${model.previousTime / 1000}, but it did not start`,
        )
      }
      lastStart = Infinity
    }
    return {
      every(record) {
        if (model.isPassOver || record.type === 'end') endPass(record)
      },
      kill(record) {
        if (record.code === 'reservation') check(record)
      },
    }
  },
}

function whatIsWrong(model: ClusterModel, reservation: Reservation | undefined, lastStart: number): string | undefined {
  const holding = model.job?.holding
  // Other invariants find the kill of a job that does not run (job-life-cycle) and a kill for no reservation (causes).
  if (holding === undefined || reservation === undefined) return undefined
  if (model.time < reservation.start) return `whose time comes at ${reservation.start / 1000}`
  if (!holding.isAdvanced || !model.precedes(reservation.job, model.job!))
    return `though it did not pass job ${reservation.job.id}`
  return holding.seq > lastStart
    ? `though it started (record ${holding.seq}) after the one killed before it`
    : undefined
}
