import { RoutingError } from './routes.ts'

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

/**
 * Colours flows among switches. Two flows out of the same switch, or into the same switch, have different colours, and
 * neither end of a flow lacks the flow's colour. First, added flows make the numbers of flows out of and into every
 * switch equal to the number of colours: flows between any switches up to each switch's need, and beyond its need flows
 * of a switch to itself. Then the function uses the colours one at a time, in the order of `lacks`. A switch that lacks
 * a colour spends the colour on a flow to itself; the other switches get a perfect matching. By Hall's theorem, the
 * matching exists if the switches that lack the t-th colour from the end need at most t - 1 colours together (proof in
 * CONDITION.md of the policy mosaic).
 *
 * @param needs greatest number of flows out of each switch, and into each switch
 * @param lacks for each colour, a list of switches: 1 for a switch that lacks the colour, else 0; there are as many
 *   colours as the largest need
 * @throws RoutingError if more flows leave or reach a switch than its need, or if too many switches lack a colour
 */
export function colourLacking(
  needs: Int32Array,
  lacks: ReadonlyArray<Uint8Array>,
  from: Int32Array,
  to: Int32Array,
): Int32Array {
  const flows = new FilledUp(needs, lacks.length, from, to)
  const colourOf = new Int32Array(from.length).fill(-1)
  lacks.forEach((lack, colour) => {
    for (const flow of flows.match(lack)) if (flow < from.length) colourOf[flow] = colour
  })
  return colourOf
}

/** Uncoloured flows, with added flows, so that equally many flows leave and reach each of the switches. */
class FilledUp {
  readonly #switches: number
  readonly #from: Array<number>
  readonly #to: Array<number>
  readonly #out: ReadonlyArray<Array<number>>
  /** Flow to each switch in the current matching; -1 for a switch without such a flow. */
  readonly #incoming: Int32Array
  readonly #isVisited: Uint8Array

  constructor(needs: Int32Array, colours: number, from: Int32Array, to: Int32Array) {
    this.#switches = needs.length
    this.#from = Array.from(from)
    this.#to = Array.from(to)
    this.#out = Array.from(needs, () => [])
    this.#incoming = new Int32Array(needs.length)
    this.#isVisited = new Uint8Array(needs.length)
    const missingOut = needs.slice()
    const missingIn = needs.slice()
    from.forEach((sender, flow) => {
      this.#out[sender].push(flow)
      missingOut[sender]--
      missingIn[to[flow]]--
    })
    if (Math.min(...missingOut, ...missingIn) < 0)
      throw new RoutingError('more flows leave or reach a switch than its need allows')
    let receiver = 0
    for (let sender = 0; sender < needs.length; sender++) {
      for (let i = 0; i < missingOut[sender]; i++) {
        while (missingIn[receiver] === 0) receiver++
        missingIn[receiver]--
        this.#add(sender, receiver)
      }
      for (let i = needs[sender]; i < colours; i++) this.#add(sender, sender)
    }
  }

  #add(sender: number, receiver: number): void {
    this.#out[sender].push(this.#to.length)
    this.#from.push(sender)
    this.#to.push(receiver)
  }

  /** Removes and returns a perfect matching, in which each switch that lacks the colour has a flow to itself. */
  match(lack: Uint8Array): ReadonlyArray<number> {
    this.#incoming.fill(-1)
    for (let sender = 0; sender < this.#switches; sender++) {
      if (lack[sender] === 1) {
        this.#incoming[sender] = this.#out[sender].find((flow) => this.#to[flow] === sender) ?? -1
        continue
      }
      this.#isVisited.fill(0)
      this.#augment(sender, lack)
    }
    const taken = new Set(this.#incoming)
    if (taken.has(-1)) throw new RoutingError('too many switches lack a colour, so the flows cannot be coloured')
    for (const flows of this.#out)
      flows.splice(
        flows.findIndex((flow) => taken.has(flow)),
        1,
      )
    return [...taken]
  }

  /** Adds a flow out of a switch to the matching by Kuhn's algorithm, which may change earlier choices. */
  #augment(sender: number, lack: Uint8Array): boolean {
    for (const flow of this.#out[sender]) {
      const receiver = this.#to[flow]
      if (lack[receiver] === 1 || this.#isVisited[receiver] === 1) continue
      this.#isVisited[receiver] = 1
      const other = this.#incoming[receiver]
      if (other >= 0 && !this.#augment(this.#from[other], lack)) continue
      this.#incoming[receiver] = flow
      return true
    }
    return false
  }
}
