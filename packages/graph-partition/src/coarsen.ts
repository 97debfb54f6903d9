import type { Graph } from './graph.ts'

/** Graph with vertices that each represent one or several vertices of a finer graph. */
export interface WeighedGraph extends Graph {
  /** Number of vertices of the finest graph that each vertex represents. */
  readonly sizes: Int32Array
}

/** Result of coarsening a graph: the coarser graph, and the coarse vertex of each vertex of the finer graph. */
export interface Coarsening {
  readonly graph: WeighedGraph
  readonly coarseOf: Int32Array
}

/**
 * Coarsens a graph by heavy-edge matching. In the given order, each vertex joins the unmatched neighbour with the
 * heaviest edge; of equally heavy edges, the edge that is listed first wins.
 *
 * @param largest largest number of vertices of the finest graph that one coarse vertex may represent
 */
export function coarsen(graph: WeighedGraph, order: Int32Array, largest: number): Coarsening {
  const { vertices, first, neighbors, weights, sizes } = graph
  const mate = new Int32Array(vertices).fill(-1)
  for (const vertex of order) {
    if (mate[vertex] >= 0) continue
    let best = vertex
    let heaviest = 0
    for (let edge = first[vertex]; edge < first[vertex + 1]; edge++) {
      const other = neighbors[edge]
      if (mate[other] >= 0 || weights[edge] <= heaviest || sizes[vertex] + sizes[other] > largest) continue
      best = other
      heaviest = weights[edge]
    }
    mate[vertex] = best
    mate[best] = vertex
  }
  const coarseOf = new Int32Array(vertices)
  let count = 0
  for (let vertex = 0; vertex < vertices; vertex++)
    coarseOf[vertex] = mate[vertex] < vertex ? coarseOf[mate[vertex]] : count++
  return { graph: contract(graph, mate, coarseOf, count), coarseOf }
}

/** Returns the graph with every vertex joined to its mate; the weights of parallel edges are added. */
function contract(graph: WeighedGraph, mate: Int32Array, coarseOf: Int32Array, count: number): WeighedGraph {
  const first = new Int32Array(count + 1)
  const neighbors = new Int32Array(graph.neighbors.length)
  const weights = new Float64Array(graph.neighbors.length)
  const sizes = new Int32Array(count)
  /** Index of the edge to each coarse vertex. An index below `start` belongs to an edge of an earlier vertex. */
  const edgeTo = new Int32Array(count).fill(-1)
  let edges = 0
  for (let vertex = 0; vertex < graph.vertices; vertex++) {
    if (mate[vertex] < vertex) continue
    const coarse = coarseOf[vertex]
    const start = edges
    for (const member of mate[vertex] === vertex ? [vertex] : [vertex, mate[vertex]]) {
      sizes[coarse] += graph.sizes[member]
      for (let edge = graph.first[member]; edge < graph.first[member + 1]; edge++) {
        const other = coarseOf[graph.neighbors[edge]]
        if (other === coarse) continue
        if (edgeTo[other] < start) {
          edgeTo[other] = edges
          neighbors[edges++] = other
        }
        weights[edgeTo[other]] += graph.weights[edge]
      }
    }
    first[coarse + 1] = edges
  }
  return { vertices: count, first, neighbors: neighbors.slice(0, edges), weights: weights.slice(0, edges), sizes }
}
