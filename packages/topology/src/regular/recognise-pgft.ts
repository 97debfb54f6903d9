import { switchName } from '../names/names.ts'
import { pgft } from '../pgft.ts'
import { TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'
import { pgftShapeOf } from './pgft-shape.ts'
import { pgftOrder } from './pgft-order.ts'

/**
 * Returns a graph of switches as a regular tree, with the names of the graph. A graph is a PGFT if some numbering of
 * its switches gives the links of PGFT(h; m; w; p). Leaves and nodes of a graph in tree order keep their ids; other
 * switches may get new ids. If the graph is no PGFT, returns the graph with an `irregularity`: a message with a switch
 * that prevents a regular tree.
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

/**
 * Returns a clause for messages about a machine that is no regular tree, such as "it is a switch graph (switch leaf1
 * has 1 node, most leaves have 2)". The clause has no reason in brackets if the topology has no `irregularity`.
 */
export function describeIrregularity({ irregularity }: Topology): string {
  return `it is a switch graph${irregularity === undefined ? '' : ` (${irregularity})`}`
}
