import type { Allocation, Resources } from '../allocation.ts'
import type { Placer } from '../contract.ts'
import { ClusterState } from '../state.ts'
import type { Topology } from '@cloister/topology'

/**
 * Nodes and links withheld for a reservation. If the policy claims `capped` links, `bandwidth` is the withheld MB/s on
 * each link.
 */
export type Withheld = Resources & { readonly bandwidth?: number }

/**
 * Allocation of a running job in a scene. The fields that few policies read, such as the id and the estimated end, are
 * optional.
 */
export type SceneAllocation = Resources & Partial<Allocation>

/** Contents of a state as data: allocations of jobs, resources that are down, resources withheld for reservations. */
export interface Scene {
  readonly running: ReadonlyArray<SceneAllocation>
  /** Jobs that were released to make an expected state, in the order of their ends. */
  readonly ahead: ReadonlyArray<SceneAllocation>
  readonly down: ReadonlyArray<Resources>
  readonly withheld: ReadonlyArray<Withheld>
}

const HOUR = 3_600_000

/**
 * Makes a state with the contents of a scene, for requests to a placer. If the scene has `ahead` or `withheld`, the
 * state is a fork.
 */
export function stateOf<Index>(
  placer: Placer<Index>,
  topology: Topology,
  { running = [], ahead = [], down = [], withheld = [] }: Partial<Scene> = {},
): ClusterState<Index> {
  const origin = new ClusterState<Index>(topology, { index: placer.index, linkCapacity: placer.linkCapacity ?? 0 })
  const state = ahead.length + withheld.length === 0 ? origin : origin.fork()
  ahead.forEach((allocation, at) =>
    state.apply({ job: `ahead-${at}`, estimatedEnd: HOUR, startOrder: at, ...allocation }),
  )
  state.releaseFirst(ahead.length)
  // The jobs start in reverse order, because an answer must not depend on the history of a state. Failures come after
  // the starts, because running jobs may hold failed nodes.
  for (let at = running.length - 1; at >= 0; at--)
    state.apply({ job: `job-${at}`, estimatedEnd: HOUR, startOrder: at, ...running[at] })
  for (const resources of down) state.fail(resources)
  for (const resources of withheld) state.withhold(resources, resources.bandwidth)
  return state
}
