import type { LogState } from '@cloister/eventlog'
import type { Placer } from '@cloister/placement'
import { RecordedCluster } from './recorded-cluster.ts'
import { requestOfSize } from './request-of-size.ts'

/** How many jobs of each size would still fit. */
export interface Room {
  /** Ascending, nodes: all up to the idle nodes, or on large machines some of them. */
  readonly sizes: ReadonlyArray<number>
  /** Of each size, how many jobs could be placed one after the other; of one size at a time. */
  readonly jobs: ReadonlyArray<number>
  /** Whether `sizes` has every size from 1 to the idle nodes. */
  readonly hasEverySize: boolean
}

/** Sizes that are asked about where every size is too many: steps of this factor, and whole leaves and pods. */
const STEP = 1.1

/**
 * How many jobs of each size a policy would still place in a state of a log, one after the other, as it places them.
 *
 * @param most questions to the policy; sizes for which they do not suffice are left out, the smallest first
 * @throws RangeError where only one of log and policy shares links
 * @throws PolicyFaultError where the policy fails
 */
export function room<Index>(state: LogState, placer: Placer<Index>, most: number = 12_000): Room {
  const cluster = RecordedCluster.of(state, placer)
  const idle = cluster.state.freeNodes
  const questions = (sizes: ReadonlyArray<number>): number =>
    sizes.reduce((sum, size) => sum + Math.floor(idle / size) + 1, 0)
  const every = Array.from({ length: Math.min(idle, most) }, (_, at) => at + 1)
  const hasEvery = every.length === idle && questions(every) <= most
  let left = most
  const found = (hasEvery ? every : someSizes(state, idle)).reverse().flatMap((size) => {
    left -= Math.floor(idle / size) + 1
    return left < 0 ? [] : [{ size, jobs: placedOf(cluster, size) }]
  })
  found.reverse()
  return { sizes: found.map(({ size }) => size), jobs: found.map(({ jobs }) => jobs), hasEverySize: hasEvery }
}

function placedOf<Index>(cluster: RecordedCluster<Index>, size: number): number {
  const state = cluster.state.fork()
  let placed = 0
  for (;;) {
    const outcome = cluster.answer(requestOfSize(cluster, size), state)
    if (!outcome.ok) break
    const { nodes, links, bandwidth } = outcome
    state.apply({
      job: `one more ${placed}`,
      nodes,
      links,
      communicates: false,
      estimatedEnd: Infinity,
      startOrder: Number.MAX_SAFE_INTEGER - 1_000_000 + placed,
      ...(bandwidth === undefined ? {} : { bandwidth }),
    })
    placed++
  }
  state.drop()
  return placed
}

/** Ever fewer of the larger sizes, whole leaves and pods, and all of the idle nodes. */
function someSizes({ topology }: LogState, idle: number): Array<number> {
  const sizes = new Set<number>([idle])
  for (let size = 1; size <= idle; size = Math.max(size + 1, Math.floor(size * STEP))) sizes.add(size)
  const { firstNodeOfLeaf, firstLeafOfPod } = topology
  for (let leaves = 1; leaves <= firstLeafOfPod[1]; leaves++) sizes.add(firstNodeOfLeaf[leaves])
  return [...sizes].filter((size) => size >= 1 && size <= idle).sort((a, b) => a - b)
}
