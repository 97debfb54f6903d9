import type { ClusterState, Placement } from '@cloister/placement'
import type { Reservation } from './reservation.ts'

/**
 * Returns the earliest estimated end before `before` at which `ask` finds a placement, or undefined. All running jobs
 * that end by that instant are released before the question. A monotone policy is asked by galloping and bisection; a
 * policy without this claim is asked at each end in turn.
 */
export function findReservation<Index>(
  state: ClusterState<Index>,
  size: number,
  monotone: boolean,
  before: number,
  ask: (state: ClusterState<Index>, time: number) => Placement | undefined,
): Reservation | undefined {
  const groups = endGroups(state, before)
  const first = firstGroupWithNodes(state, groups, size)
  if (first === groups.length) return undefined
  const search = new EndSearch(state, groups, ask)
  // Usually no earlier start exists. One question about the latest state then suffices.
  if (monotone && before !== Infinity && !search.grants(groups.length - 1)) return search.result()
  let low = first - 1
  for (let step = 1, at = first; low + 1 < search.granted; at = Math.min(low + step, search.granted - 1)) {
    if (search.grants(at)) break
    low = at
    if (monotone) step *= 2
  }
  while (low + 1 < search.granted) {
    const middle = (low + search.granted) >>> 1
    if (!search.grants(middle)) low = middle
  }
  return search.result()
}

/**
 * Asks for a placement after the first groups of running jobs have ended. Keeps the earliest placement that was found.
 */
class EndSearch<Index> {
  granted: number
  #placement: Placement | undefined
  readonly #state: ClusterState<Index>
  readonly #groups: ReadonlyArray<number>
  readonly #ask: (state: ClusterState<Index>, time: number) => Placement | undefined
  /** Latest refused state, from which later states are forked. */
  #base: ClusterState<Index>
  #released = 0

  constructor(
    state: ClusterState<Index>,
    groups: ReadonlyArray<number>,
    ask: (state: ClusterState<Index>, time: number) => Placement | undefined,
  ) {
    this.#state = state
    this.#groups = groups
    this.#ask = ask
    this.granted = groups.length
    this.#base = state.fork()
  }

  /**
   * Tests whether `ask` finds a placement after a group has ended. Refused groups must ascend, and granted groups
   * descend.
   */
  grants(group: number): boolean {
    const probe = this.#base.fork()
    probe.releaseFirst(this.#groups[group] - this.#released)
    const placement = this.#ask(probe, this.#timeOf(group))
    if (placement === undefined) {
      this.#base.drop()
      this.#base = probe
      this.#released = this.#groups[group]!
      return false
    }
    probe.drop()
    this.#placement = placement
    this.granted = group
    return true
  }

  /** Ends the search and returns its result. */
  result(): Reservation | undefined {
    this.#base.drop()
    if (this.#placement === undefined) return undefined
    return { start: this.#timeOf(this.granted), placement: this.#placement }
  }

  #timeOf(group: number): number {
    return this.#state.running[this.#groups[group] - 1].estimatedEnd
  }
}

/** Returns, for each distinct estimated end before `before`, the number of running jobs that end by then. */
function endGroups<Index>({ running }: ClusterState<Index>, before: number): Array<number> {
  const groups: Array<number> = []
  for (let i = 0; i < running.length && running[i].estimatedEnd < before; i++) {
    if (i + 1 === running.length || running[i + 1].estimatedEnd !== running[i].estimatedEnd) groups.push(i + 1)
  }
  return groups
}

/** Returns the first group after whose end the free nodes suffice; `groups.length` if no group suffices. */
function firstGroupWithNodes<Index>(state: ClusterState<Index>, groups: ReadonlyArray<number>, size: number): number {
  let free = state.freeNodes
  let job = 0
  for (let group = 0; group < groups.length; group++) {
    for (; job < groups[group]; job++) free += state.running[job].nodes.length
    if (free >= size) return group
  }
  return groups.length
}
