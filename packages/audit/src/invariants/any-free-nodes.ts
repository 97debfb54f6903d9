import type { LogRecord, Reserve } from '@cloister/eventlog'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import { endByEstimate, type Job, type Reservation } from '../cluster/jobs.ts'
import { TOO_MUCH } from '../effort.ts'
import type { Checks, Invariant, Tally } from '../invariant.ts'
import { OVERRUN_GRACE } from './reservations.ts'

export const anyFreeNodes: Invariant = {
  name: 'any-free-nodes',
  property:
    'If the policy claims that any free nodes serve, no job waits while counts of nodes allow its start. After each scheduling pass of fcfs, EASY and backfilling without reservations, the head of the queue requests more nodes than are free; without reservations, also each job of the window. Under EASY the reservation of the head starts no later than the first estimated end of a running job at which enough nodes are free. Under EASY, a job of the window that requests no more nodes than are free ends after the start of the reservation by its estimate, and needs reserved nodes. Under conservative backfilling, a new reservation starts no later than the first time, now or the estimated end of a job or a reservation, at which enough nodes are free beside all reservations that the job would overlap. A job beyond its estimate counts as a job that ends one second from now.',
  begin(model, tally) {
    if (!model.doAnyNodesServe) return 'the policy does not claim that any free nodes serve'
    const { backfill } = model.rules.queue
    if (backfill === 'external') return 'the log does not show the discipline of the foreign scheduler'
    return backfill === 'conservative' ? earliestReservations(model, tally) : startsOfPasses(model, tally)
  },
}

/**
 * Returns the latest time at which a scheduling pass at `now` expects the end of a running job; Infinity without an
 * estimate. Times are in ms.
 */
function expectedEnd(model: ClusterModel, job: Job, now: number): number {
  const end = model.estimatedEnd(job) ?? Infinity
  return end <= now ? now + OVERRUN_GRACE : end
}

/** Returns the number of nodes that the pass that is over expects to be free at a time (ms), before further starts. */
function freeBy(model: ClusterModel, time: number): number {
  let free = model.freeNodes
  for (const job of model.holders.values())
    if (expectedEnd(model, job, model.previousTime) <= time) free += model.upNodesOf(job)
  return free
}

/** Returns true if a job runs as long on some nodes as on others, as far as the scheduler knows. */
function areEstimatesFixed({ rules, areRunTimesVaried }: ClusterModel): boolean {
  return rules.runTimes !== 'communication' || !areRunTimesVaried
}

/** Returns checks after every scheduling pass of fcfs, EASY and backfilling without reservations. */
function startsOfPasses(model: ClusterModel, tally: Tally): Checks {
  const { backfill, window = 0 } = model.rules.queue
  const violated = (record: LogRecord, job: Job, what: string): void =>
    tally.violated(
      record,
      `job ${job.id} requests ${job.size} nodes and waits after the scheduling pass at ${model.previousTime / 1000} s, although ${what}`,
    )
  /** Number of jobs that the present scheduling pass has started ahead of the head. */
  let advanced = 0
  const checkReservation = (record: LogRecord, head: Job, start: number): void => {
    if (freeBy(model, start - 1) < head.size) return
    violated(record, head, `enough nodes are expected to be free before its reservation starts at ${start / 1000} s`)
  }
  /** Checks the jobs behind the head that the pass has tried. */
  const checkWindow = (record: LogRecord, head: Job, reservation: Reservation, tried: number): void => {
    let beside: number | undefined
    for (const job of model.queue.first(tried)) {
      if (!model.effort.allows(1)) return tally.violated(record, TOO_MUCH)
      if (job === head || job.size > model.freeNodes || job.estimate === undefined) continue
      const isShort = model.previousTime + job.estimate <= reservation.start
      beside ??= model.freeNodes - reservation.resources.filter((resource) => model.isFreeNode(resource)).length
      if (isShort || job.size <= beside)
        return violated(
          record,
          job,
          `${model.freeNodes} nodes are free and the job would not delay the reservation of job ${head.id}`,
        )
    }
  }
  return {
    every(record) {
      if (!model.isWholePassOver) return
      const tried = 1 + window - advanced
      advanced = 0
      tally.tested()
      const { head } = model.queue
      if (head === undefined) return
      for (const job of backfill === 'unreserved' ? model.queue.first(tried) : [head]) {
        if (!model.effort.allows(1)) return tally.violated(record, TOO_MUCH)
        if (job.size <= model.freeNodes) return violated(record, job, `${model.freeNodes} nodes are free`)
      }
      const { reservation } = head
      if (reservation === undefined) return
      if (!model.effort.allows(model.holders.size + reservation.resources.length))
        return tally.violated(record, TOO_MUCH)
      checkReservation(record, head, reservation.start)
      if (areEstimatesFixed(model)) checkWindow(record, head, reservation, tried)
    },
    allocate() {
      if (model.job !== model.queue.head) advanced++
    },
  }
}

/** Returns checks of the new reservations of conservative backfilling. */
function earliestReservations(model: ClusterModel, tally: Tally): Checks {
  /** Start of the latest reservation of each waiting job, in seconds: a move to other nodes has the same start. */
  const starts = new Map<string, number>()
  const check = (record: Reserve, job: Job): void => {
    tally.tested()
    const start = Math.round(record.start * 1000)
    const others = [...model.reservations.values()].filter((other) => other.job !== job)
    if (!model.effort.allows((model.holders.size + others.length) * 4)) return tally.violated(record, TOO_MUCH)
    const first = firstStart(model, job, others, start)
    if (first < start)
      tally.violated(
        record,
        `the reservation starts at ${record.start} s, but ${job.size} nodes are expected to be free beside all other reservations from ${first / 1000} s on`,
      )
  }
  return {
    allocate(record) {
      starts.delete(record.job)
    },
    gap: () => starts.clear(),
    every() {
      // If no job waits, no job waits in vain.
      if (model.isWholePassOver && model.queue.head === undefined) tally.tested()
    },
    reserve(record) {
      const before = starts.get(record.job)
      starts.set(record.job, record.start)
      if (model.job !== undefined && before !== record.start) check(record, model.job)
    },
  }
}

/**
 * Returns the first time before `limit`, now or an expected end, at which the job has enough nodes beside all
 * reservations that its run would overlap; `limit` if there is none. Times are in ms.
 */
function firstStart(model: ClusterModel, job: Job, others: ReadonlyArray<Reservation>, limit: number): number {
  const ends = Array.from(model.holders.values(), (holder) => ({
    time: expectedEnd(model, holder, model.time),
    nodes: model.upNodesOf(holder),
  }))
  const times = [
    ...(areEstimatesFixed(model) ? [model.time] : []),
    ...ends.map(({ time }) => time),
    ...others.map(({ end }) => end),
  ]
  const reservedFrom = others.toSorted((a, b) => a.start - b.start)
  const reservedUntil = others.toSorted((a, b) => a.end - b.end)
  ends.sort((a, b) => a.time - b.time)
  let [free, released, begun, over] = [model.freeNodes, 0, 0, 0]
  for (const time of times.sort((a, b) => a - b)) {
    if (time >= limit) return limit
    if (time < model.time) continue
    while (released < ends.length && ends[released].time <= time) free += ends[released++].nodes
    // A reservation overlaps the run if it starts before the end of the run, and ends after the start of the run.
    const end = endByEstimate(job.estimate, time)
    while (begun < others.length && reservedFrom[begun].start < end) free -= reservedFrom[begun++].job.size
    while (over < others.length && reservedUntil[over].end <= time) free += reservedUntil[over++].job.size
    if (free >= job.size) return time
  }
  return limit
}
