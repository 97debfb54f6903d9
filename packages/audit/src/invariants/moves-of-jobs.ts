import type { Allocate, LogRecord, Release } from '@cloister/eventlog'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import { type Job, milliseconds, type Reservation } from '../cluster/jobs.ts'
import { firstCommon } from '../cluster/named-resources.ts'
import { TOO_MUCH } from '../effort.ts'
import type { Invariant } from '../invariant.ts'

/** Time in ms from the present to the expected end of a job past its estimate. */
const GRACE = 1000

/** First half of a move: the release by which a running job left its nodes and links. */
interface Departure {
  readonly seq: number
  readonly job: Job
  /** Id of the job for whose start the job moves. */
  readonly startOf: string
  readonly resources: Int32Array
  /** Expected end before the move, in ms; undefined if the job has no estimate. */
  readonly end: number | undefined
}

/** The invariant moves-cost reports moves without the option. */
const NO_MOVES = 'the header does not have the option migrate'
const UNASKED = 'a running job moves, but the header does not have the option migrate'

export const movesPaired: Invariant = {
  name: 'moves-paired',
  property:
    'A job moves by a release with `for` and an allocate with `moved`, in the same scheduling pass. The `moved` is the seq of the release of the same job. The moved job gets other nodes or links. Only a running job moves.',
  begin(model, tally) {
    if (model.rules.migrate === undefined) return NO_MOVES
    const open = new Map<string, Departure>()
    return {
      afterPass(record) {
        for (const { job, seq } of open.values())
          tally.violated(record, `job ${job.id} left its nodes for a move (release ${seq}), and got no other nodes`)
        open.clear()
      },
      release(record) {
        if (record.for === undefined) return
        tally.tested()
        const { job } = model
        if (job?.state !== 'running')
          return tally.violated(record, `job ${record.job} moves, but is ${job?.state ?? 'unknown'}, not running`)
        open.set(job.id, departureOf(model, job, record, record.for))
      },
      allocate(record) {
        const left = open.get(record.job)
        if (record.moved === undefined) {
          if (left === undefined) return
          tally.tested()
          tally.violated(record, `job ${record.job} starts again, but moves since record ${left.seq}`)
          return void open.delete(record.job)
        }
        tally.tested()
        open.delete(record.job)
        if (left?.seq !== record.moved)
          tally.violated(record, `record ${record.moved} is no release by which job ${record.job} left its nodes`)
        else if (areEqual(left.resources, model.named!.resources))
          tally.violated(record, `job ${record.job} moves to the nodes and links that it left`)
      },
    }
  },
}

export const movesForStarts: Invariant = {
  name: 'moves-for-starts',
  property:
    'Every move is made for the start of a waiting job in the same scheduling pass: the moving jobs leave, the job starts, and the moving jobs get their new nodes and links. Between the first and the last record of a start by moves, no other job starts. At most as many jobs move for one start as the header’s option `migrate` allows.',
  begin(model, tally) {
    const { migrate } = model.rules
    if (migrate === undefined) return NO_MOVES
    /** Jobs that left for the next start by moves, and the id of the job that starts. */
    let leaving: { readonly startOf: string; count: number; hasStarted: boolean; back: number } | undefined
    const missed = (record: LogRecord): void => {
      if (leaving === undefined) return
      if (!leaving.hasStarted)
        tally.violated(record, `jobs moved for the start of job ${leaving.startOf}, but the job does not start`)
      leaving = undefined
    }
    return {
      afterPass: missed,
      release(record) {
        if (record.for === undefined) return
        tally.tested()
        if (leaving !== undefined && (leaving.hasStarted || leaving.startOf !== record.for)) missed(record)
        leaving ??= { startOf: record.for, count: 0, hasStarted: false, back: 0 }
        leaving.count++
        if (model.jobs.get(record.for)?.state !== 'waiting')
          tally.violated(record, `job ${record.job} moves for job ${record.for}, which does not wait`)
        else if (leaving.count > migrate.limit)
          tally.violated(
            record,
            `${leaving.count} jobs move for the start of job ${record.for}, but at most ${migrate.limit} may`,
          )
      },
      allocate(record) {
        if (leaving === undefined) return
        tally.tested()
        if (record.moved !== undefined) {
          if (!leaving.hasStarted)
            tally.violated(
              record,
              `job ${record.job} gets its new nodes before the start of job ${leaving.startOf}, for which it moves`,
            )
          if (++leaving.back === leaving.count) leaving = undefined
        } else if (leaving.hasStarted || record.job !== leaving.startOf)
          tally.violated(record, `job ${record.job} starts during the moves for the start of job ${leaving.startOf}`)
        else leaving.hasStarted = true
      },
    }
  },
}

export const movesCost: Invariant = {
  name: 'moves-cost',
  property:
    'Jobs move only in a simulation whose header has the option `migrate`. A moved job is expected to run on for longer than the cost of a move, and for longer than one second. The estimate of the new allocation is the time until the expected end before the move, and the cost.',
  begin(model, tally) {
    const { migrate } = model.rules
    const left = new Map<string, Departure>()
    return {
      release(record) {
        if (record.for === undefined) return
        tally.tested()
        if (migrate === undefined) return tally.violated(record, UNASKED)
        if (model.job?.allocation === undefined) return
        const departure = departureOf(model, model.job, record, record.for)
        left.set(record.job, departure)
        const soon = model.time + Math.max(migrate.cost, GRACE)
        if ((departure.end ?? Infinity) <= soon)
          tally.violated(
            record,
            `job ${record.job} moves, but is expected to end at ${departure.end! / 1000} s, within ${(soon - model.time) / 1000} s`,
          )
      },
      allocate(record) {
        if (record.moved === undefined) return
        if (migrate === undefined) return tally.violated(record, UNASKED)
        const departure = left.get(record.job)
        // The invariant moves-paired reports a move without its release.
        if (departure?.seq !== record.moved || departure.end === undefined) return
        tally.tested()
        left.delete(record.job)
        const expected = departure.end - model.time + migrate.cost
        const found = record.estimate === undefined ? model.job?.estimate : milliseconds(record.estimate)
        if (found !== expected)
          tally.violated(
            record,
            `the estimate of the moved job is ${(found ?? 0) / 1000} s, but its expected end and the cost give ${expected / 1000} s`,
          )
      },
    }
  },
}

export const movesBesideReservation: Invariant = {
  name: 'moves-beside-reservation',
  property:
    'Under EASY, if jobs move for a backfilled job, the moved jobs were expected to run beyond the start of the reservation, and get no node or link of the reservation.',
  begin(model, tally) {
    const { migrate, queue } = model.rules
    const { backfill } = queue
    if (migrate === undefined) return NO_MOVES
    if (backfill !== 'easy') return `only EASY reserves beside moves (backfill: ${backfill})`
    const left = new Map<string, Departure>()
    /** Reservation ahead of which the latest job started; undefined if that job did not start by backfilling. */
    let reservation: Reservation | undefined
    const check = (record: Allocate, departure: Departure): void => {
      if (reservation === undefined) return
      tally.tested()
      if (!model.effort.allows(model.named!.resources.length + reservation.resources.length))
        return tally.violated(record, TOO_MUCH)
      if ((departure.end ?? Infinity) <= reservation.start)
        return tally.violated(
          record,
          `job ${record.job} moves, but was expected to end by ${reservation.start / 1000} s, when the reservation of job ${reservation.job.id} starts`,
        )
      const common = firstCommon(model.named!.resources, reservation.resources)
      if (common !== undefined)
        tally.violated(
          record,
          `job ${record.job} moves to ${model.nameOf(common)}, which is reserved for job ${reservation.job.id}`,
        )
    }
    return {
      release(record) {
        if (record.for !== undefined && model.job?.allocation !== undefined)
          left.set(record.job, departureOf(model, model.job, record, record.for))
      },
      allocate(record) {
        const departure = left.get(record.job)
        left.delete(record.job)
        if (record.moved === undefined)
          reservation = record.backfill === undefined ? undefined : model.reservations.get(record.backfill)
        else if (departure !== undefined) check(record, departure)
      },
    }
  },
}

function departureOf(model: ClusterModel, job: Job, { seq }: Release, startOf: string): Departure {
  return { seq, job, startOf, resources: job.allocation!.resources, end: model.estimatedEnd(job) }
}

function areEqual(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((id, at) => id === b[at])
}
