import type { LogState } from '@cloister/eventlog'
import type { Placer, Request } from '@cloister/placement'
import { RecordedCluster } from './recorded-cluster.ts'
import { mostQuestions } from './recorded-inputs.ts'

/** Largest further job that a policy places in a state. The job names no estimate, bandwidth or communication. */
export interface LargestFit {
  /** Number of nodes; 0 if the policy places no job. */
  readonly nodes: number
  /** False if the policy would get too many questions, on a machine of millions of nodes: `nodes` is then a lower bound. */
  readonly isExact: boolean
}

/**
 * Returns the largest further job that the policy places in a state. The policy is asked about every number of nodes
 * from the idle nodes downwards, because a policy may place a large job and refuse a smaller job.
 *
 * @param most greatest number of refused sizes before a bisection finds a lower bound; default: a limit by the machine
 * @throws RangeError if only one of the log's policy and the asked policy caps links
 * @throws PolicyFaultError if the policy fails
 */
export function largestFit<Index>(state: LogState, placer: Placer<Index>, most?: number): LargestFit {
  return largestIn(RecordedCluster.of(state, placer), most)
}

/** Does the work of `largestFit` in the present state of a cluster. Throws a PolicyFaultError if the policy fails. */
export function largestIn<Index>(
  cluster: RecordedCluster<Index>,
  most: number = mostQuestions(cluster.state.topology, 0, []),
): LargestFit {
  let asked = 0
  for (let nodes = cluster.state.freeNodes; nodes > 0; nodes--) {
    if (cluster.isTooFull(nodes)) continue
    if (asked++ === most) return { nodes: placeableBelow(cluster, nodes + 1), isExact: false }
    if (cluster.answer(requestOfSize(cluster, nodes)).ok) return { nodes, isExact: true }
  }
  return { nodes: 0, isExact: true }
}

function placeableBelow<Index>(cluster: RecordedCluster<Index>, bound: number): number {
  let low = 0
  for (let high = bound; low + 1 < high;) {
    const middle = (low + high) >>> 1
    if (cluster.answer(requestOfSize(cluster, middle)).ok) low = middle
    else high = middle
  }
  return low
}

/** Sizes of jobs, and for each size the number of jobs that a policy would still place in a state of a log. */
export interface FittingSizes {
  readonly largest: LargestFit
  /**
   * Sizes in nodes, ascending: the asked sizes; else every size up to the number of idle nodes, or some sizes if idle
   * nodes are many.
   */
  readonly sizes: ReadonlyArray<number>
  /** Number of jobs of each size that could be placed one after the other, without jobs of different sizes. */
  readonly jobs: ReadonlyArray<number>
  /** True if `sizes` has every size from 1 to the number of idle nodes. */
  readonly hasEverySize: boolean
}

const STEP = 1.1

/** Options of `fittingSizes`. */
export interface FittingOptions {
  /** Sizes to ask about, in nodes, from 1. Default: every size up to the number of idle nodes, if these are not many. */
  readonly sizes?: ReadonlyArray<number> | undefined
  /** Greatest number of questions about `jobs`. If more are needed, the smallest sizes are left out. Default: 12,000. */
  readonly most?: number
}

/**
 * Counts, for each size, the jobs of this size that a policy would place one after the other in a state of a log.
 *
 * @throws RangeError if only one of the log's policy and the asked policy caps links
 * @throws PolicyFaultError if the policy fails
 */
export function fittingSizes<Index>(
  state: LogState,
  placer: Placer<Index>,
  { sizes: given, most = 12_000 }: FittingOptions = {},
): FittingSizes {
  const cluster = RecordedCluster.of(state, placer)
  const idle = cluster.state.freeNodes
  const questions = (sizes: ReadonlyArray<number>): number =>
    sizes.reduce((sum, size) => sum + Math.floor(idle / size) + 1, 0)
  const every = Array.from({ length: Math.min(idle, most) }, (_, at) => at + 1)
  const hasEvery = given === undefined && every.length === idle && questions(every) <= most
  const sizes = given === undefined ? (hasEvery ? every : someSizes(state, idle)) : ascending(given)
  let left = most
  const found = sizes.toReversed().flatMap((size) => {
    left -= Math.floor(idle / size) + 1
    return left < 0 ? [] : [{ size, jobs: jobsIn(cluster, size) }]
  })
  found.reverse()
  return {
    largest: largestIn(cluster),
    sizes: found.map(({ size }) => size),
    jobs: found.map(({ jobs }) => jobs),
    hasEverySize: hasEvery,
  }
}

/** Places jobs of `size` nodes on a fork of a cluster until the policy refuses, and returns the number of jobs. */
export function jobsIn<Index>(cluster: RecordedCluster<Index>, size: number): number {
  const most = Math.floor(cluster.state.freeNodes / size)
  if (most === 0) return 0
  const state = cluster.state.fork()
  let placed = 0
  while (placed < most) {
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

function someSizes({ topology }: LogState, idle: number): ReadonlyArray<number> {
  const sizes = [idle]
  for (let size = 1; size <= idle; size = Math.max(size + 1, Math.floor(size * STEP))) sizes.push(size)
  const { firstNodeOfLeaf, firstLeafOfPod } = topology
  for (let leaves = 1; leaves <= firstLeafOfPod[1]; leaves++) sizes.push(firstNodeOfLeaf[leaves])
  return ascending(sizes.filter((size) => size >= 1 && size <= idle))
}

function ascending(sizes: ReadonlyArray<number>): ReadonlyArray<number> {
  return [...new Set(sizes)].sort((a, b) => a - b)
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
