import { type Allocation, ClusterState, type Placer } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { Job } from '@cloister/workload'
import { startRequest } from '../experiment/own-queues.ts'

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
export function runWeaker(machine: Machine, jobs: ReadonlyArray<Job>, rule: Backfilling): MeanTimes {
  const list = jobs.filter(({ size }) => size <= machine.installed)
  const queue = new WeakerQueue(machine, list, rule)
  let [next, wait, total] = [0, 0, 0]
  while (next < list.length || queue.nextEnd < Infinity) {
    const now = Math.min(queue.nextEnd, list[next]?.submit ?? Infinity)
    queue.end(now)
    while (next < list.length && list[next].submit === now) queue.submit(next++)
    for (const at of queue.pass(now)) {
      wait += now - list[at].submit
      total += now - list[at].submit + list[at].runTime
    }
  }
  return { wait: wait / list.length, total: total / list.length }
}

/** Running job: index in the list of jobs, end and estimated end in ms, and allocation. */
interface Running {
  readonly at: number
  readonly end: number
  readonly estimatedEnd: number
  readonly allocation: Allocation
}

class WeakerQueue {
  readonly #machine: Machine
  readonly #jobs: ReadonlyArray<Job>
  readonly #rule: Backfilling
  readonly #state: ClusterState
  /** Running jobs in the order of their ends; `#byEstimate`: the same jobs by estimated ends. */
  readonly #byEnd: Array<Running> = []
  readonly #byEstimate: Array<Running> = []
  #waiting: Array<number> = []
  /** Index of the head in `#waiting`. All jobs before the head have started. */
  #head = 0
  /** Sizes for which the placer found no place since the last end of a job, so that a new search would find none. */
  readonly #refused = new Set<number>()

  constructor(machine: Machine, jobs: ReadonlyArray<Job>, rule: Backfilling) {
    this.#machine = machine
    this.#jobs = jobs
    this.#rule = rule
    this.#state = new ClusterState(machine.topology)
  }

  get nextEnd(): number {
    return this.#byEnd[0]?.end ?? Infinity
  }

  submit(at: number): void {
    this.#waiting.push(at)
  }

  end(now: number): void {
    while (this.nextEnd === now) {
      const ended = this.#byEnd.shift()!
      this.#byEstimate.splice(this.#byEstimate.indexOf(ended), 1)
      this.#state.release(ended.allocation)
      this.#refused.clear()
    }
  }

  /** Starts all jobs that may start, and returns the indices of the started jobs in the list of jobs. */
  pass(now: number): ReadonlyArray<number> {
    const started: Array<number> = []
    while (this.#head < this.#waiting.length && this.#start(this.#waiting[this.#head], now))
      started.push(this.#waiting[this.#head++])
    if (this.#rule === 'nobody' || this.#head + 1 >= this.#waiting.length) return started
    const passed = this.#backfill(now)
    if (passed.size > 0) {
      this.#waiting = this.#waiting.filter((at, index) => index >= this.#head && !passed.has(at))
      this.#head = 0
    }
    return [...started, ...passed]
  }

  #backfill(now: number): ReadonlySet<number> {
    const passed = new Set<number>()
    const { size } = this.#jobs[this.#waiting[this.#head]]
    const { at: reserved, free } = this.#reservation(size, now)
    // If the reservation begins at the present, no job ends before it.
    if (reserved === now && this.#rule !== 'counts') return passed
    let spare = free - size
    for (let i = this.#head + 1; i < this.#waiting.length && this.#freeNodes > 0; i++) {
      const at = this.#waiting[i]
      const job = this.#jobs[at]
      const endsBefore = now + estimateOf(job) <= reserved
      const leavesEnough = this.#rule === 'counts' && job.size <= spare
      if ((endsBefore || leavesEnough) && this.#start(at, now)) {
        passed.add(at)
        if (!endsBefore) spare -= job.size
      } else if (this.#rule === 'ends before, in order') break
    }
    return passed
  }

  /** Returns the instant at which, by estimates, the head has enough free nodes, and the number of free nodes then. */
  #reservation(size: number, now: number): { readonly at: number; readonly free: number } {
    let free = this.#freeNodes
    let at = now
    for (const { estimatedEnd, allocation } of this.#byEstimate) {
      const expected = Math.max(estimatedEnd, now + 1000)
      if (free >= size && expected > at) break
      at = expected
      free += allocation.nodes.length
    }
    return { at, free }
  }

  get #freeNodes(): number {
    return this.#state.freeNodes - (this.#machine.topology.nodes - this.#machine.installed)
  }

  #start(at: number, now: number): boolean {
    const job = this.#jobs[at]
    if (job.size > this.#freeNodes || this.#refused.has(job.size)) return false
    const placement = this.#machine.placer.place(
      this.#state,
      startRequest(job.id, job.size, now, job.submit),
      undefined,
    )
    if (!placement.ok) {
      this.#refused.add(job.size)
      return false
    }
    const allocation = { ...placement, job: job.id, estimatedEnd: now, startOrder: at }
    this.#state.apply(allocation)
    const running = { at, end: now + job.runTime, estimatedEnd: now + estimateOf(job), allocation }
    insert(this.#byEnd, running, ({ end }) => end)
    insert(this.#byEstimate, running, ({ estimatedEnd }) => estimatedEnd)
    return true
  }
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
