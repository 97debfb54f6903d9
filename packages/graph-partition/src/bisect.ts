import { type Coarsening, coarsen, type WeighedGraph } from './coarsen.ts'
import type { PartSize } from './part-size.ts'
import { isBetter, type Quality, refineBisection } from './refine-bisection.ts'

/** Greatest number of vertices of a graph that `bisect` divides without coarsening, by growth from each vertex. */
const COARSEST = 24
/** Number of times that `bisect` coarsens a graph, each time in a different order, to take the best division. */
const COARSENINGS = 4

/**
 * Divides a graph in two. The function coarsens the graph until the graph is small, grows a division of the small graph
 * from each of several vertices, and refines the best division on every level back to the original graph.
 *
 * @param left allowed size of side 0, counted in vertices of the finest graph
 * @returns 0 or 1 for each vertex
 */
export function bisect(graph: WeighedGraph, left: PartSize): Uint8Array {
  const found = Array.from({ length: graph.vertices > COARSEST ? COARSENINGS : 1 }, (_, round) =>
    bisectOnce(graph, left, orderOf(graph.vertices, round)),
  )
  return found.reduce((best, each) => (isBetter(each, best) ? each : best)).side
}

interface Bisection extends Quality {
  readonly side: Uint8Array
}

function bisectOnce(graph: WeighedGraph, left: PartSize, order: Int32Array): Bisection {
  const levels = coarsenings(graph, order)
  let found = growBest(levels.length === 0 ? graph : levels[levels.length - 1].graph, left)
  for (let level = levels.length - 1; level >= 0; level--) {
    const side = Uint8Array.from(levels[level].coarseOf, (coarse) => found.side[coarse])
    found = { side, ...refineBisection(level === 0 ? graph : levels[level - 1].graph, side, left) }
  }
  return found
}

/** Returns the order of vertices in a round of coarsening: ascending in round 0, fixed and mixed in later rounds. */
function orderOf(vertices: number, round: number): Int32Array {
  const order = Int32Array.from({ length: vertices }, (_, vertex) => vertex)
  const keyOf = (vertex: number): number => Math.imul(Math.imul(vertex + round, 0x9e3779b1) ^ round, 0x85ebca6b) >>> 0
  return round === 0 ? order : order.sort((a, b) => keyOf(a) - keyOf(b))
}

function coarsenings(graph: WeighedGraph, order: Int32Array): ReadonlyArray<Coarsening> {
  const levels: Array<Coarsening> = []
  const total = graph.sizes.reduce((sum, size) => sum + size, 0)
  const largest = Math.max(2, Math.floor((2 * total) / COARSEST))
  let finer = graph
  let turn = order
  while (finer.vertices > COARSEST) {
    const coarsening = coarsen(finer, turn, largest)
    // Coarsening ends early for a graph with few edges, which coarsening hardly shrinks.
    if (coarsening.graph.vertices > 0.95 * finer.vertices) break
    levels.push(coarsening)
    finer = coarsening.graph
    turn = Int32Array.from(finer.sizes.keys())
  }
  return levels
}

function growBest(graph: WeighedGraph, left: PartSize): Bisection {
  let best: Bisection = { side: new Uint8Array(0), violation: Infinity, cut: Infinity }
  const step = Math.max(1, Math.ceil(graph.vertices / COARSEST))
  for (let seed = 0; seed < graph.vertices; seed += step) {
    const side = grow(graph, left, seed)
    const found = { side, ...refineBisection(graph, side, left) }
    if (isBetter(found, best)) best = found
  }
  return best
}

/**
 * Grows side 0 from a vertex. Each step adds to side 0 the vertex with the largest gain, the decrease of the cut.
 * Returns the sides with the smallest cut among the allowed sizes of side 0.
 */
function grow({ vertices, first, neighbors, weights, sizes }: WeighedGraph, left: PartSize, seed: number): Uint8Array {
  const grown: Array<number> = []
  const side = new Uint8Array(vertices).fill(1)
  const gain = new Float64Array(vertices)
  for (let vertex = 0; vertex < vertices; vertex++)
    for (let edge = first[vertex]; edge < first[vertex + 1]; edge++) gain[vertex] -= weights[edge]
  let [size, cut, bestLength, least] = [0, 0, 0, Infinity]
  for (let next = seed; next >= 0 && size + sizes[next] <= left.most; next = bestOf(side, gain)) {
    side[next] = 0
    grown.push(next)
    size += sizes[next]
    cut -= gain[next]
    for (let edge = first[next]; edge < first[next + 1]; edge++) gain[neighbors[edge]] += 2 * weights[edge]
    if (size >= left.least && cut >= least) continue
    bestLength = grown.length
    if (size >= left.least) least = cut
  }
  for (const vertex of grown.slice(bestLength)) side[vertex] = 1
  return side
}

function bestOf(side: Uint8Array, gain: Float64Array): number {
  let best = -1
  for (let vertex = 0; vertex < side.length; vertex++)
    if (side[vertex] === 1 && (best < 0 || gain[vertex] > gain[best])) best = vertex
  return best
}
