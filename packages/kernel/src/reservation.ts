import { milliseconds, type Reserve, resourcesOf } from '@cloister/eventlog'
import type { Allocation, Claims, ClusterState, MaskedResources, Placement } from '@cloister/placement'

/** Planned start of a waiting job. */
export interface Reservation {
  /** Planned time of the start, integer milliseconds. */
  readonly start: number
  readonly placement: Placement
}

/** Reservation with the state expected at its time. The caller gives the state, a fork, back with `drop()`. */
export interface FoundReservation<Index> extends Reservation {
  readonly expected: ClusterState<Index>
}

export interface RecordedReservation extends Reservation {
  readonly job: number
  readonly seq: number
}

/** Returns the reservation that a reserve record describes. */
export function reservationOf({ start, bandwidth, ...reserve }: Reserve): Reservation {
  const resources = resourcesOf(reserve)
  return {
    start: milliseconds(start),
    placement: { ok: true, ...resources, ...(bandwidth === undefined ? {} : { bandwidth }) },
  }
}

/**
 * Returns a fork of the state without the reserved nodes and links, for jobs that will still run at the shadow time.
 * The caller gives the fork back with `drop()`.
 */
export function stateWithReservation<Index>(
  state: ClusterState<Index>,
  { start, placement }: Reservation,
): ClusterState<Index> {
  const fork = state.fork()
  if (placement.bandwidth === undefined) fork.withhold(placement)
  else {
    const later = state.fork()
    later.releaseUntil(start)
    fork.withholdReservation(placement, placement.bandwidth, later)
    later.drop()
  }
  return fork
}

/**
 * Returns a placement for the head at its shadow time beside a second job: the reserved one if it stays free, or the
 * answer of `ask`.
 *
 * @param expected the state at the shadow time, without the second job; restored before the function returns
 * @param links the policy's claim. Under `rule`, a job may disturb the head on any links, so `ask` always decides
 */
export function placementBeside<Index>(
  expected: ClusterState<Index>,
  { placement }: Reservation,
  other: Allocation,
  links: Claims['links'],
  ask: (expected: ClusterState<Index>) => Placement | undefined,
): Placement | undefined {
  expected.apply(other)
  const isUntouched = links !== 'rule' && expected.isFree(placement, placement.bandwidth)
  const found = isUntouched ? placement : ask(expected)
  expected.release(other)
  return found
}

export function areSamePlacement(
  a: Pick<Placement, 'nodes' | 'links' | 'masks'>,
  b: Pick<Placement, 'nodes' | 'links' | 'masks'>,
): boolean {
  if (a === b) return true
  if (a.masks !== undefined && b.masks !== undefined) return areSameMasks(a.masks, b.masks)
  const levels = Math.max(a.links.length, b.links.length)
  for (let level = 0; level < levels; level++) if (!isEqual(a.links[level] ?? [], b.links[level] ?? [])) return false
  return isEqual(a.nodes, b.nodes)
}

function areSameMasks(a: MaskedResources, b: MaskedResources): boolean {
  return (
    isEqual(a.nodes, b.nodes) &&
    a.links.length === b.links.length &&
    a.links.every((links, level) => isEqual(links, b.links[level]))
  )
}

function isEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/**
 * Returns the earliest estimated end before `before` at which `ask` finds a placement in the state without the jobs
 * that end by then. A monotone policy is asked by galloping and bisection; another policy is asked at each end in turn.
 */
export function findReservation<Index>(
  state: ClusterState<Index>,
  size: number,
  monotone: boolean,
  before: number,
  ask: (state: ClusterState<Index>, time: number) => Placement | undefined,
): FoundReservation<Index> | undefined {
  const groups = endGroups(state, before)
  const first = firstGroupWithNodes(state, groups, size)
  if (first === groups.length) return undefined
  const search = new EndSearch(state, groups, ask)
  // Usually no earlier start exists. One question about the latest state is then enough.
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

/** A group has all running jobs with one estimated end. After the end of group `granted`, `ask` found a placement. */
class EndSearch<Index> {
  granted: number
  #found: Omit<FoundReservation<Index>, 'start'> | undefined
  readonly #state: ClusterState<Index>
  readonly #groups: ReadonlyArray<number>
  readonly #ask: (state: ClusterState<Index>, time: number) => Placement | undefined
  /** Latest state without a placement, from which later states are forked. */
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
    this.#base = state
  }

  /** Returns true if `ask` finds a placement after a group. Refused groups must ascend, granted ones descend. */
  grants(group: number): boolean {
    const probe = this.#base.fork()
    probe.releaseFirst(this.#groups[group] - this.#released)
    const placement = this.#ask(probe, this.#timeOf(group))
    if (placement === undefined) {
      this.#dropBase()
      this.#base = probe
      this.#released = this.#groups[group]!
      return false
    }
    this.#found?.expected.drop()
    this.#found = { placement, expected: probe }
    this.granted = group
    return true
  }

  result(): FoundReservation<Index> | undefined {
    this.#dropBase()
    return this.#found && { start: this.#timeOf(this.granted), ...this.#found }
  }

  #dropBase(): void {
    if (this.#base !== this.#state) this.#base.drop()
  }

  #timeOf(group: number): number {
    return this.#state.running[this.#groups[group] - 1].estimatedEnd
  }
}

/** Returns, for each estimated end before `before`, the number of running jobs that end by then. */
function endGroups<Index>({ running }: ClusterState<Index>, before: number): Array<number> {
  const groups: Array<number> = []
  for (let i = 0; i < running.length && running[i].estimatedEnd < before; i++) {
    if (i + 1 === running.length || running[i + 1].estimatedEnd !== running[i].estimatedEnd) groups.push(i + 1)
  }
  return groups
}

function firstGroupWithNodes<Index>(state: ClusterState<Index>, groups: ReadonlyArray<number>, size: number): number {
  let free = state.freeNodes
  let job = 0
  for (let group = 0; group < groups.length; group++) {
    for (; job < groups[group]; job++) free += state.running[job].nodes.length
    if (free >= size) return group
  }
  return groups.length
}
