import type { Graph } from './graph.ts'
import type { PartSize } from './part-size.ts'

/** Number of successive moves without improvement that ends a pass. */
const PATIENCE = 64
/** Allowed violation of the sizes during a pass: a move makes one part too small and another too large by a vertex. */
const SLACK = 2

/**
 * Refines a division into any number of parts by passes of Fiduccia and Mattheyses between all parts. A vertex moves
 * only to a part to which the vertex has an edge. The function changes `partOf`.
 */
export function refineParts(graph: Graph, partOf: Int32Array, sizes: ReadonlyArray<PartSize>): void {
  if (sizes.length < 2) return
  const moves = new Parts(graph, partOf, sizes)
  while (moves.pass());
}

class Parts {
  readonly #graph: Graph
  readonly #partOf: Int32Array
  readonly #limits: ReadonlyArray<PartSize>
  readonly #parts: number
  readonly #count: Int32Array
  /** Sum of the weights of the edges from each vertex to each part, at index `vertex * parts + part`. */
  readonly #ties: Float64Array
  /** Largest gain of each vertex from a move to another part of any size; -Infinity without an edge to another part. */
  readonly #reach: Float64Array
  readonly #isMoved: Uint8Array
  readonly #moved: Int32Array
  readonly #movedFrom: Int32Array
  #violation = 0
  #target = -1

  constructor(graph: Graph, partOf: Int32Array, limits: ReadonlyArray<PartSize>) {
    const { vertices, first, neighbors, weights } = graph
    this.#graph = graph
    this.#partOf = partOf
    this.#limits = limits
    this.#parts = limits.length
    this.#count = new Int32Array(limits.length)
    this.#ties = new Float64Array(vertices * limits.length)
    this.#reach = new Float64Array(vertices)
    this.#isMoved = new Uint8Array(vertices)
    this.#moved = new Int32Array(vertices)
    this.#movedFrom = new Int32Array(vertices)
    for (let vertex = 0; vertex < vertices; vertex++) {
      this.#count[partOf[vertex]]++
      for (let edge = first[vertex]; edge < first[vertex + 1]; edge++)
        this.#ties[vertex * this.#parts + partOf[neighbors[edge]]] += weights[edge]
    }
    for (let vertex = 0; vertex < vertices; vertex++) this.#reachOut(vertex)
    for (let part = 0; part < this.#parts; part++) this.#violation += this.#violationOf(part, 0)
  }

  #reachOut(vertex: number): void {
    const base = vertex * this.#parts
    const own = this.#partOf[vertex]
    let most = 0
    for (let part = 0; part < this.#parts; part++)
      if (part !== own && this.#ties[base + part] > most) most = this.#ties[base + part]
    // A vertex without an edge to another part does not move.
    this.#reach[vertex] = most === 0 ? -Infinity : most - this.#ties[base + own]
  }

  #violationOf(part: number, more: number): number {
    const { least, most } = this.#limits[part]
    const count = this.#count[part] + more
    return Math.max(0, least - count, count - most)
  }

  /** Makes one pass of Fiduccia and Mattheyses. Returns true if the pass improved the parts. */
  pass(): boolean {
    let [gain, bestGain, bestViolation] = [0, 0, this.#violation]
    let [moves, bestMoves] = [0, 0]
    this.#isMoved.fill(0)
    while (moves - bestMoves < PATIENCE) {
      const vertex = this.#next()
      if (vertex < 0) break
      const from = this.#partOf[vertex]
      gain += this.#gainOf(vertex, this.#target)
      this.#move(vertex, this.#target)
      this.#isMoved[vertex] = 1
      this.#moved[moves] = vertex
      this.#movedFrom[moves++] = from
      if (this.#violation > bestViolation || (this.#violation === bestViolation && gain <= bestGain)) continue
      bestGain = gain
      bestViolation = this.#violation
      bestMoves = moves
    }
    while (moves > bestMoves) this.#move(this.#moved[--moves], this.#movedFrom[moves])
    return bestMoves > 0
  }

  #gainOf(vertex: number, part: number): number {
    return this.#ties[vertex * this.#parts + part] - this.#ties[vertex * this.#parts + this.#partOf[vertex]]
  }

  /** Returns the vertex with the greatest gain and sets `#target` to its new part; -1 if no vertex may move. */
  #next(): number {
    const allowed = Math.max(SLACK, this.#violation)
    let best = -1
    let most = -Infinity
    for (let vertex = 0; vertex < this.#moved.length; vertex++) {
      if (this.#isMoved[vertex] === 1 || this.#reach[vertex] <= most) continue
      const from = this.#partOf[vertex]
      const own = this.#ties[vertex * this.#parts + from]
      const rest = this.#violation - this.#violationOf(from, 0) + this.#violationOf(from, -1)
      for (let part = 0; part < this.#parts; part++) {
        const tie = this.#ties[vertex * this.#parts + part]
        if (part === from || tie === 0 || tie - own <= most) continue
        if (rest - this.#violationOf(part, 0) + this.#violationOf(part, 1) > allowed) continue
        best = vertex
        most = tie - own
        this.#target = part
      }
    }
    return best
  }

  #move(vertex: number, to: number): void {
    const { first, neighbors, weights } = this.#graph
    const from = this.#partOf[vertex]
    this.#violation += this.#violationOf(from, -1) - this.#violationOf(from, 0)
    this.#count[from]--
    this.#violation += this.#violationOf(to, 1) - this.#violationOf(to, 0)
    this.#count[to]++
    this.#partOf[vertex] = to
    for (let edge = first[vertex]; edge < first[vertex + 1]; edge++) {
      this.#ties[neighbors[edge] * this.#parts + from] -= weights[edge]
      this.#ties[neighbors[edge] * this.#parts + to] += weights[edge]
      this.#reachOut(neighbors[edge])
    }
    this.#reachOut(vertex)
  }
}
