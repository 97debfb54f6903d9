import { consecutiveGroups, type Topology } from '@cloister/topology'
import type { Config } from './config.ts'

/**
 * Tree of domains (blocks, leaves, nodes), coarsest level first. The domains below a domain have consecutive numbers.
 */
export interface DomainTree {
  /**
   * For each level but the lowest, the first domain below each domain, then the number of domains of the level below.
   */
  readonly firstChild: ReadonlyArray<Int32Array>
  readonly counts: ReadonlyArray<number>
}

/** Makes the tree of blocks (default: pods), leaves and, unless the config's lowest level is the leaves, nodes. */
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

export function every({ counts }: DomainTree, level: number): ReadonlyArray<number> {
  return range(0, counts[level])
}

/** Returns the domains of the level below that belong to the given domains, in the order of the given domains. */
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
