import type { WeighedGraph } from './coarsen.ts'
import type { PartSize } from './part-size.ts'

/** Number of successive moves without improvement that ends a pass. */
const PATIENCE = 64

/**
 * Quality of a division in two sides: `violation` is the distance of the sizes from the requested sizes in vertices,
 * `cut` the weight of the edges between the sides.
 */
export interface Quality {
  readonly violation: number
  readonly cut: number
}

/**
 * Refines a bisection by passes of Fiduccia and Mattheyses. In each move of a pass, the unmoved vertex with the
 * greatest gain changes sides, even for a loss. At the end of a pass, all moves after the best state are undone. Passes
 * are repeated while they improve the division. The function changes `side`.
 */
export function refineBisection(graph: WeighedGraph, side: Uint8Array, left: PartSize): Quality {
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
export function isBetter(a: Quality, b: Quality): boolean {
  return a.violation < b.violation || (a.violation === b.violation && a.cut < b.cut)
}
