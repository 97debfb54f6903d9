import type { Checks, Invariant } from '../invariant.ts'
import type { Allocate, Down, Kill, LogRecord, Refuse, Reject, Release, Reserve, Unreserve } from '@cloister/eventlog'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import type { Reservation } from '../cluster/jobs.ts'

export const timeOrder: Invariant = {
  name: 'time-order',
  property: 'No record, except seals, has an earlier time than the previous record.',
  begin(model, tally) {
    return {
      every(record) {
        if (record.type === 'header' || record.type === 'seal') return
        tally.tested()
        if (model.time < model.previousTime)
          tally.violated(
            record,
            `the time is ${record.t}, but the previous record has the later time ${model.previousTime / 1000}`,
          )
      },
    }
  },
}

const FINISHES = 0
const DOWN_UP = 1
const CANCELS = 2
const SUBMITS = 3
const DECISIONS = 4
const PHASE_NAMES = ['finishes', 'down and up', 'cancels', 'submits', 'decisions']
const KILL_PHASES: { readonly [Code in Kill['code']]: number } = {
  estimate: FINISHES,
  'node-down': DOWN_UP,
  unroutable: DOWN_UP,
  cancel: CANCELS,
  reservation: DECISIONS,
  preempted: DECISIONS,
  requeued: DECISIONS,
}

export const instantOrder: Invariant = {
  name: 'instant-order',
  property:
    'The records of an instant come in five phases: finishes, down and up, cancels, submits, decisions. A kill comes in the phase of its code: `estimate` among the finishes, `node-down` and `unroutable` after their down or up record, `cancel` among the cancels, `reservation` among the decisions. Finishes come in submit order of their jobs. Cancels come in submit order. The kills of one phase, or with one code after one down or up record, come in submit order, except kills for a reservation. If a job starts and ends in the same instant, a further round of the instant follows: ends of such jobs, then decisions.',
  begin(model, tally) {
    let instant = 0
    let round = 1
    let phase = FINISHES
    const lastOrder = { finish: -1, kill: -1, cancel: -1 }
    let lastCode: Kill['code'] | undefined

    const startRound = (number: number): void => {
      round = number
      phase = FINISHES
      lastOrder.finish = lastOrder.kill = lastOrder.cancel = -1
    }
    const enter = (record: LogRecord, to: number): void => {
      tally.tested()
      if (model.instant !== instant) {
        instant = model.instant
        startRound(1)
      }
      const startedNow = model.job?.allocation?.start === model.time
      if (phase === DECISIONS && to === FINISHES && startedNow) startRound(round + 1)
      else if (to < phase)
        tally.violated(
          record,
          `the ${record.type} belongs to the phase "${PHASE_NAMES[to]}", but comes after the phase "${PHASE_NAMES[phase]}" of the instant`,
        )
      else if (round > 1 && to === FINISHES && !startedNow) {
        tally.violated(record, `job ${model.job?.id} ends in round ${round} of an instant at which it did not start`)
      } else if (round > 1 && to > FINISHES && to < DECISIONS) {
        tally.violated(
          record,
          `the ${record.type} comes in round ${round} of an instant; only the first round may have the phase "${PHASE_NAMES[to]}"`,
        )
      }
      if (to > phase) {
        phase = to
        lastOrder.kill = -1
      }
    }
    const inSubmitOrder = (record: LogRecord, type: keyof typeof lastOrder): void => {
      if (model.job === undefined) return
      if (model.job.order < lastOrder[type])
        tally.violated(
          record,
          `the ${type} is not in submit order: a job that was submitted later has an earlier ${type}`,
        )
      lastOrder[type] = model.job.order
    }
    const decide = (record: LogRecord): void => enter(record, DECISIONS)
    return {
      finish(record) {
        enter(record, FINISHES)
        inSubmitOrder(record, 'finish')
      },
      kill(record) {
        enter(record, KILL_PHASES[record.code])
        if (record.code !== lastCode) lastOrder.kill = -1
        lastCode = record.code
        if (record.code !== 'reservation') inSubmitOrder(record, 'kill')
      },
      down(record) {
        enter(record, DOWN_UP)
        lastOrder.kill = -1
      },
      up(record) {
        enter(record, DOWN_UP)
        lastOrder.kill = -1
      },
      cancel(record) {
        enter(record, CANCELS)
        inSubmitOrder(record, 'cancel')
      },
      submit: (record) => enter(record, SUBMITS),
      // A job that can never run is rejected at its submit or in the scheduling pass after the submits.
      reject: (record) => enter(record, model.instant === instant ? Math.max(phase, SUBMITS) : SUBMITS),
      reserve: decide,
      allocate: decide,
      refuse: decide,
    }
  },
}

export const causes: Invariant = {
  name: 'causes',
  property:
    "The cause of a finish is the job's allocate. The cause of a release is the finish, kill or withdraw that ended the job; a release for a move has the cause of a decision. The cause of a requeue is the job's kill or withdraw. In a simulation the cause of a kill depends on its code: the allocate for `estimate`, the cancel for `cancel`, the down record for `node-down`, a route record for `unroutable`, the reserve for `reservation`. In a simulation the cause of a route is the job's allocate or release, or a down or up record of the same instant. In a simulation the cause of every other decision is the last input of the instant, or a later kill for an estimate or a reservation. In an instant without input and kill, the cause of a decision is a reserve whose start is this instant.",
  begin(model, tally) {
    /** Seq of the last release of each job id without a submit record: the cause of the removal of the job's routes. */
    const releases = new Map<string, number>()
    const { backfill, kill = false } = model.rules.queue
    const hasPassesOfReservations = kill || backfill === 'conservative'
    /** Number of an instant without inputs, and seq of the reserve record that causes its scheduling pass. */
    let due = { instant: 0, reserve: 0 }
    /** Number of the instant of the latest down or up record, and seq of the record. */
    let outage = { instant: 0, seq: 0 }
    const notes = ({ seq }: Down): void => {
      outage = { instant: model.instant, seq }
    }
    const isDue = (cause: number): boolean => {
      if (model.instant === due.instant) return cause === due.reserve
      if (!hasPassesOfReservations || model.reservations.get(cause)?.start !== model.time) return false
      due = { instant: model.instant, reserve: cause }
      return true
    }
    const ofPass = (record: Allocate | Reserve | Unreserve | Reject | Refuse | Release): void => {
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
        if (record.for === undefined) expect(record, model.job?.endedBy, "the job's finish, kill or withdraw")
        else if (model.header.origin === 'simulated') ofPass(record)
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
      down: notes,
      up: notes,
      route(record) {
        // The causes of records without a job are tested by the invariant routes-paired.
        if (record.job === undefined) return
        if (outage.instant === model.instant && outage.seq === record.cause) return tally.tested()
        if (record.undo === undefined) expect(record, model.job?.allocation?.seq, "the job's allocate")
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
    case 'unroutable':
      // The invariant `unroutable-kills` tests the cause.
      return undefined
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

export const totals: Invariant = {
  name: 'totals',
  property:
    'The end record has the numbers of submit, finish, reject and kill records in the log, the number of allocate records without `moved`, and the number of cancel records of waiting jobs.',
  begin(model, tally) {
    const counted = { submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }
    type Total = keyof typeof counted
    const one = (total: Total) => (): void => void counted[total]++
    return {
      submit: one('submitted'),
      finish: one('finished'),
      reject: one('rejected'),
      kill: one('killed'),
      allocate({ moved }) {
        if (moved === undefined) counted.started++
      },
      cancel() {
        if (model.job?.state === 'waiting') counted.cancelled++
      },
      end(record) {
        tally.tested()
        for (const total of Object.keys(counted) as ReadonlyArray<Total>) {
          if (record[total] !== counted[total])
            tally.violated(record, `the total ${total} is ${record[total]}, but the log has ${counted[total]}`)
        }
      },
    }
  },
}

export const refusalsRecorded: Invariant = {
  name: 'refusals-recorded',
  property: 'The log has refuse records and notes of allocations only if the header has the option `refusals`.',
  begin(model, tally) {
    if (model.rules.refusals) return 'the header has the option refusals, so the log may have refuse records and notes'
    return {
      refuse(record) {
        tally.tested()
        tally.violated(record, 'the log has a refuse record, but the header does not have the option refusals')
      },
      allocate(record) {
        tally.tested()
        if (record.note !== undefined)
          tally.violated(record, 'the allocate has a note, but the header does not have the option refusals')
      },
    }
  },
}
