import type { Topology } from '@cloister/topology'
import type { Placement } from './contract.ts'

/**
 * Ids of nodes, and of links for each level (`links[0]`: uplinks of leaves), strictly ascending. `links` may omit upper
 * levels without links.
 */
export interface Resources {
  readonly nodes: ArrayLike<number>
  readonly links: ReadonlyArray<ArrayLike<number>>
}

/** Nodes and links that a running job holds. */
export interface Allocation extends Resources {
  readonly job: string
  /** Node of each rank. Undefined if the order of the ranks does not matter. */
  readonly ranks?: ArrayLike<number>
  /** Bandwidth that the job holds on each of `links`, in MB/s; undefined unless the policy claims `capped` links. */
  readonly bandwidth?: number
  /** True if the job is communication-intensive: its request has `communication`. */
  readonly communicates?: boolean
  /** Instant at which the scheduler expects the job to end, in integer milliseconds. */
  readonly estimatedEnd: number
  /** Position of the job's start among all starts; orders jobs with equal estimated ends. */
  readonly startOrder: number
}

/** Returns true if job `a` has the earlier estimated end or, with equal estimated ends, started before `b`. */
export function endsBefore(a: Allocation, b: Allocation): boolean {
  return a.estimatedEnd !== b.estimatedEnd ? a.estimatedEnd < b.estimatedEnd : a.startOrder < b.startOrder
}

/**
 * Returns a message about the first fault of a placement; undefined if it has none. A fault is an id that does not
 * exist, ids that do not ascend, or a rank on a node outside of the placement.
 */
export function placementDefect(topology: Topology, placement: Placement): string | undefined {
  const nodes = idsDefect('node', placement.nodes, topology.nodes)
  if (nodes !== undefined) return nodes
  for (let level = 0; level < placement.links.length; level++) {
    const count = topology.levels[level]?.links ?? 0
    const links = idsDefect(`level-${level} link`, placement.links[level], count)
    if (links !== undefined) return links
  }
  return ranksDefect(placement)
}

function idsDefect(what: string, ids: ArrayLike<number>, count: number): string | undefined {
  let previous = -1
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]
    if (!Number.isInteger(id) || id < 0 || id >= count)
      return `${what} ${id} does not exist: ids go from 0 to ${count - 1}`
    if (id <= previous) return `${what} ${id} follows ${previous}: ids must ascend, each once`
    previous = id
  }
  return undefined
}

function ranksDefect({ nodes, ranks }: Placement): string | undefined {
  if (ranks === undefined) return undefined
  const used = new Set(Array.from(nodes))
  for (let rank = 0; rank < ranks.length; rank++) {
    if (!used.has(ranks[rank])) return `rank ${rank} is on node ${ranks[rank]}, which is not in the placement`
  }
  return undefined
}
