import { countingRecorder } from '@cloister/eventlog'
import { type RunTimes, simulate } from '@cloister/kernel'
import { type Allocation, ClusterState, type Placer, type Request } from '@cloister/placement'
import { KeyedHeap, type Topology } from '@cloister/topology'
import type { Workload } from '@cloister/workload'

/** Number of jobs behind the head that backfilling tries: Slurm's default. */
export const slurmWindow = 100

/** Returns the request for a job's start of an experiment that has no estimates and no bandwidths. */
export function startRequest(
  job: string,
  nodes: number,
  now: number = 0,
  submitted: number = now,
  communication?: Request['communication'],
): Request {
  return { purpose: 'start', job, nodes, now, submitted, estimate: undefined, bandwidth: undefined, communication }
}

/** Runs a workload under the kernel's EASY with Slurm's window. @param runTimes like for `runUnreserved` */
export function runReserved(
  topology: Topology,
  placer: Placer,
  workload: Workload,
  estimates: 'exact' | 'requested',
  runTimes: RunTimes,
): void {
  simulate({
    topology,
    policyName: '',
    placer,
    workload,
    queue: { order: 'submit', backfill: 'easy', window: slurmWindow },
    estimates,
    overrun: 'run-on',
    refusals: false,
    recorder: countingRecorder(),
    runTimes,
  })
}

/**
 * Runs a workload under a queue discipline without reservations. A scheduling pass starts jobs from the head of the
 * queue until a job does not fit, and then each job of the window that fits. Jobs larger than the machine never start.
 * The kernel's EASY starts jobs at the same times if all jobs outlive an estimate of a millisecond, but computes a
 * useless reservation in every scheduling pass.
 *
 * @param window number of jobs behind the head that a scheduling pass tries
 * @param runTimes returns the run time of a job; called once, at the job's start
 */
export function runUnreserved(
  topology: Topology,
  placer: Placer,
  { jobs }: Workload,
  window: number,
  runTimes: RunTimes,
): void {
  const state = new ClusterState(topology)
  const running = new Map<number, Allocation>()
  const ends = new KeyedHeap()
  let waiting: ReadonlyArray<number> = []
  let next = 0
  let now = 0

  const start = (at: number): boolean => {
    const { id, size, submit, runTime, communication } = jobs[at]
    if (size > state.freeNodes) return false
    const request = startRequest(id, size, now, submit, communication)
    const placement = placer.place(state, request, undefined)
    if (!placement.ok) return false
    const taken = runTimes(state, request, placement, runTime)
    const communicates = communication !== undefined
    const allocation = { ...placement, job: id, communicates, estimatedEnd: now, startOrder: at }
    state.apply(allocation)
    running.set(at, allocation)
    ends.push(now + taken, at)
    return true
  }
  const pass = (): void => {
    const head = waiting.findIndex((at) => !start(at))
    if (head === -1) {
      waiting = []
      return
    }
    const behind = waiting.slice(head + 1)
    waiting = [waiting[head], ...behind.slice(0, window).filter((at) => !start(at)), ...behind.slice(window)]
  }

  while (next < jobs.length || ends.first !== -1) {
    now = Math.min(ends.firstKey, jobs[next]?.submit ?? Infinity)
    while (ends.firstKey === now) release(ends.pop())
    for (; next < jobs.length && jobs[next].submit === now; next++)
      if (jobs[next].size <= topology.nodes) waiting = [...waiting, next]
    pass()
  }

  function release(at: number): void {
    state.release(running.get(at)!)
    running.delete(at)
  }
}
