import type { Allocate, Kill, Refuse, Reject, Reserve, Unreserve } from '@cloister/eventlog'
import type { Checks, Invariant } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'
import type { Reservation } from '../../cluster/jobs.ts'

export const causes: Invariant = {
  name: 'causes',
  property:
    "The cause of a finish is the job's allocate. The cause of a release is the finish, kill or withdraw that ended the job. The cause of a requeue is the job's kill or withdraw. In a simulation the cause of a kill depends on its code: the allocate for `estimate`, the cancel for `cancel`, the down record for `node-down`, the reserve for `reservation`. In a simulation the cause of a route is the job's allocate or release. In a simulation the cause of every other decision is the last input of the instant, or a later kill for an estimate or a reservation. In an instant without input and kill, the cause of a decision is a reserve whose start is this instant.",
  begin(model, tally) {
    /** Seq of the last release of each job id without a submit record: the cause of the removal of the job's routes. */
    const releases = new Map<string, number>()
    const { backfill, kill = false } = model.rules.queue
    const hasPassesOfReservations = kill || backfill === 'conservative'
    /** Number of an instant without inputs, and seq of the reserve record that causes its scheduling pass. */
    let due = { instant: 0, reserve: 0 }
    const isDue = (cause: number): boolean => {
      if (model.instant === due.instant) return cause === due.reserve
      if (!hasPassesOfReservations || model.reservations.get(cause)?.start !== model.time) return false
      due = { instant: model.instant, reserve: cause }
      return true
    }
    const ofPass = (record: Allocate | Reserve | Unreserve | Reject | Refuse): void => {
      tally.tested()
      const { passTrigger } = model
      if (passTrigger === 0 ? isDue(record.cause) : record.cause === passTrigger) return
      const expected =
        passTrigger === 0
          ? 'this instant has no input, and the cause is no reserve that starts at this instant'
          : `the last input of this instant is ${passTrigger}`
      tally.violated(record, `the cause is ${record.cause}, but ${expected}`)
    }
    const expect = (
      record: { readonly cause: number } & Parameters<typeof tally.violated>[0],
      expected: number | undefined,
      what: string,
    ): void => {
      tally.tested()
      if (record.cause === expected) return
      tally.violated(
        record,
        `the cause is ${record.cause}, expected ${expected === undefined || expected === 0 ? what : `${what}, ${expected}`}`,
      )
    }
    const ofJob: Checks = {
      finish: (record) => expect(record, model.job?.allocation?.seq, "the job's allocate"),
      release(record) {
        expect(record, model.job?.endedBy, "the job's finish, kill or withdraw")
        if (model.job === undefined) releases.set(record.job, record.seq)
      },
      requeue: (record) => expect(record, model.job?.killedBy, "the job's kill or withdraw"),
    }
    // The log of a real machine does not show what the scheduler knew. Only finish, release and requeue are tested.
    if (model.header.origin !== 'simulated') return ofJob
    return {
      ...ofJob,
      allocate: ofPass,
      reserve: ofPass,
      unreserve: ofPass,
      reject: ofPass,
      refuse: ofPass,
      route(record) {
        if (record.op === 'add') expect(record, model.job?.allocation?.seq, "the job's allocate")
        else expect(record, model.job?.releasedBy || releases.get(record.job), "the job's release")
      },
      kill(record) {
        tally.tested()
        const wrong = whatIsWrongWithKill(record, model)
        if (wrong !== undefined) tally.violated(record, `the cause is ${record.cause}, ${wrong}`)
      },
    }
  },
}

function whatIsWrongWithKill(record: Kill, model: ClusterModel): string | undefined {
  const { cause, code } = record
  const allocation = model.job?.allocation
  switch (code) {
    case 'estimate':
      return cause === allocation?.seq ? undefined : `expected the job's allocate, ${allocation?.seq}`
    case 'cancel':
      return cause !== 0 && cause === model.job?.cancelledBy ? undefined : "expected the job's cancel record"
    case 'node-down':
      return allocation?.resources.some((resource) => model.downBy[resource] === cause)
        ? undefined
        : 'expected a down record that names a node or link of the job'
    case 'preempted':
    case 'requeued':
      // The invariant `header` refuses these codes in a simulation.
      return undefined
    case 'reservation':
      return isInTheWay(model, model.reservations.get(cause))
        ? undefined
        : 'expected a reservation that needs a node or link of the job'
  }
}

/** A link shared up to a cap is in the way if its jobs leave too little bandwidth for the reservation. */
function isInTheWay(model: ClusterModel, reservation: Reservation | undefined): boolean {
  const allocation = model.job?.allocation
  if (reservation === undefined || allocation === undefined) return false
  const capacity = model.header.policy.link_capacity ?? 0
  const held = new Set(allocation.resources)
  return reservation.resources.some((resource) => {
    if (resource < model.exclusiveResources) return model.holderOf(resource) === model.job
    return held.has(resource) && model.owners[resource] + reservation.bandwidth > capacity
  })
}
