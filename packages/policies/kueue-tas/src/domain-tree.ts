import { consecutiveGroups, type Topology } from '@cloister/topology'
import type { Config } from './config.ts'

/** The domains of each level, the coarsest level first. Those below a domain are consecutive. */
export interface DomainTree {
  /** For each level but the lowest: the first domain below each one, then the number of domains of the next level. */
  readonly firstChild: ReadonlyArray<Int32Array>
  /** Domains of each level. */
  readonly counts: ReadonlyArray<number>
}

/** Blocks (pods, where no sizes are given), leaves, and nodes unless leaves are the lowest level. */
export function domainTreeOf(topology: Topology, { blockSizes, lowest }: Config): DomainTree {
  const firstChild: Array<Int32Array> = lowest === 'node' ? [topology.firstNodeOfLeaf] : []
  if (blockSizes === undefined) firstChild.unshift(topology.firstLeafOfPod)
  let firstNode = topology.firstNodeOfLeaf
  for (const size of blockSizes ?? []) {
    const groups = consecutiveGroups(firstNode, size)
    firstChild.unshift(groups)
    firstNode = groups.map((part) => firstNode[part])
  }
  const last = firstChild[firstChild.length - 1]
  return { firstChild, counts: [...firstChild.map((first) => first.length - 1), last[last.length - 1]] }
}

/** All domains of a level. */
export function every({ counts }: DomainTree, level: number): ReadonlyArray<number> {
  return range(0, counts[level])
}

/** The domains below some of a level, in their order. */
export function below(
  { firstChild }: DomainTree,
  level: number,
  domains: ReadonlyArray<number>,
): ReadonlyArray<number> {
  return domains.flatMap((domain) => range(firstChild[level][domain], firstChild[level][domain + 1]))
}

function range(from: number, to: number): ReadonlyArray<number> {
  return Array.from({ length: to - from }, (_, at) => from + at)
}
