import fc from 'fast-check'
import { expect, test } from 'vitest'
import { edgeCut, evenSizes, type Graph, graphOf, partition, type PartSize } from '../src/index.ts'

/** Random graphs with at most `most` vertices and edges of weight 1 to 9; most edges are absent. */
const graphs = (most: number): fc.Arbitrary<Graph> =>
  fc
    .tuple(fc.integer({ min: 1, max: most }), fc.infiniteStream(fc.constantFrom(0, 0, 0, 1, 2, 9)))
    .map(([vertices, stream]) => graphOf(vertices, () => stream.next().value as number))

const countsOf = (partOf: Int32Array, parts: number): ReadonlyArray<number> =>
  Array.from({ length: parts }, (_, part) => partOf.filter((each) => each === part).length)

/** Returns every assignment of the vertices to parts of the given sizes. */
function* divisions(vertices: number, sizes: ReadonlyArray<PartSize>): Generator<Int32Array> {
  const ways = sizes.length ** vertices
  for (let way = 0; way < ways; way++) {
    const partOf = Int32Array.from(
      { length: vertices },
      (_, vertex) => Math.floor(way / sizes.length ** vertex) % sizes.length,
    )
    const counts = countsOf(partOf, sizes.length)
    if (counts.every((count, part) => count >= sizes[part].least && count <= sizes[part].most)) yield partOf
  }
}

test('partition gives parts of the requested sizes, with at most the cut of parts of consecutive vertices', () => {
  fc.assert(
    fc.property(
      graphs(40),
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom(1, 1.03, 1.5, 2),
      (graph, parts, tolerance) => {
        const sizes = evenSizes(graph.vertices, parts, tolerance)
        const partOf = partition(graph, sizes)
        expect(partOf.length).toBe(graph.vertices)
        const counts = countsOf(partOf, parts)
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(graph.vertices)
        counts.forEach((count, part) => {
          expect(count).toBeGreaterThanOrEqual(sizes[part].least)
          expect(count).toBeLessThanOrEqual(sizes[part].most)
        })
        const naive = Int32Array.from({ length: graph.vertices }, (_, vertex) =>
          Math.floor((vertex * parts) / graph.vertices),
        )
        expect(edgeCut(graph, partOf)).toBeLessThanOrEqual(edgeCut(graph, naive))
        expect(partition(graph, sizes)).toEqual(partOf)
      },
    ),
    { numRuns: 25, seed: 4 },
  )
})

test('partition gives parts of different exact sizes', () => {
  fc.assert(
    fc.property(graphs(30), fc.array(fc.nat(9), { minLength: 1, maxLength: 5 }), (graph, wanted) => {
      const rest = graph.vertices - wanted.reduce((sum, size) => sum + size, 0)
      fc.pre(rest >= 0)
      const counts = [...wanted, rest]
      const partOf = partition(
        graph,
        counts.map((count) => ({ least: count, most: count })),
      )
      expect(countsOf(partOf, counts.length)).toEqual(counts)
    }),
    { numRuns: 25, seed: 4 },
  )
})

test.each([
  [2, 9, 1],
  [3, 7, 1.05],
])(
  'partition finds nearly the least cut of tiny graphs in %i parts, compared with every division',
  (parts, most, factor) => {
    let [found, least] = [0, 0]
    fc.assert(
      fc.property(graphs(most), fc.constantFrom(1, 1.5, 2), (graph, tolerance) => {
        const sizes = evenSizes(graph.vertices, parts, tolerance)
        found += edgeCut(graph, partition(graph, sizes))
        least += Math.min(...Array.from(divisions(graph.vertices, sizes), (partOf) => edgeCut(graph, partOf)))
      }),
      { numRuns: 25, seed: 4 },
    )
    expect(least).toBeGreaterThan(0)
    expect(found).toBeLessThanOrEqual(factor * least)
  },
)

test('partition finds the cliques of a graph with mixed vertex numbers', () => {
  // The graph has four cliques of eight vertices, connected by single edges, with the vertices in a mixed order.
  const clique = (vertex: number): number => (vertex * 5) % 4
  const graph = graphOf(32, (a, b) => (clique(a) === clique(b) ? 10 : b === a + 1 ? 1 : 0))
  const partOf = partition(graph, evenSizes(32, 4, 1))
  for (let vertex = 4; vertex < 32; vertex++) expect(partOf[vertex]).toBe(partOf[vertex % 4])
})

test('evenSizes gives the sizes of even parts, and refuses 0 parts and a tolerance below 1', () => {
  expect(evenSizes(6, 2, 1.03)).toEqual([
    { least: 2, most: 3 },
    { least: 2, most: 3 },
  ])
  expect(evenSizes(6, 2, 4 / 3)[0]).toEqual({ least: 2, most: 4 })
  expect(evenSizes(6, 2, 2)[0]).toEqual({ least: 1, most: 6 })
  expect(evenSizes(7, 3, 1)[0]).toEqual({ least: 2, most: 3 })
  expect(() => evenSizes(6, 0, 1)).toThrow(new RangeError('found 0 parts, expected at least 1'))
  expect(() => evenSizes(6, 2, 0.5)).toThrow(new RangeError('found a tolerance of 0.5, expected at least 1'))
})

test('partition throws an error with the reason if the sizes do not allow the number of vertices', () => {
  const graph = graphOf(4, () => 1)
  expect(() => partition(graph, [{ least: 1, most: 3 }])).toThrow(
    new RangeError('1 parts of these sizes have from 1 to 3 vertices, the graph has 4'),
  )
  expect(() => partition(graph, [{ least: 3, most: 2 }])).toThrow(
    new RangeError(
      'part 0 cannot have from 3 to 2 vertices: expected whole numbers from 0, the first at most the second',
    ),
  )
  expect(
    partition(
      graphOf(0, () => 1),
      [],
    ),
  ).toEqual(new Int32Array(0))
})
