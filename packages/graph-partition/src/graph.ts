/** Undirected graph with weighted edges. */
export interface Graph {
  readonly vertices: number
  /** Index of the first edge of each vertex; length `vertices` + 1. Each edge is listed at both ends. */
  readonly first: Int32Array
  /** Opposite vertex of each edge. The opposite vertices of a vertex ascend, except in coarsened graphs. */
  readonly neighbors: Int32Array
  /** Weight of each edge, above 0. */
  readonly weights: Float64Array
}

/** Returns the graph with the edge weights that `weightOf` gives for each pair of vertices; 0 or less for no edge. */
export function graphOf(vertices: number, weightOf: (lower: number, higher: number) => number): Graph {
  const edges: Array<readonly [number, number, number]> = []
  for (let lower = 0; lower < vertices; lower++) {
    for (let higher = lower + 1; higher < vertices; higher++) {
      const weight = weightOf(lower, higher)
      if (weight > 0) edges.push([lower, higher, weight])
    }
  }
  return graphOfEdges(vertices, edges)
}

/** Returns a graph of edges in ascending order of the lower and then of the higher vertex, each edge once. */
export function graphOfEdges(
  vertices: number,
  edges: ReadonlyArray<readonly [lower: number, higher: number, weight: number]>,
): Graph {
  const first = new Int32Array(vertices + 1)
  for (const [lower, higher] of edges) {
    first[lower + 1]++
    first[higher + 1]++
  }
  for (let vertex = 0; vertex < vertices; vertex++) first[vertex + 1] += first[vertex]
  const next = first.slice()
  const neighbors = new Int32Array(2 * edges.length)
  const weights = new Float64Array(2 * edges.length)
  const add = (from: number, to: number, weight: number): void => {
    const at = next[from]++
    neighbors[at] = to
    weights[at] = weight
  }
  // Because the edges ascend, the neighbours of each vertex ascend: first the lower vertices, then the higher.
  for (const [lower, higher, weight] of edges) add(higher, lower, weight)
  for (const [lower, higher, weight] of edges) add(lower, higher, weight)
  return { vertices, first, neighbors, weights }
}

/** Returns the sum of the weights of the edges between different parts. */
export function edgeCut({ vertices, first, neighbors, weights }: Graph, partOf: ArrayLike<number>): number {
  let cut = 0
  for (let vertex = 0; vertex < vertices; vertex++)
    for (let edge = first[vertex]; edge < first[vertex + 1]; edge++)
      if (neighbors[edge] > vertex && partOf[neighbors[edge]] !== partOf[vertex]) cut += weights[edge]
  return cut
}
