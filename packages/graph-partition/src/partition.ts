import { bisect } from './bisect.ts'
import type { WeighedGraph } from './coarsen.ts'
import { edgeCut, type Graph } from './graph.ts'
import type { PartSize } from './part-size.ts'
import { refineParts } from './refine-parts.ts'

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
