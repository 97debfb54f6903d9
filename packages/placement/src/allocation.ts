import type { Topology } from '@cloister/topology'
import type { Placement } from './contract.ts'

/** Nodes and, per level, links (`links[0]`: leaf up-ports); missing levels hold none. Ids ascend, each once. */
export interface Resources {
  readonly nodes: ArrayLike<number>
  readonly links: ReadonlyArray<ArrayLike<number>>
}

/** What a running job holds. */
export interface Allocation extends Resources {
  readonly job: string
  readonly ranks?: ArrayLike<number>
  /** MB/s held on each of `links`, where links are capped; otherwise the links are owned. */
  readonly bandwidth?: number
  /** Whether the job is communication-intensive: its request names a communication. */
  readonly communicates?: boolean
  /** When the scheduler expects the job to end, integer milliseconds. */
  readonly estimatedEnd: number
  /** Orders jobs of equal estimated end: grows with every start. */
  readonly startOrder: number
}

/** Whether a job is expected to end before another one; of equal ends the one that started first. */
export function endsBefore(a: Allocation, b: Allocation): boolean {
  return a.estimatedEnd !== b.estimatedEnd ? a.estimatedEnd < b.estimatedEnd : a.startOrder < b.startOrder
}

/** Why a placement is not one on this topology: an id out of range, out of order or twice; undefined when it is fine. */
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
    if (!used.has(ranks[rank])) return `rank ${rank} is on node ${ranks[rank]}, which is not allocated`
  }
  return undefined
}
