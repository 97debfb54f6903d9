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
function graphOfEdges(
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

/** Allowed numbers of vertices of a part: the integers from `least` to `most`. */
export interface PartSize {
  readonly least: number
  readonly most: number
}

/**
 * Returns sizes of parts that are equal within a tolerance, in whole vertices: at least ⌊average / tolerance⌋, and at
 * most the larger of ⌈average⌉ and ⌊average · tolerance⌋.
 *
 * @throws RangeError if there are no parts, or if the tolerance is below 1
 */
export function evenSizes(vertices: number, parts: number, tolerance: number): ReadonlyArray<PartSize> {
  if (!Number.isSafeInteger(parts) || parts < 1) throw new RangeError(`found ${parts} parts, expected at least 1`)
  if (!(tolerance >= 1)) throw new RangeError(`found a tolerance of ${tolerance}, expected at least 1`)
  const average = vertices / parts
  // The addition of 1e-9 gives the whole number for a product that is a whole number except for rounding errors.
  const least = Math.floor(average / tolerance + 1e-9)
  const most = Math.max(Math.ceil(average), Math.floor(average * tolerance + 1e-9))
  return Array.from({ length: parts }, () => ({ least, most }))
}
