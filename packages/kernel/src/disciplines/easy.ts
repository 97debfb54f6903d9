import type { BoundOrder } from '@cloister/ordering'
import type { Allocation, Claims, ClusterState, Placement } from '@cloister/placement'
import type { RecordedReservation } from '../reservation.ts'
import type { Scheduler } from '../scheduler.ts'
import { type EasyBackfill, leastMovingSize } from '../scheduling-rules.ts'
import { windowOrderOf } from '../window-order.ts'
import type { Discipline } from './discipline.ts'
import { HeadReservation, type Way } from './head-reservation.ts'

/**
 * EASY backfilling (Skovira et al. 1996): only the head has a reservation. Each of the `window` jobs behind the head
 * starts if it ends by the head's shadow time, or if it leaves the head a placement at the shadow time. If the
 * reservation is movable, the head may get any placement at the shadow time. If the reservation is fixed, the head
 * needs the reserved placement.
 */
export class Easy<Index> implements Discipline {
  readonly #scheduler: Scheduler<Index>
  readonly #isMonotone: boolean
  readonly #options: EasyBackfill
  readonly #preempts: boolean
  readonly #leastMovingSize: number
  readonly #reservation: HeadReservation<Index>
  /** Returns the jobs of the window in the order of their tries; undefined if that is the queue order. */
  readonly #behindHead: ((first: ReadonlyArray<number>) => ReadonlyArray<number>) | undefined
  /** Jobs that waited ahead of each backfilled running job when it started; empty unless the option `kill` is set. */
  readonly #passed = new Map<Allocation, ReadonlyArray<number>>()
  /** The head and the jobs of the window, in queue order. */
  readonly #first: Array<number> = []

  constructor(scheduler: Scheduler<Index>, claims: Claims, options: EasyBackfill, order: BoundOrder | undefined) {
    this.#scheduler = scheduler
    this.#isMonotone = claims.monotone
    this.#options = options
    this.#behindHead = windowOrderOf(scheduler, options, order)
    this.#preempts = options.kill === true
    this.#leastMovingSize = leastMovingSize(options)
    this.#reservation = new HeadReservation(scheduler, claims, options)
  }

  /** Shadow time with the option `kill`; Infinity without, because then only an event can change the decisions. */
  get wakeTime(): number {
    if (!this.#preempts) return Infinity
    const start = this.#reservation.current?.start ?? Infinity
    return start > this.#scheduler.now ? start : Infinity
  }
  get wakeCause(): number {
    return this.#reservation.current?.seq ?? 0
  }

  placementNow(job: number): Placement | undefined {
    if (job !== this.#scheduler.waiting.head) return this.#findBehindHead(job)?.placement
    return this.#scheduler.questions.placeNow(job) ?? this.#reservation.reservedPlacement(job)
  }

  endPass(): void {
    /* Reservations of the log stand until the log withdraws them. */
  }

  adopt(reservation: RecordedReservation): void {
    if (reservation.job === this.#scheduler.waiting.head) this.#reservation.set(reservation)
  }
  drop(job: number): void {
    if (this.#reservation.current?.job === job) this.#reservation.set(undefined)
  }

  pass(): void {
    let head = this.#startFromHead()
    if (this.#preempts && head !== undefined && this.#preemptBackfilled(head)) head = this.#startFromHead(head)
    if (head === undefined) return
    this.#reservation.update(head)
    this.#backfill()
  }

  onStart(allocation: Allocation): void {
    this.#reservation.onStart(allocation)
  }

  onRelease(allocation: Allocation): void {
    this.#passed.delete(allocation)
    this.#reservation.onRelease(allocation)
  }

  onOverrun(allocation: Allocation, extended: Allocation): void {
    const passed = this.#passed.get(allocation)
    if (passed !== undefined) this.#passed.set(extended, passed).delete(allocation)
    this.#reservation.onOverrun(allocation, extended)
  }

  onCancel(): void {
    /* The next pass sees that the cancelled job with the reservation has left the queue. */
  }

  onOutage(change: 'down' | 'up'): void {
    this.#reservation.onOutage(change)
  }

  /** @param first job to start first: a job that was killed for the reservation may have become the head of the queue */
  #startFromHead(first?: number): number | undefined {
    const { started } = this.#scheduler
    const head = this.#scheduler.startFromHead((job) => this.#reservation.reservedPlacement(job), first)
    const { isPassOver, waiting } = this.#scheduler
    this.#reservation.afterStarts(isPassOver ? waiting.head : head, this.#scheduler.started > started)
    return head
  }

  /**
   * Kills the jobs that started ahead of the head and hold reserved nodes or links at the shadow time, latest started
   * first. Kills no job if the reserved placement would still not be free. Returns true if a job was killed.
   */
  #preemptBackfilled(head: number): boolean {
    if (!this.#reservation.isDue(head)) return false
    const { state } = this.#scheduler
    const { placement, seq } = this.#reservation.current!
    const victims = preemptible(state, placement, (allocation) => this.#passed.get(allocation)?.includes(head))
    for (const allocation of victims.sort((a, b) => b.startOrder - a.startOrder)) {
      // If jobs share links, the kills so far may already have freed enough bandwidth.
      if (isInTheWay(state, allocation, placement))
        this.#scheduler.kill(this.#scheduler.jobOf(allocation), 'reservation', seq)
    }
    return victims.length > 0
  }

  #backfill(): void {
    const { waiting, questions } = this.#scheduler
    const first = this.#first
    waiting.first(this.#options.window + 1, first)
    if (this.#behindHead !== undefined) {
      for (const job of this.#behindHead(first)) {
        this.#startBehindHead(job)
        if (this.#scheduler.isPassOver) return
      }
      return
    }
    // This loop runs in every scheduling pass. `cannotStart` skips the many jobs that the policy is known to refuse.
    const mayMove = this.#scheduler.migration !== undefined
    let { started } = this.#scheduler
    let most = questions.mostNodesNow()
    for (let at = 1; at < first.length && !this.#scheduler.isPassOver; at++) {
      if (!mayMove && questions.cannotStart(first[at], most)) continue
      this.#startBehindHead(first[at])
      if (started === this.#scheduler.started) continue
      started = this.#scheduler.started
      most = questions.mostNodesNow()
    }
  }

  #startBehindHead(job: number): void {
    const found = this.#findBehindHead(job)
    if (found === undefined) return this.#startByMoves(job)
    if (found.moved !== undefined) this.#reservation.move(found.moved)
    const allocation = this.#scheduler.start(job, found.placement, this.#reservation.current?.seq)
    // The queue order may change while the job runs, so only the order at the start tells whom the job has passed.
    if (this.#preempts) this.#passed.set(allocation, this.#waitingBefore(job))
  }

  #waitingBefore(job: number): ReadonlyArray<number> {
    return this.#first.slice(0, this.#first.indexOf(job)).filter((other) => this.#scheduler.waiting.has(other))
  }

  /** Moves only jobs that run beyond the shadow time: a job that ends before would be late for the head. */
  #startByMoves(job: number): void {
    const { current } = this.#reservation
    const mayMove = this.#scheduler.requests.sizeOf(job) >= this.#leastMovingSize
    let way: Way | undefined
    this.#scheduler.startByMoves(
      job,
      {
        mayMove: ({ estimatedEnd }) => current === undefined || estimatedEnd > current.start,
        isAllowed: (state) => (way = this.#reservation.wayIn(state, mayMove)) !== undefined,
      },
      () => {
        if (way?.moved !== undefined) this.#reservation.move(way.moved)
        return this.#reservation.current?.seq
      },
    )
  }

  /** The placement may have reserved nodes only if the job ends by the shadow time or the reservation can move. */
  #findBehindHead(job: number): BehindHead | undefined {
    const { now, requests, questions, state } = this.#scheduler
    const shadow = this.#reservation.current?.start ?? Infinity
    const varies = requests.estimatesVary
    const isLong = !varies && now + requests.estimateOf(job) > shadow
    const mayMove = requests.sizeOf(job) >= this.#leastMovingSize
    if (isLong && !mayMove) return this.#besideReserved(job)
    if (isLong && (this.#reservation.isKnownToDelay(job) || this.#reservation.excludes(job))) return undefined
    const placement = questions.placeNow(job)
    // A monotone policy that refuses the job with all free nodes also refuses the job without the reserved nodes.
    if (placement === undefined) return this.#isMonotone ? undefined : this.#besideReserved(job)
    const end = varies ? now + requests.estimateOn(job, state, placement) : now + requests.estimateOf(job)
    if (end <= shadow) return { placement, moved: undefined }
    const way = mayMove ? this.#reservation.wayFor(job, placement) : undefined
    if (way !== undefined) return { placement, moved: way.moved }
    const beside = this.#besideReserved(job)
    if (beside === undefined && isLong) this.#reservation.addDelaying(job)
    return beside
  }

  #besideReserved(job: number): BehindHead | undefined {
    const placement = this.#reservation.tryBackfill(job)
    return placement && { placement, moved: undefined }
  }
}

/** Placement of a job behind the head, with the move of the reservation that the placement needs. */
interface BehindHead extends Way {
  readonly placement: Placement
}

/**
 * Returns the jobs on nodes or links of a placement that may be killed; none if their ends would not free the
 * placement.
 *
 * @param mayEnd returns true if a job may be killed
 */
function preemptible<Index>(
  state: ClusterState<Index>,
  placement: Placement,
  mayEnd: (allocation: Allocation) => boolean | undefined,
): Array<Allocation> {
  const inTheWay = state.running.filter((allocation) => mayEnd(allocation) && isInTheWay(state, allocation, placement))
  if (inTheWay.length === 0) return []
  const fork = state.fork()
  for (const allocation of inTheWay) fork.release(allocation)
  const isEnough = fork.isFree(placement, placement.bandwidth)
  fork.drop()
  return isEnough ? inTheWay : []
}

/** Returns true if a job holds a node, a link or scarce shared bandwidth that a placement needs. */
function isInTheWay<Index>(state: ClusterState<Index>, allocation: Allocation, placement: Placement): boolean {
  const links = placement.links.map((ids, level) => inCommon(ids, allocation.links[level] ?? []))
  return !state.isFree({ nodes: inCommon(placement.nodes, allocation.nodes), links }, placement.bandwidth)
}

function inCommon(ids: ArrayLike<number>, others: ArrayLike<number>): ReadonlyArray<number> {
  const known = new Set(Array.from(others))
  return Array.from(ids).filter((id) => known.has(id))
}
