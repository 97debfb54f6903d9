import { type Allocation, ClusterState, type Placer } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { Job } from '@cloister/workload'
import { startRequest } from '../experiment/start-request.ts'

/**
 * Rule for jobs that start before a blocked head of the queue: they pass the head. The head's reservation is for the
 * instant at which, by estimates, enough nodes are free anywhere on the machine. If enough nodes are already free, but
 * not in one place, this instant is the present, and no job passes, except under `counts`.
 *
 * - `nobody`: no job passes, as in first come, first served
 * - `counts`: a job passes if by estimate it ends before the reservation, or leaves enough nodes for the head, as in
 *   EASY on a machine without a network
 * - `ends before`: a job passes if by estimate it ends before the reservation
 * - `ends before, in order`: like `ends before`, but the first job that may not pass ends the search
 */
export type Backfilling = 'nobody' | 'counts' | 'ends before' | 'ends before, in order'

/** Mean times over all jobs, in milliseconds: `wait` in the queue, and `total` from submit to end. */
export interface MeanTimes {
  readonly wait: number
  readonly total: number
}

/** Machine, with the number of installed nodes and the placer of the jobs. */
export interface Machine {
  readonly topology: Topology
  readonly placer: Placer
  readonly installed: number
}

/** Runs jobs from a queue in submit order, except jobs larger than the machine. Jobs may outlive their estimates. */
export function runWeaker(
  { topology, placer, installed }: Machine,
  submitted: ReadonlyArray<Job>,
  rule: Backfilling,
): MeanTimes {
  const jobs = submitted.filter(({ size }) => size <= installed)
  const state = new ClusterState(topology)
  /** Running jobs in the order of their ends; `byEstimate`: the same jobs by estimated ends. */
  const byEnd: Array<Running> = []
  const byEstimate: Array<Running> = []
  let waiting: Array<number> = []
  /** Index of the head in `waiting`. All jobs before the head have started. */
  let head = 0
  /** Sizes for which the placer found no place since the last end of a job, so that a new search would find none. */
  const refused = new Set<number>()
  let [next, now, wait, total] = [0, 0, 0, 0]

  const freeNodes = (): number => state.freeNodes - (topology.nodes - installed)

  const start = (at: number): boolean => {
    const { id, size, submit, runTime } = jobs[at]
    if (size > freeNodes() || refused.has(size)) return false
    const placement = placer.place(state, startRequest(id, size, now, submit), undefined)
    if (!placement.ok) {
      refused.add(size)
      return false
    }
    const allocation = { ...placement, job: id, estimatedEnd: now, startOrder: at }
    state.apply(allocation)
    const running = { end: now + runTime, estimatedEnd: now + estimateOf(jobs[at]), allocation }
    insert(byEnd, running, ({ end }) => end)
    insert(byEstimate, running, ({ estimatedEnd }) => estimatedEnd)
    wait += now - submit
    total += now - submit + runTime
    return true
  }

  const endJobs = (): void => {
    while (byEnd[0]?.end === now) {
      const ended = byEnd.shift()!
      byEstimate.splice(byEstimate.indexOf(ended), 1)
      state.release(ended.allocation)
      refused.clear()
    }
  }

  /** Returns the instant at which, by estimates, a job has enough free nodes, and the number of free nodes then. */
  const reservationOf = (size: number): { readonly at: number; readonly free: number } => {
    let free = freeNodes()
    let at = now
    for (const { estimatedEnd, allocation } of byEstimate) {
      const expected = Math.max(estimatedEnd, now + 1000)
      if (free >= size && expected > at) break
      at = expected
      free += allocation.nodes.length
    }
    return { at, free }
  }

  const backfill = (): ReadonlySet<number> => {
    const passed = new Set<number>()
    const { size } = jobs[waiting[head]]
    const { at: reserved, free } = reservationOf(size)
    // If the reservation begins at the present, no job ends before it.
    if (reserved === now && rule !== 'counts') return passed
    let spare = free - size
    for (let i = head + 1; i < waiting.length && freeNodes() > 0; i++) {
      const at = waiting[i]
      const endsBefore = now + estimateOf(jobs[at]) <= reserved
      const leavesEnough = rule === 'counts' && jobs[at].size <= spare
      if ((endsBefore || leavesEnough) && start(at)) {
        passed.add(at)
        if (!endsBefore) spare -= jobs[at].size
      } else if (rule === 'ends before, in order') break
    }
    return passed
  }

  /** Starts all jobs that may start. */
  const pass = (): void => {
    while (head < waiting.length && start(waiting[head])) head++
    if (rule === 'nobody' || head + 1 >= waiting.length) return
    const passed = backfill()
    if (passed.size === 0) return
    waiting = waiting.filter((at, index) => index >= head && !passed.has(at))
    head = 0
  }

  while (next < jobs.length || byEnd.length > 0) {
    now = Math.min(byEnd[0]?.end ?? Infinity, jobs[next]?.submit ?? Infinity)
    endJobs()
    while (next < jobs.length && jobs[next].submit === now) waiting.push(next++)
    pass()
  }
  return { wait: wait / jobs.length, total: total / jobs.length }
}

/** Running job. The end and the estimated end are times in ms. */
interface Running {
  readonly end: number
  readonly estimatedEnd: number
  readonly allocation: Allocation
}

/** Returns the user's estimate of a job; for a job without an estimate, its run time. */
function estimateOf({ walltime, runTime }: Job): number {
  return walltime ?? runTime
}

/** Inserts a running job into a list sorted by key, behind all jobs with the same or a smaller key. */
function insert(into: Array<Running>, running: Running, keyOf: (running: Running) => number): void {
  const key = keyOf(running)
  let [from, end] = [0, into.length]
  while (from < end) {
    const middle = (from + end) >>> 1
    if (keyOf(into[middle]) <= key) from = middle + 1
    else end = middle
  }
  into.splice(from, 0, running)
}
