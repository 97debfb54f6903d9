import type { Reserve } from '@cloister/eventlog'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import { endByEstimate, type Job, type Reservation } from '../cluster/jobs.ts'
import { TOO_MUCH } from '../effort.ts'
import type { Checks, Invariant, Tally } from '../invariant.ts'
import {
  areEstimatesFixed,
  expectedEnd,
  rejectionsOf,
  type Room,
  type Rooms,
  startsOfPasses,
} from './starts-of-passes.ts'

export const anyFreeNodes: Invariant = {
  name: 'any-free-nodes',
  property:
    'If the policy claims that any free nodes serve, no job waits while counts of nodes allow its start. After each scheduling pass of fcfs, EASY, `counting` and backfilling without reservations, the head of the queue requests more nodes than are free; without reservations, also each job of the window. Under EASY the reservation of the head starts no later than the first estimated end of a running job at which enough nodes are free. Under EASY, a job of the window that requests no more nodes than are free ends after the start of the reservation by its estimate, and needs reserved nodes. If the job may move the reservation, the head would lack nodes beside the job at the start of the reservation. Under conservative backfilling, a new reservation starts no later than the first time, now or the estimated end of a job or a reservation, at which enough nodes are free beside all reservations that the job would overlap. If the auditor does not know the queue order, fewer nodes are free after each pass than some waiting job requests. A job beyond its estimate counts as a job that ends one second from now. A simulation rejects only jobs that request more nodes than the machine has.',
  begin(model, tally) {
    if (!model.doAnyNodesServe) return 'the policy does not claim that any free nodes serve'
    const { backfill } = model.rules.queue
    if (backfill === 'external') return 'the log does not show the discipline of the foreign scheduler'
    const rooms = roomsByCount(model)
    return backfill === 'conservative'
      ? { ...earliestReservations(model, tally), ...rejectionsOf(model, tally, rooms) }
      : startsOfPasses(model, tally, rooms)
  },
}

/** Returns the number of nodes that the pass that is over expects to be free at a time (ms), before further starts. */
function freeBy(model: ClusterModel, time: number): number {
  let free = model.freeNodes
  for (const job of model.holders.values())
    if (expectedEnd(model, job, model.previousTime) <= time) free += model.upNodesOf(job)
  return free
}

/** Returns rooms in which only numbers of nodes count. */
function roomsByCount(model: ClusterModel): Rooms {
  const room =
    (nodes: number): Room =>
    ({ size }) =>
      size <= nodes
  return {
    cost: 1,
    words: () => `${model.freeNodes} nodes are free`,
    empty: () => room(model.topology.nodes),
    now: () => room(model.freeNodes),
    by: (time) => room(freeBy(model, time)),
    beside: ({ resources }) => room(model.freeNodes - resources.filter((each) => model.isFreeNode(each)).length),
    besideMoved: ({ job: head, start }) => room(freeBy(model, start) - head.size),
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
    afterPass() {
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
