import fc from 'fast-check'
import { expect, test } from 'vitest'
import { colourEdges } from '../src/colouring.ts'

const graphs = fc
  .integer({ min: 1, max: 9 })
  .chain((vertices) =>
    fc
      .array(fc.tuple(fc.nat(vertices - 1), fc.nat(vertices - 1)), { maxLength: 80 })
      .map((edges) => ({ vertices, edges })),
  )

test('colourEdges needs as many colours as the largest degree, and edges with a common vertex get different colours', () => {
  fc.assert(
    fc.property(graphs, ({ vertices, edges }) => {
      const degree = (side: 0 | 1): number =>
        Math.max(...Array.from({ length: vertices }, (_, v) => edges.filter((edge) => edge[side] === v).length))
      const colours = Math.max(1, degree(0), degree(1))
      const colourOf = colourEdges(
        vertices,
        edges.map(([left]) => left),
        edges.map(([, right]) => right),
        colours,
      )
      edges.forEach(([left, right], edge) => {
        expect(colourOf[edge]).toBeGreaterThanOrEqual(0)
        expect(colourOf[edge]).toBeLessThan(colours)
        const clash = edges.findIndex(
          (other, i) => i < edge && colourOf[i] === colourOf[edge] && (other[0] === left || other[1] === right),
        )
        expect(clash).toBe(-1)
      })
    }),
    { numRuns: 500 },
  )
})

test('colourEdges colours a graph with more than 32 colours and without a spare colour', () => {
  const vertices = 5
  const degree = 37
  const left = Array.from({ length: vertices * degree }, (_, edge) => edge % vertices)
  const right = left.map((vertex, edge) => (vertex + Math.floor(edge / vertices / 8)) % vertices)
  const colourOf = colourEdges(vertices, left, right, degree)
  for (const side of [left, right]) {
    for (let vertex = 0; vertex < vertices; vertex++)
      expect(new Set(colourOf.filter((_, edge) => side[edge] === vertex)).size).toBe(degree)
  }
})
