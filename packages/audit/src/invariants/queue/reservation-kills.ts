import type { Kill, LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'
import type { Reservation } from '../../cluster/jobs.ts'

export const reservationKills: Invariant = {
  name: 'reservation-kills',
  property:
    'Jobs are killed for a reservation only under the kill option, and not before the start of the reservation. Only jobs that started ahead of the reserved job are killed for its reservation, the job with the latest start first. The reserved job starts in the instant of the kills.',
  begin(model, tally) {
    const { kill: isOption = false } = model.rules.queue
    /** Seq of the allocate of the job that was killed last in this scheduling pass; Infinity before the first kill. */
    let lastStart = Infinity

    const check = (record: Kill): void => {
      tally.tested()
      const wrong = isOption
        ? whatIsWrong(model, model.reservations.get(record.cause), lastStart)
        : 'but the queue has no kill option'
      if (wrong !== undefined) tally.violated(record, `job ${record.job} is killed for a reservation, ${wrong}`)
      lastStart = model.job?.allocation?.seq ?? Infinity
    }
    const endPass = (record: LogRecord): void => {
      const { killedFor } = model
      if (killedFor !== undefined && killedFor.allocation?.start !== model.previousTime) {
        tally.violated(
          record,
          `job ${killedFor.id} did not start at ${model.previousTime / 1000} s, though other jobs were killed for its reservation`,
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
  const allocation = model.job?.allocation
  // Other invariants find kills of jobs that do not run (job-life-cycle) and kills without a reservation (causes).
  if (allocation === undefined || reservation === undefined) return undefined
  if (model.time < reservation.start) return `but the reservation starts at ${reservation.start / 1000} s`
  if (!allocation.isAdvanced || !model.precedes(reservation.job, model.job!))
    return `but the job did not start ahead of job ${reservation.job.id}`
  return allocation.seq > lastStart
    ? `but the job started (record ${allocation.seq}) after the job that was killed before; the latest start is killed first`
    : undefined
}
