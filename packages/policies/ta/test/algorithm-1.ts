import type { Topology } from '@cloister/topology'
import type { Config } from '../src/index.ts'
import { type Job, type JobType, typeOf } from './rules.ts'

/**
 * Follows Algorithm 1 of Pollard et al. line by line over plain sets: the available nodes, and the types of the jobs on
 * all other nodes. The function sorts at every step at which Algorithm 1 sorts. Returns the nodes of the job; undefined
 * if the job does not fit.
 */
export function algorithm1(
  topology: Topology,
  running: ReadonlyArray<Job>,
  n: number,
  { wholeLeaves = false, wholePods = false, podsFirst = 'most-free' }: Partial<Config> = {},
): ReadonlyArray<number> | undefined {
  const taken = new Map<number, JobType>()
  for (const { type, nodes } of running) for (const node of nodes) taken.set(node, type)

  const nodesOf = (leaf: number): ReadonlyArray<number> =>
    range(topology.firstNodeOfLeaf[leaf], topology.firstNodeOfLeaf[leaf + 1])
  const leavesOf = (pod: number): ReadonlyArray<number> =>
    range(topology.firstLeafOfPod[pod], topology.firstLeafOfPod[pod + 1])
  const nodesIn = (pod: number): ReadonlyArray<number> => leavesOf(pod).flatMap(nodesOf)
  const available = (nodes: ReadonlyArray<number>): ReadonlyArray<number> => nodes.filter((node) => !taken.has(node))
  const has = (nodes: ReadonlyArray<number>, ...types: ReadonlyArray<JobType>): boolean =>
    nodes.some((node) => types.includes(taken.get(node)!))
  // Sorting is stable, so equal leaves and pods stay in the order of their ids.
  const leastFirst = (of: (each: number) => ReadonlyArray<number>) => (a: number, b: number) =>
    available(of(a)).length - available(of(b)).length
  const mostFirst = (of: (each: number) => ReadonlyArray<number>) => (a: number, b: number) =>
    available(of(b)).length - available(of(a)).length
  const mayTake = (leaf: number): boolean => !wholeLeaves || available(nodesOf(leaf)).length === nodesOf(leaf).length
  const pods = range(0, topology.pods)

  const small = (): ReadonlyArray<number> | undefined => {
    for (const pod of pods.toSorted(leastFirst(nodesIn))) {
      for (const leaf of leavesOf(pod).toSorted(leastFirst(nodesOf))) {
        if (available(nodesOf(leaf)).length >= n) return available(nodesOf(leaf)).slice(0, n)
      }
    }
    return undefined
  }
  const medium = (): ReadonlyArray<number> | undefined => {
    for (const pod of pods.toSorted(leastFirst(nodesIn))) {
      // Algorithm 1 as printed keeps the set S from pod to pod, which contradicts the text "in which the T2 job can
      // fit". This program follows the text.
      const s: Array<number> = []
      for (const leaf of leavesOf(pod)
        .filter((each) => mayTake(each) && !has(nodesOf(each), 'T2', 'T3'))
        .toSorted(mostFirst(nodesOf))) {
        s.push(...available(nodesOf(leaf)).slice(0, n - s.length))
        if (s.length === n) return s
      }
    }
    return undefined
  }
  const usable = (pod: number): number =>
    leavesOf(pod)
      .filter((each) => mayTake(each) && !has(nodesOf(each), 'T2'))
      .flatMap((leaf) => available(nodesOf(leaf))).length
  /**
   * Returns pods without jobs, and for the remaining nodes the pod with the fewest usable nodes that can hold them.
   * Returns an empty list if there are too few such pods.
   */
  const wholeAndOneMore = (open: ReadonlyArray<number>): ReadonlyArray<number> => {
    const whole = open.filter((pod) => usable(pod) === nodesIn(pod).length)
    const filled = Math.floor(n / nodesIn(0).length)
    const rest = n - filled * nodesIn(0).length
    if (whole.length < filled) return []
    const taken = whole.slice(0, filled)
    const [last] = open
      .filter((pod) => !taken.includes(pod) && usable(pod) >= rest)
      .toSorted((a, b) => usable(a) - usable(b))
    return rest === 0 ? taken : last === undefined ? [] : [...taken, last]
  }
  const large = (): ReadonlyArray<number> | undefined => {
    const s: Array<number> = []
    const order = podsFirst === 'most-free' ? mostFirst(nodesIn) : leastFirst(nodesIn)
    const open = pods.filter((each) => !has(nodesIn(each), 'T3')).toSorted(order)
    for (const pod of wholePods ? wholeAndOneMore(open) : open) {
      for (const leaf of leavesOf(pod)
        .filter((each) => mayTake(each) && !has(nodesOf(each), 'T2'))
        .toSorted(mostFirst(nodesOf))) {
        s.push(...available(nodesOf(leaf)).slice(0, n - s.length))
        if (s.length === n) return s
      }
    }
    return undefined
  }
  return { T1: small, T2: medium, T3: large }[typeOf(topology, n)]()?.toSorted((a, b) => a - b)
}

function range(from: number, end: number): ReadonlyArray<number> {
  return Array.from({ length: end - from }, (_, i) => from + i)
}
