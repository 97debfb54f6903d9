import type { Graph, PartSize } from './graph.ts'

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

interface Division extends Quality {
  readonly side: Uint8Array
}

function bisectOnce(graph: WeighedGraph, left: PartSize, order: Int32Array): Division {
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

function growBest(graph: WeighedGraph, left: PartSize): Division {
  let best: Division = { side: new Uint8Array(0), violation: Infinity, cut: Infinity }
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

/** Graph with vertices that each represent one or several vertices of a finer graph. */
export interface WeighedGraph extends Graph {
  /** Number of vertices of the finest graph that each vertex represents. */
  readonly sizes: Int32Array
}

/** Result of coarsening a graph: the coarser graph, and the coarse vertex of each vertex of the finer graph. */
interface Coarsening {
  readonly graph: WeighedGraph
  readonly coarseOf: Int32Array
}

/**
 * Coarsens a graph by heavy-edge matching. In the given order, each vertex joins the unmatched neighbour with the
 * heaviest edge; of equally heavy edges, the edge that is listed first wins.
 *
 * @param largest largest number of vertices of the finest graph that one coarse vertex may represent
 */
function coarsen(graph: WeighedGraph, order: Int32Array, largest: number): Coarsening {
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

/** Number of successive moves without improvement that ends a pass. */
const PATIENCE = 64

/**
 * Quality of a division in two sides: `violation` is the distance of the sizes from the requested sizes in vertices,
 * `cut` the weight of the edges between the sides.
 */
interface Quality {
  readonly violation: number
  readonly cut: number
}

/**
 * Refines a bisection by passes of Fiduccia and Mattheyses. In each move of a pass, the unmoved vertex with the
 * greatest gain changes sides, even for a loss. At the end of a pass, all moves after the best state are undone. Passes
 * are repeated while they improve the division. The function changes `side`.
 */
function refineBisection(graph: WeighedGraph, side: Uint8Array, left: PartSize): Quality {
  const moves = new Bisection(graph, side, left)
  while (moves.pass());
  return { violation: moves.violation, cut: moves.cut }
}

class Bisection {
  violation = 0
  cut = 0
  readonly #graph: WeighedGraph
  readonly #side: Uint8Array
  readonly #left: PartSize
  /** Gain of each vertex: the decrease of the cut if the vertex changes sides. */
  readonly #gain: Float64Array
  readonly #isMoved: Uint8Array
  readonly #moved: Int32Array
  /** Allowed violation of the sizes during a pass: the size of the largest vertex. */
  readonly #slack: number
  #size = 0

  constructor(graph: WeighedGraph, side: Uint8Array, left: PartSize) {
    this.#graph = graph
    this.#side = side
    this.#left = left
    this.#gain = new Float64Array(graph.vertices)
    this.#isMoved = new Uint8Array(graph.vertices)
    this.#moved = new Int32Array(graph.vertices)
    this.#slack = graph.sizes.reduce((most, size) => Math.max(most, size), 0)
    this.#measure()
  }

  #measure(): void {
    const { vertices, first, neighbors, weights, sizes } = this.#graph
    for (let vertex = 0; vertex < vertices; vertex++) {
      if (this.#side[vertex] === 0) this.#size += sizes[vertex]
      for (let edge = first[vertex]; edge < first[vertex + 1]; edge++) {
        const isCut = this.#side[neighbors[edge]] !== this.#side[vertex]
        this.#gain[vertex] += isCut ? weights[edge] : -weights[edge]
        if (isCut && neighbors[edge] > vertex) this.cut += weights[edge]
      }
    }
    this.violation = this.#violationOf(this.#size)
  }

  #violationOf(size: number): number {
    return Math.max(0, this.#left.least - size, size - this.#left.most)
  }

  /** Makes one pass of Fiduccia and Mattheyses. Returns true if the pass improved the division. */
  pass(): boolean {
    const before = { violation: this.violation, cut: this.cut }
    let best: Quality = before
    let [moves, bestMoves] = [0, 0]
    this.#isMoved.fill(0)
    while (moves - bestMoves < PATIENCE) {
      const vertex = this.#next()
      if (vertex < 0) break
      this.#move(vertex)
      this.#isMoved[vertex] = 1
      this.#moved[moves++] = vertex
      if (isBetter(this, best)) {
        best = { violation: this.violation, cut: this.cut }
        bestMoves = moves
      }
    }
    while (moves > bestMoves) this.#move(this.#moved[--moves])
    this.cut = best.cut
    return bestMoves > 0
  }

  #next(): number {
    const { vertices, sizes } = this.#graph
    const allowed = Math.max(this.#slack, this.violation)
    let best = -1
    for (let vertex = 0; vertex < vertices; vertex++) {
      if (this.#isMoved[vertex] === 1 || (best >= 0 && this.#gain[vertex] <= this.#gain[best])) continue
      const after = this.#violationOf(this.#size + (this.#side[vertex] === 0 ? -sizes[vertex] : sizes[vertex]))
      if (after <= allowed) best = vertex
    }
    return best
  }

  #move(vertex: number): void {
    const { first, neighbors, weights, sizes } = this.#graph
    this.cut -= this.#gain[vertex]
    this.#gain[vertex] = -this.#gain[vertex]
    this.#size += this.#side[vertex] === 0 ? -sizes[vertex] : sizes[vertex]
    this.#side[vertex] ^= 1
    for (let edge = first[vertex]; edge < first[vertex + 1]; edge++) {
      const other = neighbors[edge]
      this.#gain[other] += this.#side[other] === this.#side[vertex] ? -2 * weights[edge] : 2 * weights[edge]
    }
    this.violation = this.#violationOf(this.#size)
  }
}

/** Returns true if division `a` violates the sizes less than `b`, or equally with a smaller cut. */
function isBetter(a: Quality, b: Quality): boolean {
  return a.violation < b.violation || (a.violation === b.violation && a.cut < b.cut)
}
