import type { Allocation, Resources } from '../allocation.ts'
import type { Placer } from '../contract.ts'
import { ClusterState } from '../state.ts'
import type { Topology } from '@cloister/topology'

/** What a reservation takes: `bandwidth` on each of its links, where they are capped. */
export type Withheld = Resources & { readonly bandwidth?: number }

/** What a running job holds; who it is, and when it ends, matters to few policies. */
export type Held = Resources & Partial<Allocation>

/** The contents of a state as data: what jobs hold, what is down, what is withheld for reservations. */
export interface Scene {
  readonly running: ReadonlyArray<Held>
  /** Of a what-if: the jobs that were taken back to make it, in the order of their ends. */
  readonly ahead: ReadonlyArray<Held>
  readonly down: ReadonlyArray<Resources>
  readonly withheld: ReadonlyArray<Withheld>
}

const HOUR = 3_600_000

/** A state with these contents for a placer to be asked in; where something is taken back or withheld, a fork. */
export function stateOf<Index>(
  placer: Placer<Index>,
  topology: Topology,
  { running = [], ahead = [], down = [], withheld = [] }: Partial<Scene> = {},
): ClusterState<Index> {
  const origin = new ClusterState<Index>(topology, { index: placer.index, linkCapacity: placer.linkCapacity ?? 0 })
  const state = ahead.length + withheld.length === 0 ? origin : origin.fork()
  ahead.forEach((held, at) => state.apply({ job: `ahead-${at}`, estimatedEnd: HOUR, startOrder: at, ...held }))
  state.releaseFirst(ahead.length)
  // Backwards: where a state comes from must not matter. Jobs can hold what broke later, so they come first.
  for (let at = running.length - 1; at >= 0; at--)
    state.apply({ job: `job-${at}`, estimatedEnd: HOUR, startOrder: at, ...running[at] })
  for (const resources of down) state.fail(resources)
  for (const resources of withheld) state.withhold(resources, resources.bandwidth)
  return state
}
