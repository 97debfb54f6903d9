import { type Allocation, ClusterState, type Placement, type Placer } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { Job } from '@cloister/workload'

/**
 * Which jobs pass a head that does not fit. Its reservation is for the instant at which enough nodes will be free by estimates, wherever
 * they are; where they are free now already, but not in one place, that is now, and nobody passes.
 *
 * - `nobody`: first come, first served
 * - `counts`: who ends before it, or leaves enough nodes for the head then, as in EASY on a machine without a network
 * - `ends before`: who ends before it
 * - `ends before, in order`: the same, and the first that may not pass ends the search
 */
export type Passing = 'nobody' | 'counts' | 'ends before' | 'ends before, in order'

/** Milliseconds. */
export interface MeanTimes {
  readonly wait: number
  readonly total: number
}

/** A machine of which only so many nodes are installed, and who places jobs on it. */
export interface Machine {
  readonly topology: Topology
  readonly placer: Placer
  readonly installed: number
}

/** Runs jobs, by submission, that the scheduler sees with their estimates; whoever outlives his runs on. */
export function runWeaker(machine: Machine, jobs: ReadonlyArray<Job>, passing: Passing): MeanTimes {
  const list = jobs.filter(({ size }) => size <= machine.installed)
  const queue = new WeakerQueue(machine, list, passing)
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

/** A job that runs. */
interface Running {
  readonly at: number
  readonly end: number
  readonly estimatedEnd: number
  readonly allocation: Allocation
}

class WeakerQueue {
  readonly #machine: Machine
  readonly #jobs: ReadonlyArray<Job>
  readonly #passing: Passing
  readonly #state: ClusterState
  /** By end, and by estimated end. */
  readonly #byEnd: Array<Running> = []
  readonly #byEstimate: Array<Running> = []
  #waiting: Array<number> = []
  /** Where the head is among those that wait: what is before it has started. */
  #head = 0
  /** Sizes that found no place since nodes were freed: they find none. */
  readonly #refused = new Set<number>()

  constructor(machine: Machine, jobs: ReadonlyArray<Job>, passing: Passing) {
    this.#machine = machine
    this.#jobs = jobs
    this.#passing = passing
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

  /** Starts whatever may start; which jobs that are. */
  pass(now: number): ReadonlyArray<number> {
    const started: Array<number> = []
    while (this.#head < this.#waiting.length && this.#start(this.#waiting[this.#head], now))
      started.push(this.#waiting[this.#head++])
    if (this.#passing === 'nobody' || this.#head + 1 >= this.#waiting.length) return started
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
    // Nobody ends before an instant that has come.
    if (reserved === now && this.#passing !== 'counts') return passed
    let spare = free - size
    for (let i = this.#head + 1; i < this.#waiting.length && this.#freeNodes > 0; i++) {
      const at = this.#waiting[i]
      const job = this.#jobs[at]
      const endsBefore = now + estimateOf(job) <= reserved
      const leavesEnough = this.#passing === 'counts' && job.size <= spare
      if ((endsBefore || leavesEnough) && this.#start(at, now)) {
        passed.add(at)
        if (!endsBefore) spare -= job.size
      } else if (this.#passing === 'ends before, in order') break
    }
    return passed
  }

  /** When enough nodes are free, and how many are then. */
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
    const placement = this.#place(job, now)
    if (placement === undefined) {
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

  #place({ id, size, submit }: Job, now: number): Placement | undefined {
    const asked = { purpose: 'start', job: id, nodes: size, now, submitted: submit } as const
    const unknown = { estimate: undefined, bandwidth: undefined, communication: undefined }
    const outcome = this.#machine.placer.place(this.#state, { ...asked, ...unknown }, undefined)
    return outcome.ok ? outcome : undefined
  }
}

/** Users' estimates; the run time where there is none. */
function estimateOf({ walltime, runTime }: Job): number {
  return walltime ?? runTime
}

/** Behind whatever has no larger key. */
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
