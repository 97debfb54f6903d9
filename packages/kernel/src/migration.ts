import type { MigrationRules } from '@cloister/eventlog'
import type { Allocation, ClusterState, Placement } from '@cloister/placement'
import { KnownRefusals, type Questions } from './questions.ts'
import type { Requests } from './requests.ts'
import { areSamePlacement } from './reservation.ts'
import { OVERRUN_GRACE_MS } from './running-jobs.ts'

/** Start of a job on nodes and links that running jobs leave. */
export interface StartByMoves {
  readonly placement: Placement
  /** Moving jobs, in the order of their new placements. */
  readonly moves: ReadonlyArray<Move>
}

/** New placement of a running job (by number). */
export interface Move {
  readonly job: number
  readonly placement: Placement
  /** Time until the expected end of the job, integer milliseconds: the time before the move, and the cost of the move. */
  readonly estimate: number
}

/** Conditions of a start by moves. */
export interface MoveConditions<Index> {
  /** Returns true if a running job may move. */
  readonly mayMove: (allocation: Allocation) => boolean
  /** Returns true if the moves may be made. `state` is the state after the moves and the start. */
  readonly isAllowed: (state: ClusterState<Index>) => boolean
}

/** Part of the scheduler that a search for moves needs. */
interface SearchedScheduler<Index> {
  readonly state: ClusterState<Index>
  readonly now: number
  readonly questions: Pick<Questions<Index>, 'placeIn'>
  readonly requests: Pick<Requests, 'sizeOf' | 'estimateOf'>
  jobOf(allocation: Allocation): number
  tryOut(fork: ClusterState<Index>, job: number, placement: Placement, estimate: number): void
}

/** Most sets of each size that are tried for one start. More sets find more starts, and take longer. */
const TRIES = 64

/**
 * Finds running jobs that move for the start of a waiting job. A set of jobs serves if, without the set, the policy
 * places the waiting job, and then each job of the set on other nodes or links. Sets of one job come first, and jobs of
 * few nodes before larger jobs, because a move costs its time on every node of the job.
 */
export class Migration<Index> {
  readonly #scheduler: SearchedScheduler<Index>
  readonly #rules: MigrationRules
  /** Sizes of the jobs for which no set was found since the last release. */
  readonly #inVain = new KnownRefusals()

  constructor(scheduler: SearchedScheduler<Index>, rules: MigrationRules) {
    this.#scheduler = scheduler
    this.#rules = rules
  }

  /** Time that a move adds to the moved job, integer milliseconds. */
  get cost(): number {
    return this.#rules.cost
  }

  onRelease(): void {
    this.#inVain.forget()
  }

  /** Returns a start of a job that cannot start without moves; undefined if no set of running jobs was found. */
  find(job: number, conditions?: MoveConditions<Index>): StartByMoves | undefined {
    const { state, requests } = this.#scheduler
    const size = requests.sizeOf(job)
    if (size > state.freeNodes || this.#inVain.has(size)) return undefined
    const candidates = this.#candidates(conditions)
    for (let members = 1; members <= this.#rules.limit; members++) {
      let tries = 0
      for (const set of subsets(candidates, members)) {
        if (tries++ === TRIES) break
        const found = this.#without(job, set, conditions)
        if (found !== undefined) return found
      }
    }
    this.#inVain.add(size)
    return undefined
  }

  /** A job near its end or past its estimate does not move: the start can wait for the end of the job. */
  #candidates(conditions: MoveConditions<Index> | undefined): ReadonlyArray<Allocation> {
    const { state, now } = this.#scheduler
    const soon = now + Math.max(this.#rules.cost, OVERRUN_GRACE_MS)
    return state.running
      .filter((allocation) => allocation.estimatedEnd > soon && conditions?.mayMove(allocation) !== false)
      .sort((a, b) => a.nodes.length - b.nodes.length || b.estimatedEnd - a.estimatedEnd || a.startOrder - b.startOrder)
  }

  /** The largest job of the set gets its new nodes and links first. */
  #without(
    job: number,
    set: ReadonlyArray<Allocation>,
    conditions: MoveConditions<Index> | undefined,
  ): StartByMoves | undefined {
    const { questions, requests, state } = this.#scheduler
    const fork = state.fork()
    try {
      for (const allocation of set) fork.release(allocation)
      const placement = questions.placeIn(fork, job, requests.estimateOf(job))
      if (placement === undefined) return undefined
      this.#scheduler.tryOut(fork, job, placement, requests.estimateOf(job))
      const moves: Array<Move> = []
      for (const allocation of set.toReversed()) {
        const move = this.#again(fork, allocation)
        if (move === undefined) return undefined
        moves.push(move)
      }
      return conditions?.isAllowed(fork) === false ? undefined : { placement, moves }
    } finally {
      fork.drop()
    }
  }

  #again(fork: ClusterState<Index>, allocation: Allocation): Move | undefined {
    const scheduler = this.#scheduler
    const job = scheduler.jobOf(allocation)
    const estimate = allocation.estimatedEnd - scheduler.now + this.#rules.cost
    const placement = scheduler.questions.placeIn(fork, job, estimate)
    if (placement === undefined || areSamePlacement(placement, allocation)) return undefined
    scheduler.tryOut(fork, job, placement, estimate)
    return { job, placement, estimate }
  }
}

/** Yields the subsets of a size, in the order of their last members, and then of their other members. */
function* subsets<Of>(of: ReadonlyArray<Of>, size: number, until: number = of.length): Generator<ReadonlyArray<Of>> {
  if (size === 0) return yield []
  for (let last = size - 1; last < until; last++)
    for (const rest of subsets(of, size - 1, last)) yield [...rest, of[last]]
}
