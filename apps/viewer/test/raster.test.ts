import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Column } from '../src/run/column.ts'
import { paint, type SpanColumns } from '../src/page/gantt/layers.ts'

interface Span {
  readonly start: number
  readonly length: number | undefined
  readonly first: number
  readonly nodes: number
}

function columnsOf(spans: ReadonlyArray<Span>, blockLength: number): SpanColumns {
  const columns = {
    starts: new Column(Float64Array),
    ends: new Column(Float64Array),
    rangesFrom: new Column(Int32Array),
    ranges: new Column(Int32Array),
    blockStarts: new Column(Float64Array),
    blockEnds: new Column(Float64Array),
  }
  spans.forEach(({ start, length, first, nodes }, at) => {
    columns.starts.push(start)
    columns.ends.push(length === undefined ? Number.NaN : start + length)
    columns.rangesFrom.push(2 * at)
    columns.ranges.push(first)
    columns.ranges.push(first + nodes - 1)
    const block = Math.floor(at / blockLength)
    const end = length === undefined ? Infinity : start + length
    if (block === columns.blockStarts.length) {
      columns.blockStarts.push(start)
      columns.blockEnds.push(end)
    } else columns.blockEnds.set(block, Math.max(columns.blockEnds.at(block), end))
  })
  columns.rangesFrom.push(2 * spans.length)
  return { spans: spans.length, blockLength, ...columns }
}

it('`paint` shows in every pixel the job at the middle of the pixel', () => {
  const span = fc.record({
    start: fc.integer({ min: 0, max: 60 }),
    length: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
    first: fc.nat(12),
    nodes: fc.integer({ min: 1, max: 4 }),
  })
  fc.assert(
    fc.property(
      fc.array(span, { maxLength: 30 }),
      fc.integer({ min: 1, max: 7 }),
      fc.record({
        from: fc.nat(50),
        length: fc.integer({ min: 1, max: 60 }),
        firstNode: fc.nat(10),
        nodes: fc.integer({ min: 1, max: 10 }),
        width: fc.integer({ min: 1, max: 40 }),
        height: fc.integer({ min: 1, max: 30 }),
      }),
      (spans, blockLength, view) => {
        const sorted = spans.toSorted((a, b) => a.start - b.start)
        const { from, firstNode, width, height } = view
        const frame = { from, to: from + view.length, firstNode, endNode: firstNode + view.nodes, width, height }
        const now = 100
        const pixels = new Uint32Array(width * height)
        paint(columnsOf(sorted, blockLength), frame, now, (each) => each + 1, pixels)
        for (let y = 0; y < height; y++) {
          for (let x = 0; x < width; x++) {
            const t = from + ((x + 0.5) / width) * view.length
            const node = firstNode + ((y + 0.5) / height) * view.nodes
            const holds = (each: Span): boolean =>
              each.start <= t &&
              t < (each.length === undefined ? now : each.start + each.length) &&
              each.first <= node &&
              node < each.first + each.nodes
            const onEdge = sorted.some(
              (each) =>
                [each.start, each.length === undefined ? now : each.start + each.length].some(
                  (edge) => Math.abs(edge - t) < 1e-9,
                ) || [each.first, each.first + each.nodes].some((edge) => Math.abs(edge - node) < 1e-9),
            )
            if (!onEdge) expect(pixels[y * width + x]).toBe(sorted.findLastIndex(holds) + 1)
          }
        }
      },
    ),
    { numRuns: 300 },
  )
})
