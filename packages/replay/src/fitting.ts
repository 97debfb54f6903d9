import type { LogState } from '@cloister/eventlog'
import type { Placer, Request } from '@cloister/placement'
import { RecordedCluster } from './recorded-cluster.ts'

/**
 * Returns the size of the largest further job that the policy places in a state; 0 if the policy places no job. The
 * search is a bisection: the result is exact if the policy places every job that is smaller than a placeable job.
 *
 * @throws RangeError if only one of the log's policy and the asked policy caps links
 * @throws PolicyFaultError if the policy fails
 */
export function largestFit<Index>(state: LogState, placer: Placer<Index>): number {
  const cluster = RecordedCluster.of(state, placer)
  const fits = (nodes: number): boolean => cluster.answer(requestOfSize(cluster, nodes)).ok
  let low = 0
  for (let high = cluster.state.freeNodes + 1; low + 1 < high;) {
    const middle = (low + high) >>> 1
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}

/** Sizes of jobs, and for each size the number of jobs that a policy would still place in a state of a log. */
export interface FittingSizes {
  /** Sizes in nodes, ascending: every size up to the number of idle nodes, or some sizes if idle nodes are many. */
  readonly sizes: ReadonlyArray<number>
  /** Number of jobs of each size that could be placed one after the other, without jobs of different sizes. */
  readonly jobs: ReadonlyArray<number>
  /** True if `sizes` has every size from 1 to the number of idle nodes. */
  readonly hasEverySize: boolean
}

const STEP = 1.1

/**
 * Counts, for each size, the jobs of this size that a policy would place one after the other in a state of a log.
 *
 * @param most greatest number of questions to the policy; if more are needed, the smallest sizes are left out
 * @throws RangeError if only one of the log's policy and the asked policy caps links
 * @throws PolicyFaultError if the policy fails
 */
export function fittingSizes<Index>(state: LogState, placer: Placer<Index>, most: number = 12_000): FittingSizes {
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

function someSizes({ topology }: LogState, idle: number): Array<number> {
  const sizes = new Set<number>([idle])
  for (let size = 1; size <= idle; size = Math.max(size + 1, Math.floor(size * STEP))) sizes.add(size)
  const { firstNodeOfLeaf, firstLeafOfPod } = topology
  for (let leaves = 1; leaves <= firstLeafOfPod[1]; leaves++) sizes.add(firstNodeOfLeaf[leaves])
  return [...sizes].filter((size) => size >= 1 && size <= idle).sort((a, b) => a - b)
}

function requestOfSize({ now }: { readonly now: number }, nodes: number): Request {
  return {
    purpose: 'start',
    job: '',
    nodes,
    now,
    submitted: now,
    estimate: undefined,
    bandwidth: undefined,
    communication: undefined,
  }
}
