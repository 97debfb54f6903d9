import {
  type Allocate,
  FoldError,
  headerTopology,
  type Header,
  type LogRecord,
  type LogState,
  resourcesOf,
  type Release,
  type Reserve,
  type Submit,
  milliseconds,
} from '@cloister/eventlog'
import { OVERRUN_GRACE_MS, placementBeside, PolicyCalls, type Reservation, type RunTimes } from '@cloister/kernel'
import {
  type Allocation,
  ClusterState,
  type Outcome,
  type Placement,
  type Placer,
  type Request,
} from '@cloister/placement'
import { jobOf } from './recorded-inputs.ts'

/**
 * The cluster as a log left it after some of its records, in the form in which a policy sees it: so that a policy, that
 * of the run or another, can be asked what it would do there. Links are as the log has them: under a policy that owns none all are free.
 *
 * @example
 * const cluster = RecordedCluster.of(state, placer)
 * cluster.ask('17', 'start') // where the policy would start job 17 there, or why it would not
 */
export class RecordedCluster<Index> {
  readonly state: ClusterState<Index>
  /** Of the last record, integer milliseconds. */
  now = 0
  readonly #policy: PolicyCalls<Index>
  readonly #links: Placer<Index>['claims']['links']
  /** Where the scheduler's estimates depended on the placement. */
  readonly #runTimes: RunTimes | undefined
  readonly #requests = new Map<string, Omit<Request, 'purpose' | 'now'>>()
  readonly #running = new Map<string, Allocation>()
  #started = 0

  /**
   * @param runTimes what the header's `run_times` names; without it estimates that are not recorded are those of jobs by themselves
   * @param most how often the policy is asked; default: as often as anybody asks it
   * @throws RangeError where only one of log and policy shares links
   */
  constructor(header: Header, placer: Placer<Index>, runTimes?: RunTimes, most: number = Infinity) {
    const { links } = header.policy.claims
    if ((links === 'capped') !== (placer.claims.links === 'capped')) {
      throw new RangeError(
        `the log's policy has its links ${links}, the one to be asked ${placer.claims.links}: what is free for the one means nothing to the other`,
      )
    }
    this.#links = placer.claims.links
    this.#policy = new PolicyCalls(
      { policyName: 'that is asked', placer, refusals: false, mostQuestions: most },
      runTimes !== undefined,
    )
    this.#runTimes = header.estimates === 'exact' ? runTimes : undefined
    this.state = new ClusterState(headerTopology(header), {
      index: this.#policy.index,
      linkCapacity: placer.linkCapacity ?? 0,
    })
  }

  /** The cluster of a state that was found in a log. @throws RangeError as the constructor */
  static of<Index>(state: LogState, placer: Placer<Index>, runTimes?: RunTimes, most?: number): RecordedCluster<Index> {
    return new RecordedCluster(state.header, placer, runTimes, most).#filled(state, true)
  }

  /** The same, but nobody holds a link and none is down: what is refused there too is no matter of links. @throws RangeError as the constructor */
  static withFreeLinks<Index>(state: LogState, placer: Placer<Index>, runTimes?: RunTimes): RecordedCluster<Index> {
    return new RecordedCluster(state.header, placer, runTimes).#filled(state, false)
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

  /** @param record the next one; the header and seals change nothing */
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

  /** @param t seconds, not before the last record */
  moveTo(t: number): void {
    this.now = milliseconds(t)
    const { running } = this.state
    // A job that should have ended before has not: it runs past its estimate.
    while (running.length > 0 && running[0].estimatedEnd < this.now) {
      const changed = this.state.reestimate(running[0], this.now + OVERRUN_GRACE_MS)
      this.#running.set(changed.job, changed)
    }
  }

  /**
   * What the policy answers here.
   *
   * @param state that of the cluster, or a fork of it
   * @throws PolicyFaultError where it fails: throws, or says what is no answer
   * @throws TooManyQuestionsError
   */
  ask(job: string, purpose: Request['purpose'], state: ClusterState<Index> = this.state): Outcome {
    return this.answer(this.request(job, purpose), state)
  }

  /**
   * What the policy answers to any request.
   *
   * @throws PolicyFaultError as `ask`
   */
  answer(request: Request, state: ClusterState<Index> = this.state): Outcome {
    return this.#policy.place(state, request)
  }

  /** The question about a waiting job. */
  request(job: string, purpose: Request['purpose']): Request {
    return { ...this.#requests.get(job)!, purpose, now: this.now }
  }

  /** When the job would end by estimate if it started now on a placement, integer milliseconds. */
  estimatedEndOn(job: string, placement: Placement): number {
    const { estimate = Infinity } = this.#requests.get(job)!
    return this.now + (this.#runTimes?.(this.state, this.request(job, 'start'), placement, estimate) ?? estimate)
  }

  /** Whether the estimate may be another on each placement. */
  get estimatesVary(): boolean {
    return this.#runTimes !== undefined
  }

  /** When the job would end by its own estimate if it started now, integer milliseconds. */
  estimatedEnd(job: string): number {
    return this.now + (this.#requests.get(job)!.estimate ?? Infinity)
  }

  /** Whether the job of a reservation can still be placed at its time, anywhere, if another one is running on this placement then. */
  makesWay(job: string, placement: Placement, reserve: Reserve): boolean {
    const reservation = reservationOf(reserve)
    const expected = this.state.fork()
    expected.releaseUntil(reservation.start)
    const other: Allocation = {
      job,
      nodes: placement.nodes,
      links: placement.links,
      communicates: this.#requests.get(job)!.communication !== undefined,
      estimatedEnd: this.estimatedEndOn(job, placement),
      startOrder: this.#started,
      ...(placement.bandwidth === undefined ? {} : { bandwidth: placement.bandwidth }),
    }
    const found = placementBeside(expected, reservation, other, this.#links, (later) => {
      const what = { ...this.request(reserve.job, 'reserve'), decidedAt: this.now, startsAt: reservation.start }
      const outcome = this.answer(what, later)
      return outcome.ok ? outcome : undefined
    })
    expected.drop()
    return found !== undefined
  }

  #submit(record: Submit): void {
    const { id, size, submit: submitted, walltime: estimate, bandwidth, communication } = jobOf(record)
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

/** A reservation as the kernel has it. */
export function reservationOf({ start, bandwidth, ...reserve }: Reserve): Reservation {
  const resources = resourcesOf(reserve)
  return {
    start: milliseconds(start),
    placement: { ok: true, ...resources, ...(bandwidth === undefined ? {} : { bandwidth }) },
  }
}
