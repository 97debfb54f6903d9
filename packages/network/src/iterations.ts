import { type FlowPath, type FlowPaths, FlowPathsBuilder, sharingComponents } from './flow-paths.ts'
import { MaxMinSharing } from './max-min.ts'

/**
 * Messages of one phase between members of a job. Message `m` goes from member `from[m]` to member `to[m]`. A message
 * between members on one node takes no time.
 */
export interface Messages {
  readonly from: ArrayLike<number>
  readonly to: ArrayLike<number>
  /** Size of each message, above 0, in the unit of capacity times the unit of time, such as GB for GB/s. */
  readonly size: ArrayLike<number>
  /** Number of parallel messages that each message stands for, above 0. Default: 1. */
  readonly weight?: ArrayLike<number>
}

/** Job whose members repeat the same phases of messages. */
export interface IteratingJob {
  /** Node of each member. */
  readonly nodes: ArrayLike<number>
  /** Messages of an iteration, in phases that follow each other. */
  readonly phases: ReadonlyArray<Messages>
  /** Number of measured iterations, after one iteration that is not measured. */
  readonly iterations: number
  /** Time that a member computes between two iterations. Default: 0. */
  readonly computing?: number
}

/** Paths between the nodes of a machine, and capacities of its links. */
export interface Network {
  readonly path: FlowPath
  readonly capacity: Float64Array
}

/**
 * Returns the mean iteration times of jobs that run at the same time. The model treats messages as flows and advances
 * event by event. A member enters the next phase when its own messages have arrived, without waiting for other members.
 * A message flows as soon as its sender and its receiver have reached the phase. All flowing messages share links
 * max-min fairly. Members whose messages arrive within one step continue at the end of the step, so rates change at
 * most once a step.
 *
 * The times of jobs that share no link, directly or through a chain of jobs, do not influence each other, to the last
 * bit.
 *
 * @param step length of a step in the unit of time; a smaller step is more exact and slower
 * @returns the mean iteration time of each job over its members and measured iterations; 0 for a job without messages
 *   between different nodes
 */
export function iterationTimes(network: Network, jobs: ReadonlyArray<IteratingJob>, step: number): Float64Array {
  const { paths, jobOfFlow } = flowsOf(network.path, jobs)
  const times = new Float64Array(jobs.length)
  for (const component of sharingComponents(paths, jobOfFlow, jobs.length)) {
    const found = new Iterations(
      network,
      component.map((job) => jobs[job]),
      step,
    ).run()
    component.forEach((job, at) => (times[job] = found[at]))
  }
  return times
}

function flowsOf(
  path: FlowPath,
  jobs: ReadonlyArray<IteratingJob>,
): { readonly paths: FlowPaths; readonly jobOfFlow: Int32Array } {
  const builder = new FlowPathsBuilder()
  const jobOfFlow: Array<number> = []
  jobs.forEach(({ nodes, phases }, job) => {
    for (const { from, to } of phases) {
      for (let message = 0; message < from.length; message++) {
        if (nodes[from[message]] === nodes[to[message]]) continue
        builder.add(path, nodes[from[message]], nodes[to[message]])
        jobOfFlow.push(job)
      }
    }
  })
  return { paths: builder.build(), jobOfFlow: Int32Array.from(jobOfFlow) }
}

/**
 * Run of jobs that share links. No job stops before the measured iterations of all jobs are over, so that all jobs are
 * measured under full traffic.
 */
class Iterations {
  readonly #jobs: ReadonlyArray<IteratingJob>
  readonly #step: number
  readonly #members: Members
  readonly #flows: Flows
  readonly #sharing: MaxMinSharing
  readonly #isFlowing: Uint8Array
  readonly #left: Float64Array
  readonly #end: Float64Array
  /** Number of the two members (sender, receiver) of a waiting flow that have reached the flow's phase: 0 or 1. */
  readonly #come: Uint8Array
  #now = 0

  constructor({ path, capacity }: Network, jobs: ReadonlyArray<IteratingJob>, step: number) {
    const { paths } = flowsOf(path, jobs)
    this.#jobs = jobs
    this.#step = step
    this.#members = membersOf(jobs)
    this.#flows = flowsBetween(jobs, this.#members, paths.flows)
    this.#sharing = new MaxMinSharing(paths, capacity, this.#flows.weight)
    this.#isFlowing = new Uint8Array(paths.flows)
    this.#left = new Float64Array(paths.flows)
    this.#end = new Float64Array(paths.flows).fill(Infinity)
    this.#come = new Uint8Array(paths.flows)
  }

  run(): ReadonlyArray<number> {
    const members = this.#members
    for (let member = 0; member < members.count; member++)
      if (this.#flows.ofMember[member].some((flows) => flows.length > 0)) {
        members.unfinished[members.job[member]]++
        this.#enter(member, 0)
      }
    while (members.unfinished.some((unfinished) => unfinished > 0)) {
      this.#share()
      this.#advance()
    }
    return this.#jobs.map((_, job) => (members.measured[job] === 0 ? 0 : members.time[job] / members.measured[job]))
  }

  /**
   * Moves a member to its next phase with messages, from `phase` on. If no such phase is left, the member's iteration
   * ends.
   */
  #enter(member: number, phase: number): void {
    const { phases, pending } = this.#members
    const count = this.#jobs[this.#members.job[member]].phases.length
    for (let at = phase; at < count; at++) {
      const flows = this.#flows.ofMember[member][at]
      if (flows.length === 0) continue
      phases[member] = at
      pending[member] = flows.length
      for (const flow of flows) if (++this.#come[flow] === 2) this.#start(flow)
      return
    }
    this.#endIteration(member)
  }

  #start(flow: number): void {
    this.#come[flow] = 0
    this.#isFlowing[flow] = 1
    this.#sharing.add(flow)
    this.#left[flow] = this.#flows.size[flow]
    this.#end[flow] = Infinity
  }

  #endIteration(member: number): void {
    const members = this.#members
    const job = members.job[member]
    const { iterations, computing = 0 } = this.#jobs[job]
    const done = ++members.done[member]
    if (done === 1) members.since[member] = this.#now
    if (done === 1 + iterations) {
      members.time[job] += (this.#now - members.since[member]) / iterations
      members.measured[job]++
      members.unfinished[job]--
    }
    if (computing > 0) members.awake[member] = this.#now + computing
    else this.#enter(member, 0)
  }

  #share(): void {
    this.#sharing.share()
    const { rates } = this.#sharing
    for (let flow = 0; flow < rates.length; flow++)
      if (this.#isFlowing[flow] === 1) this.#end[flow] = this.#now + this.#left[flow] / rates[flow]
  }

  /** Advances the time to the end of the step in which the next flow or computation ends. */
  #advance(): void {
    const { awake } = this.#members
    const before = this.#now
    this.#now = this.#step * (Math.floor(Math.min(least(this.#end), least(awake)) / this.#step) + 1)
    const { rates } = this.#sharing
    const ended: Array<number> = []
    for (let flow = 0; flow < rates.length; flow++) {
      if (this.#isFlowing[flow] === 0) continue
      if (this.#end[flow] <= this.#now) ended.push(flow)
      else this.#left[flow] -= rates[flow] * (this.#now - before)
    }
    for (const flow of ended) {
      this.#isFlowing[flow] = 0
      this.#sharing.remove(flow)
      this.#end[flow] = Infinity
    }
    const { from, to } = this.#flows
    for (const flow of ended) {
      this.#leave(from[flow])
      this.#leave(to[flow])
    }
    for (let member = 0; member < awake.length; member++)
      if (awake[member] <= this.#now) {
        awake[member] = Infinity
        this.#enter(member, 0)
      }
  }

  #leave(member: number): void {
    if (--this.#members.pending[member] === 0) this.#enter(member, this.#members.phases[member] + 1)
  }
}

type Members = ReturnType<typeof membersOf>

/** Returns the progress of the members of all jobs, numbered job by job. */
function membersOf(jobs: ReadonlyArray<IteratingJob>) {
  const first = [0]
  for (const { nodes } of jobs) first.push(first[first.length - 1] + nodes.length)
  const count = first[jobs.length]
  const job = new Int32Array(count)
  jobs.forEach((_, each) => job.fill(each, first[each], first[each + 1]))
  return {
    count,
    job,
    first,
    /** Current phase of each member, and number of the phase's messages that the member still sends or receives. */
    phases: new Int32Array(count),
    pending: new Int32Array(count),
    /** End of each member's computation; Infinity if the member does not compute now. */
    awake: new Float64Array(count).fill(Infinity),
    /** Number of finished iterations of each member, and end of its first iteration. */
    done: new Int32Array(count),
    since: new Float64Array(count),
    /**
     * Number of each job's members with unfinished measured iterations, number of members that finished these
     * iterations, and sum of the mean iteration times of the finished members.
     */
    unfinished: new Int32Array(jobs.length),
    measured: new Int32Array(jobs.length),
    time: new Float64Array(jobs.length),
  }
}

type Flows = ReturnType<typeof flowsBetween>

/** Returns the `count` messages between different nodes, of all jobs, in order of jobs and phases. */
function flowsBetween(jobs: ReadonlyArray<IteratingJob>, members: Members, count: number) {
  const flows = {
    size: new Float64Array(count),
    weight: new Float64Array(count).fill(1),
    /** Sender and receiver of each message, as indices of members. */
    from: new Int32Array(count),
    to: new Int32Array(count),
    /** Messages that each member sends or receives, by member and phase. */
    ofMember: Array.from({ length: members.count }, (_, member) =>
      jobs[members.job[member]].phases.map((): Array<number> => []),
    ),
  }
  let flow = 0
  jobs.forEach(({ nodes, phases }, job) => {
    phases.forEach(({ from, to, size, weight }, phase) => {
      for (let message = 0; message < from.length; message++) {
        if (nodes[from[message]] === nodes[to[message]]) continue
        flows.size[flow] = size[message]
        if (weight !== undefined) flows.weight[flow] = weight[message]
        flows.from[flow] = members.first[job] + from[message]
        flows.to[flow] = members.first[job] + to[message]
        flows.ofMember[flows.from[flow]][phase].push(flow)
        flows.ofMember[flows.to[flow]][phase].push(flow)
        flow++
      }
    })
  })
  return flows
}

function least(values: Float64Array): number {
  let found = Infinity
  for (const value of values) if (value < found) found = value
  return found
}
