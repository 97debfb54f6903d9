import type { Allocation, Resources } from '../allocation.ts'
import type { Placer } from '../contract.ts'
import { ClusterState } from '../state.ts'
import type { Topology } from '@cloister/topology'

/** Nodes and links withheld for a reservation; with `capped` links, also the bandwidth in MB/s on each link. */
export type Withheld = Resources & { readonly bandwidth?: number }

/** Allocation of a running job in a scene. Few policies read the optional fields. */
export type SceneAllocation = Resources & Partial<Allocation>

/** Contents of a state as data: running jobs, resources that are down, and resources withheld for reservations. */
export interface Scene {
  readonly running: ReadonlyArray<SceneAllocation>
  /** Jobs that were released before their ends to make an expected state, in the order of their ends. */
  readonly ahead: ReadonlyArray<SceneAllocation>
  readonly down: ReadonlyArray<Resources>
  readonly withheld: ReadonlyArray<Withheld>
}

const HOUR = 3_600_000

/** Makes a state with the contents of a scene; a fork if the scene has `ahead` or `withheld`. */
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
  // The jobs start in reverse order, because an answer must not depend on the order of starts. Failures come after the
  // starts, because running jobs may hold failed nodes.
  for (let at = running.length - 1; at >= 0; at--)
    state.apply({ job: `job-${at}`, estimatedEnd: HOUR, startOrder: at, ...running[at] })
  for (const resources of down) state.fail(resources)
  for (const resources of withheld) state.withhold(resources, resources.bandwidth)
  return state
}
