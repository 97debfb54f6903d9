import type { RunTimes } from '@cloister/kernel'
import { type Allocation, ClusterState, type Placer, type Request } from '@cloister/placement'
import { KeyedHeap, type Topology } from '@cloister/topology'
import type { Job, Workload } from '@cloister/workload'

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
    const request = requestOf(jobs[at], now)
    if (request.nodes > state.freeNodes) return false
    const placement = placer.place(state, request, undefined)
    if (!placement.ok) return false
    const taken = runTimes(state, request, placement, jobs[at].runTime)
    const communicates = request.communication !== undefined
    const allocation = { ...placement, job: request.job, communicates, estimatedEnd: now, startOrder: at }
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

function requestOf({ id, size, submit, communication }: Job, now: number): Request {
  return {
    purpose: 'start',
    job: id,
    nodes: size,
    now,
    submitted: submit,
    estimate: undefined,
    bandwidth: undefined,
    communication,
  }
}
