import { bisect, type WeighedGraph } from './bisect.ts'
import { edgeCut, type Graph, type PartSize } from './graph.ts'

/** Largest number of parts for which every two parts are divided again; with more, this takes long and gains little. */
const FEW = 8

/**
 * Divides the vertices of a graph into parts of given sizes with little weight between different parts. The method is a
 * multilevel heuristic (Hendrickson and Leland 1995; Karypis and Kumar 1998): recursive bisection, then refinement
 * between all parts. The same graph gives the same parts on any machine.
 *
 * @returns the part of each vertex
 * @throws RangeError if the sizes do not allow the graph's number of vertices
 */
export function partition(graph: Graph, sizes: ReadonlyArray<PartSize>): Int32Array {
  checkSizes(graph.vertices, sizes)
  const vertices = Int32Array.from({ length: graph.vertices }, (_, vertex) => vertex)
  // If every part may have at most one vertex, every division has the same cut.
  if (sizes.every(({ most }) => most < 2)) return singles(graph.vertices, sizes)
  let best = new Int32Array(graph.vertices)
  let least = Infinity
  // The first trial uses all sizes that the parts allow. The second trial makes the two sides of each division even,
  // which leaves the refinement more possible moves.
  for (const isEven of [false, true]) {
    const partOf = new Int32Array(graph.vertices)
    divide(graph, vertices, sizes, 0, partOf, isEven)
    refineParts(graph, partOf, sizes)
    if (sizes.length <= FEW) dividePairsAgain(graph, partOf, sizes)
    const cut = edgeCut(graph, partOf)
    if (cut >= least) continue
    best = partOf
    least = cut
  }
  return best
}

function singles(vertices: number, sizes: ReadonlyArray<PartSize>): Int32Array {
  const empty = sizes.length - vertices
  const takers = [...sizes.keys()].filter((part) => sizes[part].most > 0)
  const spare = takers
    .filter((part) => sizes[part].least === 0)
    .slice(0, Math.max(0, empty - sizes.length + takers.length))
  return Int32Array.from(takers.filter((part) => !spare.includes(part)))
}

/** Divides the vertices of every two parts again, and keeps the new division of the two parts if it lowers the cut. */
function dividePairsAgain(graph: Graph, partOf: Int32Array, sizes: ReadonlyArray<PartSize>): void {
  for (let first = 0; first < sizes.length; first++) {
    for (let second = first + 1; second < sizes.length; second++) {
      const members = Int32Array.from(partOf.keys()).filter((each) => partOf[each] === first || partOf[each] === second)
      const before = edgeCut(graph, partOf)
      const side = bisect(
        inducedGraph(graph, members),
        boundsOf(members.length, [sizes[first]], [sizes[second]], false),
      )
      const changed = partOf.slice()
      members.forEach((vertex, at) => (changed[vertex] = side[at] === 0 ? first : second))
      if (edgeCut(graph, changed) < before) partOf.set(changed)
    }
  }
}

function checkSizes(vertices: number, sizes: ReadonlyArray<PartSize>): void {
  for (const [part, { least, most }] of sizes.entries())
    if (!Number.isSafeInteger(least) || !Number.isSafeInteger(most) || least < 0 || most < least)
      throw new RangeError(
        `part ${part} cannot have from ${least} to ${most} vertices: expected whole numbers from 0, the first at most the second`,
      )
  const least = total(sizes, 'least')
  const most = total(sizes, 'most')
  if (vertices < least || vertices > most)
    throw new RangeError(
      `${sizes.length} parts of these sizes have from ${least} to ${most} vertices, the graph has ${vertices}`,
    )
}

/** Divides vertices into parts with numbers from `first` on, and writes the part of each vertex into `partOf`. */
function divide(
  graph: Graph,
  vertices: Int32Array,
  sizes: ReadonlyArray<PartSize>,
  first: number,
  partOf: Int32Array,
  isEven: boolean,
): void {
  if (sizes.length < 2) {
    for (const vertex of vertices) partOf[vertex] = first
    return
  }
  const half = isEven ? Math.floor(sizes.length / 2) : Math.ceil(sizes.length / 2)
  const [left, right] = [sizes.slice(0, half), sizes.slice(half)]
  const bounds = boundsOf(vertices.length, left, right, isEven)
  const side = bisect(inducedGraph(graph, vertices), bounds)
  const sideOf = (wanted: number): Int32Array => vertices.filter((_, at) => side[at] === wanted)
  divide(graph, sideOf(0), left, first, partOf, isEven)
  divide(graph, sideOf(1), right, first + half, partOf, isEven)
}

/** Returns the allowed number of vertices in the parts `left`, given the sizes of the parts `left` and `right`. */
function boundsOf(
  vertices: number,
  left: ReadonlyArray<PartSize>,
  right: ReadonlyArray<PartSize>,
  isEven: boolean,
): PartSize {
  const least = Math.max(total(left, 'least'), vertices - total(right, 'most'))
  const most = Math.min(total(left, 'most'), vertices - total(right, 'least'))
  if (!isEven || left.length + right.length === 2) return { least, most }
  const even = (vertices * total(left, 'most')) / (total(left, 'most') + total(right, 'most'))
  const within = (wanted: number): number => Math.max(least, Math.min(most, wanted))
  return { least: within(Math.floor(even)), most: within(Math.ceil(even)) }
}

function total(sizes: ReadonlyArray<PartSize>, bound: keyof PartSize): number {
  return sizes.reduce((sum, size) => sum + size[bound], 0)
}

function inducedGraph({ vertices: all, first, neighbors, weights }: Graph, vertices: Int32Array): WeighedGraph {
  const numberOf = new Int32Array(all).fill(-1)
  vertices.forEach((vertex, number) => (numberOf[vertex] = number))
  const firstHere = new Int32Array(vertices.length + 1)
  const found: Array<number> = []
  vertices.forEach((vertex, number) => {
    for (let edge = first[vertex]; edge < first[vertex + 1]; edge++)
      if (numberOf[neighbors[edge]] >= 0) found.push(edge)
    firstHere[number + 1] = found.length
  })
  return {
    vertices: vertices.length,
    first: firstHere,
    neighbors: Int32Array.from(found, (edge) => numberOf[neighbors[edge]]),
    weights: Float64Array.from(found, (edge) => weights[edge]),
    sizes: new Int32Array(vertices.length).fill(1),
  }
}

/** Number of successive moves without improvement that ends a pass. */
const PATIENCE = 64
/** Allowed violation of the sizes during a pass: a move makes one part too small and another too large by a vertex. */
const SLACK = 2

/**
 * Refines a division into any number of parts by passes of Fiduccia and Mattheyses between all parts. A vertex moves
 * only to a part to which the vertex has an edge. The function changes `partOf`.
 */
function refineParts(graph: Graph, partOf: Int32Array, sizes: ReadonlyArray<PartSize>): void {
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
