/**
 * Colours the edges of a bipartite multigraph so that edges with a common vertex have different colours. As many
 * colours as the largest degree are always enough (König 1916). If the two ends of a new edge have no common free
 * colour, the function exchanges a free colour of each end along the path of edges in these two colours that begins at
 * the right end.
 *
 * @param vertices number of vertices on each side
 * @param left left vertex of each edge
 * @param right right vertex of each edge
 * @param colours number of colours, at least the largest degree
 * @returns the colour of each edge
 */
export function colourEdges(
  vertices: number,
  left: ArrayLike<number>,
  right: ArrayLike<number>,
  colours: number,
): Int32Array {
  const colourOf = new Int32Array(left.length)
  const lefts = new Side(vertices, colours)
  const rights = new Side(vertices, colours)
  const paint = (edge: number, colour: number): void => {
    colourOf[edge] = colour
    lefts.use(left[edge], colour, edge)
    rights.use(right[edge], colour, edge)
  }
  const path: Array<number> = []
  for (let edge = 0; edge < left.length; edge++) {
    const both = lefts.freeInBoth(left[edge], rights, right[edge])
    if (both >= 0) {
      paint(edge, both)
      continue
    }
    const mine = lefts.free(left[edge])
    const other = rights.free(right[edge])
    // The path reaches left vertices only by edges of colour `mine`, which is free at the left end of the new edge. So
    // the path never reaches this left end.
    path.length = 0
    for (let next = rights.edgeAt(right[edge], mine); next >= 0;) {
      path.push(next)
      next = path.length % 2 === 1 ? lefts.edgeAt(left[next], other) : rights.edgeAt(right[next], mine)
    }
    for (const each of path) {
      lefts.clear(left[each], colourOf[each])
      rights.clear(right[each], colourOf[each])
    }
    for (const each of path) paint(each, mine + other - colourOf[each])
    paint(edge, mine)
  }
  return colourOf
}

class Side {
  readonly #colours: number
  readonly #words: number
  /** Edge of each colour at each vertex, in a row of colours for each vertex; -1 for a free colour. */
  readonly #edges: Int32Array
  /** Free colours of each vertex, one bit a colour. */
  readonly #free: Int32Array

  constructor(vertices: number, colours: number) {
    this.#colours = colours
    this.#words = (colours + 31) >>> 5
    this.#edges = new Int32Array(vertices * colours).fill(-1)
    this.#free = new Int32Array(vertices * this.#words)
    for (let vertex = 0; vertex < vertices; vertex++)
      for (let colour = 0; colour < colours; colour++) this.#flip(vertex, colour)
  }

  edgeAt(vertex: number, colour: number): number {
    return this.#edges[vertex * this.#colours + colour]
  }

  use(vertex: number, colour: number, edge: number): void {
    this.#edges[vertex * this.#colours + colour] = edge
    this.#flip(vertex, colour)
  }

  clear(vertex: number, colour: number): void {
    this.#edges[vertex * this.#colours + colour] = -1
    this.#flip(vertex, colour)
  }

  free(vertex: number): number {
    return this.freeInBoth(vertex, this, vertex)
  }

  /** Returns the first colour that is free at a vertex of each side; -1 if there is none. */
  freeInBoth(vertex: number, other: Side, otherVertex: number): number {
    for (let word = 0; word < this.#words; word++) {
      const bits = this.#free[vertex * this.#words + word] & other.#free[otherVertex * this.#words + word]
      if (bits !== 0) return (word << 5) + 31 - Math.clz32(bits & -bits)
    }
    return -1
  }

  #flip(vertex: number, colour: number): void {
    this.#free[vertex * this.#words + (colour >>> 5)] ^= 1 << (colour & 31)
  }
}
