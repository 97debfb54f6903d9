import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Checks, Invariant, Tally } from '../invariant.ts'
import { estimateOf, type Job, type QueueRules, type Reservation } from '../cluster/jobs.ts'
import { TOO_MUCH } from '../effort.ts'
import type { ClusterModel } from '../cluster/cluster-model.ts'

export const queueOrder: Invariant = {
  name: 'queue-order',
  property:
    'Jobs start in queue order, with three exceptions: backfilled jobs, a job for which other jobs were killed, and any job while a failed node or link may hinder the head and the head has no reservation. Backfilling without reservations and the discipline `counting` keep no queue order beyond the invariants `backfill-window` and `backfill-counts`. Only the head gets a reservation; under conservative backfilling, any job within the window. The auditor has formulas of its own for all built-in orders. An order whose scores change ranks the waiting jobs at the first decision of each scheduling pass, and again if a job joins the queue within the pass. Two scores that differ by rounding only allow either order.',
  begin(model, tally) {
    const { backfill, window = Infinity } = model.rules.queue
    if (backfill === 'unreserved' || backfill === 'counting')
      return `any job of the window may pass the head (backfill: ${backfill})`
    const reserved = backfill === 'conservative' ? window : 1
    const mayPass = (job: Job, head: Job): boolean =>
      model.killedFor === job || (head.reservation === undefined && model.isExcused(head))
    const check = (record: Allocate | Reserve, wrongly: (job: Job, head: Job) => string | undefined): void => {
      const {
        job,
        queue: { head },
      } = model
      if (job === undefined || head === undefined) return
      tally.tested()
      // The ranking of the queue counts as comparisons.
      if (!model.effort.allows(1)) return tally.violated(record, TOO_MUCH)
      const what = head === job ? undefined : wrongly(job, head)
      if (what !== undefined)
        tally.violated(record, `job ${job.id} ${what}, but job ${head.id} is at the head of the queue`)
    }
    return {
      allocate(record) {
        if (record.backfill !== undefined || record.moved !== undefined) return
        check(record, (job, head) => (mayPass(job, head) ? undefined : 'starts without backfilling'))
      },
      reserve(record) {
        check(record, (job) => {
          const before = model.queue.before(job)
          return before < reserved
            ? undefined
            : reserved === 1
              ? 'gets the reservation'
              : `gets a reservation in place ${before + 1} of the queue, beyond the window of ${reserved}`
        })
      },
    }
  },
}

export const headReserved: Invariant = {
  name: 'head-reserved',
  property:
    'Under EASY, after each scheduling pass, the head of the queue has a reservation, unless a failed node or link may hinder the head, or the pass was interrupted by a gap.',
  begin(model, tally) {
    const { backfill } = model.rules.queue
    return backfill === 'easy'
      ? reservedAfterPass(model, tally, 1)
      : `only EASY reserves for the head alone (backfill: ${backfill})`
  },
}

export const windowReserved: Invariant = {
  name: 'window-reserved',
  property:
    'Under conservative backfilling, after each scheduling pass, every job within the window has a reservation, unless a failed node or link may hinder the job, or the pass was interrupted by a gap.',
  begin(model, tally) {
    const { backfill, window = Infinity } = model.rules.queue
    return backfill === 'conservative'
      ? reservedAfterPass(model, tally, window)
      : `only conservative backfilling reserves for all jobs of the window (backfill: ${backfill})`
  },
}

/**
 * Returns checks that the first `count` jobs of the queue have reservations after every scheduling pass, except jobs
 * that a failed node or link may hinder.
 */
function reservedAfterPass(model: ClusterModel, tally: Tally, count: number): Checks {
  return {
    afterPass(record) {
      if (!model.isWholePassOver) return
      let place = 0
      for (const job of model.queue.first(count)) {
        tally.tested()
        place++
        if (!model.effort.allows(1)) return tally.violated(record, TOO_MUCH)
        if (job.reservation !== undefined || model.isExcused(job)) continue
        tally.violated(
          record,
          `job ${job.id} waits in place ${place} of the queue without a reservation after the scheduling pass at ${model.previousTime / 1000} s`,
        )
        return
      }
    },
  }
}

export const backfill: Invariant = {
  name: 'backfill',
  property:
    'Only a queue discipline with reservations has allocate records with `backfill`. The `backfill` of an allocate record names a reservation in force: the reservation of the job at the head of the queue, ahead of which the job started.',
  begin(model, tally) {
    const { backfill: discipline, reserves } = model.rules.queue
    return {
      allocate(record) {
        if (record.backfill === undefined) return
        tally.tested()
        if (!reserves)
          return tally.violated(
            record,
            `the job is backfilled, but the queue discipline makes no reservations (backfill: ${discipline})`,
          )
        const reservation = model.reservations.get(record.backfill)
        if (reservation === undefined) tally.violated(record, `record ${record.backfill} is no reservation in force`)
        else if (reservation.job === model.job)
          tally.violated(record, `record ${record.backfill} is the reservation of the backfilled job itself`)
        else if (model.isBehindHead(reservation.job)) {
          tally.violated(
            record,
            `record ${record.backfill} is the reservation of job ${reservation.job.id}, but job ${model.queue.head?.id} is at the head`,
          )
        }
      },
    }
  },
}

export const backfillWindow: Invariant = {
  name: 'backfill-window',
  property:
    'A scheduling pass backfills jobs in queue order, or in the window order of the header’s option `windowOrder`, and only jobs within the window. Under EASY, without reservations and under `counting` the window counts the jobs behind the head that waited when the scheduling pass began. Under conservative backfilling the window counts the jobs that still wait, the head included.',
  begin(model, tally) {
    const { backfill, reserves: isReserved, window = Infinity, windowOrder } = model.rules.queue
    if (backfill === 'none') return `the queue discipline does not backfill (backfill: ${backfill})`
    const keepsWindow = backfill !== 'conservative'
    const isTriedBefore = (a: Job, b: Job): boolean => {
      const sooner = rank(windowOrder, a) - rank(windowOrder, b)
      return sooner === 0 || Number.isNaN(sooner) ? model.queue.precedes(a, b) : sooner < 0
    }
    let pass = -1
    /** Jobs that the scheduling pass `pass` has backfilled, in the order of their starts. */
    let backfilled: Array<Job> = []

    const check = (record: Allocate, job: Job): void => {
      if (pass !== model.pass) {
        pass = model.pass
        backfilled = []
      }
      tally.tested()
      const last = backfilled.at(-1)
      const between = backfilled.filter((each) => model.queue.precedes(each, job)).length
      const behindHead = model.queue.before(job) + (keepsWindow ? between : 0)
      const farthest = keepsWindow ? window : window - 1
      if (last !== undefined && !isTriedBefore(last, job))
        tally.violated(
          record,
          `job ${job.id} is backfilled after job ${last.id}, but must be tried before job ${last.id} (${windowOrder === undefined ? 'queue order' : `windowOrder: ${windowOrder}`})`,
        )
      else if (behindHead > farthest)
        tally.violated(record, `job ${job.id} was ${behindHead} places behind the head, but the window is ${window}`)
      backfilled.push(job)
    }
    return {
      allocate(record) {
        const isBackfilled = !isReserved || record.backfill !== undefined
        if (record.moved !== undefined) return
        if (isBackfilled && model.job !== undefined && model.job !== model.queue.head) check(record, model.job)
      },
    }
  },
}

/** Returns a job's sort key in the window order, lowest first. In `shortest`, a job without estimate comes last. */
function rank(windowOrder: QueueRules['windowOrder'], { size, estimate }: Job): number {
  if (windowOrder === undefined) return 0
  if (windowOrder === 'shortest') return estimate ?? Infinity
  return windowOrder === 'largest' ? -size : size
}

export const backfillNoDelay: Invariant = {
  name: 'backfill-no-delay',
  property:
    'Under EASY a backfilled job ends, by its estimate, no later than the reservation starts, or takes no node or link of the reservation. A job without an estimate never ends. A link shared up to a cap may carry the backfilled job and the reserved job if its capacity suffices.',
  begin(model, tally) {
    const { backfill } = model.rules.queue
    if (backfill === 'conservative')
      return 'the invariant reservations-apart tests this property under conservative backfilling'
    return {
      allocate(record) {
        const reservation = record.backfill === undefined ? undefined : model.reservations.get(record.backfill)
        const job = model.job
        if (reservation === undefined || reservation.job === job || job === undefined) return
        const estimate = estimateOf(record, job) ?? Infinity
        tally.tested()
        if (model.time + estimate <= reservation.start) return
        if (model.header.policy.claims.links === 'capped' && !model.effort.allows(model.held))
          return tally.violated(record, TOO_MUCH)
        const taken = firstTaken(model, record, reservation)
        if (taken === undefined) return
        const until =
          estimate === Infinity ? 'without an estimate' : `until ${(model.time + estimate) / 1000} s by its estimate`
        tally.violated(
          record,
          `job ${job.id} takes ${model.nameOf(taken)} ${until}, but the reservation of job ${reservation.job.id} has ${model.nameOf(taken)} from ${reservation.start / 1000} s`,
        )
      },
    }
  },
}

/** A link shared up to a cap counts as taken if it cannot carry the backfilled and the reserved job together. */
function firstTaken(
  model: ClusterModel,
  record: Allocate,
  { resources, start, bandwidth }: Reservation,
): number | undefined {
  const a = model.named!.resources
  const b = resources
  let used: Uint32Array | undefined
  const carriesBoth = (resource: number): boolean => {
    used ??= model.bandwidthBeyond(start)
    return used[resource] + bandwidth + (record.bandwidth ?? 0) <= (model.header.policy.link_capacity ?? Infinity)
  }
  let j = 0
  for (let i = 0; i < a.length; i++) {
    while (j < b.length && b[j] < a[i]) j++
    if (j < b.length && b[j] === a[i] && (a[i] < model.exclusiveResources || !carriesBoth(a[i]))) return a[i]
  }
  return undefined
}
