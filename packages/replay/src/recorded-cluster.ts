import {
  type Allocate,
  FoldError,
  type Header,
  headerTopology,
  type LogRecord,
  type LogState,
  milliseconds,
  type Release,
  resourcesOf,
  type Submit,
} from '@cloister/eventlog'
import { GuardedPolicy, jobOfRecord, OVERRUN_GRACE_MS } from '@cloister/kernel'
import { type Allocation, ClusterState, type Outcome, type Placer, type Request } from '@cloister/placement'

/**
 * Cluster after some records of a log, in the form that a policy sees. Any policy can be asked about this state. Links
 * are as in the log: all links are free if the log's policy allocates none.
 *
 * @example
 * const cluster = RecordedCluster.of(state, placer)
 * cluster.ask('17', 'start') // the policy's placement of job 17 in this state, or its refusal
 */
export class RecordedCluster<Index> {
  readonly state: ClusterState<Index>
  /** Time of the last record, or later by `moveTo`, in integer milliseconds. */
  now = 0
  readonly #policy: GuardedPolicy<Index>
  readonly #requests = new Map<string, Omit<Request, 'purpose' | 'now'>>()
  readonly #running = new Map<string, Allocation>()
  #started = 0

  /** @throws RangeError if only one of the log's policy and the asked policy caps links */
  constructor(header: Header, placer: Placer<Index>) {
    checkLinks(header, placer)
    const topology = headerTopology(header)
    this.#policy = new GuardedPolicy(topology, { policyName: 'that is asked', placer, refusals: false }, false)
    this.state = new ClusterState(topology, { index: this.#policy.index, linkCapacity: placer.linkCapacity ?? 0 })
  }

  /** Returns the cluster in a state of a log. Throws the errors of the constructor of RecordedCluster. */
  static of<Index>(state: LogState, placer: Placer<Index>): RecordedCluster<Index> {
    return new RecordedCluster(state.header, placer).#filled(state, true)
  }

  /** Returns the cluster in a state of a log, with all links free and up. Throws the errors of the constructor. */
  static withFreeLinks<Index>(state: LogState, placer: Placer<Index>): RecordedCluster<Index> {
    return new RecordedCluster(state.header, placer).#filled(state, false)
  }

  #filled(state: LogState, withLinks: boolean): this {
    for (const submit of state.waiting.values()) this.#submit(submit)
    for (const { submit, allocate } of state.running.values()) {
      this.#submit(submit)
      const { links: _, bandwidth: __, ...bare } = allocate
      this.apply(withLinks ? allocate : bare)
    }
    const links = withLinks ? state.downLinks.map((ids) => ids.ids()) : []
    this.state.fail({ nodes: state.downNodes.ids(), links })
    this.moveTo(state.t)
    return this
  }

  apply(record: LogRecord): void {
    if (record.type === 'header') return
    this.moveTo(record.t)
    switch (record.type) {
      case 'submit':
        return this.#submit(record)
      case 'allocate':
        return this.#allocate(record)
      case 'release':
        return this.#release(record)
      case 'down':
        return this.state.fail(resourcesOf(record))
      case 'up':
        return this.state.restore(resourcesOf(record))
    }
  }

  /** Moves the time of the cluster forward. @param t seconds, not before the last record */
  moveTo(t: number): void {
    this.now = milliseconds(t)
    const { running } = this.state
    // A job that runs after its estimated end gets a new estimate.
    while (running.length > 0 && running[0].estimatedEnd < this.now) {
      const changed = this.state.reestimate(running[0], this.now + OVERRUN_GRACE_MS)
      this.#running.set(changed.job, changed)
    }
  }

  /**
   * Returns the policy's answer about a job in a state: by default the present state, else a fork of the present state.
   *
   * @throws PolicyFaultError if the policy throws an error or gives no valid answer
   */
  ask(job: string, purpose: Request['purpose'], state: ClusterState<Index> = this.state): Outcome {
    return this.answer(this.request(job, purpose), state)
  }

  /** Returns the policy's answer to any request. Throws the errors of `ask`. */
  answer(request: Request, state: ClusterState<Index> = this.state): Outcome {
    return this.#policy.place(state, request)
  }

  /**
   * Returns true if idle nodes, or the policy's own bound `mostNodes`, rule out a further job of `nodes` nodes.
   *
   * @throws PolicyFaultError if the policy throws an error or gives no number
   */
  isTooFull(nodes: number): boolean {
    return this.#policy.isTooFull(this.state, nodes)
  }

  request(job: string, purpose: Request['purpose']): Request {
    return { ...this.#requests.get(job)!, purpose, now: this.now }
  }

  /** Estimated end, in integer ms, of a job that starts now, by its submit record; Infinity without an estimate. */
  estimatedEnd(job: string): number {
    return this.now + (this.#requests.get(job)!.estimate ?? Infinity)
  }

  #submit(record: Submit): void {
    const { id, size, submit: submitted, walltime: estimate, bandwidth, communication } = jobOfRecord(record)
    this.#requests.set(id, { job: id, nodes: size, submitted, estimate, bandwidth, communication })
  }

  #allocate(record: Allocate): void {
    const { job, ranks, bandwidth, estimate } = record
    const allocation: Allocation = {
      job,
      ...resourcesOf(record),
      communicates: this.#requests.get(job)!.communication !== undefined,
      estimatedEnd: estimate === undefined ? this.estimatedEnd(job) : this.now + milliseconds(estimate),
      startOrder: this.#started++,
      ...(ranks === undefined ? {} : { ranks }),
      ...(bandwidth === undefined ? {} : { bandwidth }),
    }
    this.state.apply(allocation)
    this.#running.set(job, allocation)
  }

  #release(record: Release): void {
    const allocation = this.#running.get(record.job)
    if (allocation === undefined) throw new FoldError(record, `job ${record.job} is not running`)
    this.state.release(allocation)
    this.#running.delete(record.job)
  }
}

/** @throws RangeError if only one of the log's policy and the asked policy caps links */
export function checkLinks<Index>({ policy }: Header, { claims }: Placer<Index>): void {
  const { links } = policy.claims
  if ((links === 'capped') === (claims.links === 'capped')) return
  throw new RangeError(
    `the log's policy claims the links ${links}, but the asked policy ${claims.links}; expected capped links in both or in neither`,
  )
}
