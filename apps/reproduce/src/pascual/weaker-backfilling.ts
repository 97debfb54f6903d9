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
  const waiting = new WaitingJobs(jobs)
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
    waiting.remove(at)
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

  /** Starts jobs that may pass the head, in queue order. */
  const backfill = (head: number): void => {
    const { size } = jobs[head]
    const { at: reserved, free } = reservationOf(size)
    // If the reservation begins at the present, no job ends before it.
    if (reserved === now && rule !== 'counts') return
    let spare = free - size
    const longest = (of: number): number => {
      if (of > freeNodes() || refused.has(of)) return -Infinity
      return rule === 'counts' && of <= spare ? Infinity : reserved - now
    }
    const following = (): number =>
      rule === 'ends before, in order' ? waiting.after(head) : waiting.firstUpTo(longest, next)
    for (let at = following(); at < next; at = following()) {
      const endsBefore = now + estimateOf(jobs[at]) <= reserved
      if (rule === 'ends before, in order' && !endsBefore) return
      if (start(at)) spare -= endsBefore ? 0 : jobs[at].size
      else if (rule === 'ends before, in order') return
    }
  }

  /** Starts all jobs that may start. */
  const pass = (): void => {
    let head = waiting.after(-1)
    while (head < next && start(head)) head = waiting.after(head)
    if (rule !== 'nobody' && head < next) backfill(head)
  }

  while (next < jobs.length || byEnd.length > 0) {
    now = Math.min(byEnd[0]?.end ?? Infinity, jobs[next]?.submit ?? Infinity)
    endJobs()
    while (next < jobs.length && jobs[next].submit === now) waiting.add(next++)
    pass()
  }
  return { wait: wait / jobs.length, total: total / jobs.length }
}

/**
 * Jobs of a queue in submit order, by their indices. A queue of tens of thousands of jobs has few different sizes, so
 * the search for a job goes by size instead of from job to job.
 */
class WaitingJobs {
  readonly #jobs: ReadonlyArray<Job>
  /** Index of the job itself, or a later index if the job has started. */
  readonly #next: Int32Array
  readonly #bySize = new Map<number, ShortestFirst>()
  /** Number of jobs of the same size before each job. */
  readonly #rank: Int32Array

  constructor(jobs: ReadonlyArray<Job>) {
    this.#jobs = jobs
    this.#next = Int32Array.from({ length: jobs.length + 1 }, (_, at) => at)
    const ofSize = new Map<number, Array<number>>()
    this.#rank = Int32Array.from(jobs, ({ size }, at) => {
      const same = ofSize.get(size) ?? []
      ofSize.set(size, same)
      return same.push(at) - 1
    })
    for (const [size, indices] of ofSize) this.#bySize.set(size, new ShortestFirst(indices))
  }

  add(at: number): void {
    this.#of(at).set(this.#rank[at], estimateOf(this.#jobs[at]))
  }

  /** Removes a job that starts. */
  remove(at: number): void {
    this.#of(at).set(this.#rank[at], Infinity)
    this.#next[at] = at + 1
  }

  /** Returns the first job behind a job that has not started; the number of all jobs if every later job has started. */
  after(job: number): number {
    const next = this.#next
    let at = job + 1
    while (next[at] !== at) {
      next[at] = next[next[at]]
      at = next[at]
    }
    return at
  }

  /**
   * Returns the first waiting job whose estimate is at most the bound of its size, or `none`.
   * @param bound returns the longest estimate of a size in ms; below 0 for no job of this size
   */
  firstUpTo(bound: (size: number) => number, none: number): number {
    let first = none
    for (const [size, jobs] of this.#bySize) {
      const longest = bound(size)
      if (longest >= 0) first = Math.min(first, jobs.firstUpTo(longest, none))
    }
    return first
  }

  #of(at: number): ShortestFirst {
    return this.#bySize.get(this.#jobs[at].size)!
  }
}

/** Estimates of the waiting jobs of a size, as a tree: each inner node has the least estimate below it. */
class ShortestFirst {
  readonly #indices: ReadonlyArray<number>
  readonly #least: Float64Array
  readonly #leaves: number

  constructor(indices: ReadonlyArray<number>) {
    this.#indices = indices
    this.#leaves = 2 ** Math.ceil(Math.log2(indices.length))
    this.#least = new Float64Array(2 * this.#leaves).fill(Infinity)
  }

  /** Sets the estimate of the job at a rank; Infinity if the job does not wait. */
  set(rank: number, estimate: number): void {
    const least = this.#least
    let at = this.#leaves + rank
    least[at] = estimate
    for (at >>= 1; at >= 1; at >>= 1) least[at] = Math.min(least[2 * at], least[2 * at + 1])
  }

  firstUpTo(longest: number, none: number): number {
    const least = this.#least
    // A job that does not wait has the estimate Infinity, which no bound allows.
    const bound = Math.min(longest, Number.MAX_VALUE)
    if (least[1] > bound) return none
    let at = 1
    while (at < this.#leaves) at = least[2 * at] <= bound ? 2 * at : 2 * at + 1
    return this.#indices[at - this.#leaves]
  }
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
