import { switchName } from '../names/names.ts'
import { pgft } from '../pgft.ts'
import { TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'
import { pgftShapeOf } from './pgft-shape.ts'
import { pgftOrder } from './pgft-order.ts'

/**
 * The same machine as the regular tree that it is, with its names, so that policies and routers for regular trees serve
 * it: a graph of named switches is a PGFT where its switches can be numbered so that the links are those of
 * PGFT(h; m; w; p). Leaves keep their order, and so do nodes; the switches above may be numbered otherwise. A graph that
 * is no PGFT comes back as it is, with `irregularity`: the first switch that is in the way.
 */
export function recognisePgft(graph: Topology): Topology {
  const shape = pgftShapeOf(graph)
  if (typeof shape === 'string') return { ...graph, irregularity: shape }
  const order = pgftOrder(graph, shape)
  if (typeof order === 'string') return { ...graph, irregularity: order }
  try {
    const tree = pgft(shape, graph.name)
    const levels = tree.levels.map((level, at) => ({
      ...level,
      names: order[at].map((sw) => switchName(graph, at, sw)),
    }))
    return { ...tree, levels, ...(graph.nodeNames && { nodeNames: nodesInOrder(graph, order[0]) }) }
  } catch (error) {
    if (error instanceof TopologyError) return { ...graph, irregularity: error.message }
    throw error
  }
}

function nodesInOrder({ nodeNames, firstNodeOfLeaf }: Topology, leaves: ReadonlyArray<number>): ReadonlyArray<string> {
  return leaves.flatMap((leaf) => nodeNames!.slice(firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]))
}

/** What messages say of a machine that is no regular tree, with the reason where it is known. */
export function describeIrregularity({ irregularity }: Topology): string {
  return `it is a switch graph${irregularity === undefined ? '' : ` (${irregularity})`}`
}
