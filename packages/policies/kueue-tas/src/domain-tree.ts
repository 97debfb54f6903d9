import { consecutiveGroups, type Topology } from '@cloister/topology'
import type { Config } from './config.ts'

/** Tree of domains, coarsest level first. The domains below a domain have consecutive numbers. */
export interface DomainTree {
  /**
   * Number of the first domain below each domain, for each level except the lowest. The last entry of a level is the
   * number of domains of the next finer level.
   */
  readonly firstChild: ReadonlyArray<Int32Array>
  /** Number of domains of each level. */
  readonly counts: ReadonlyArray<number>
}

/**
 * Makes the tree of blocks, leaves and nodes. The blocks are pods if the config has no block sizes. The tree has no
 * nodes if leaves are the lowest level of the config.
 */
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

/** Returns all domains of a level. */
export function every({ counts }: DomainTree, level: number): ReadonlyArray<number> {
  return range(0, counts[level])
}

/**
 * Returns the domains of the next finer level below the given domains of a level, in the order of the given domains.
 */
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
