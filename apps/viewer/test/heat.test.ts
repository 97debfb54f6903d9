import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { paintHeat, partialLeafFreeLoudness } from '../src/page/gantt/heat.ts'
import { paint } from '../src/page/gantt/layers.ts'
import { partialLeafFreeShares, partialLeafFreeSteps } from '../src/page/gantt/partial-leaf-free.ts'
import { columnsOf, type Taken } from './span-columns.ts'

const none = { first: new Int32Array(), last: new Int32Array(), from: new Float64Array(), to: new Float64Array() }

it('`partialLeafFreeShares` returns the share of free nodes on partly held or partly down leaves, by pod and column', () => {
  const topology = parseTopology('radix:4')
  const taken = fc.record({ start: fc.nat(20), length: fc.integer({ min: 1, max: 9 }), node: fc.nat(15) })
  const frame = fc.record({
    from: fc.nat(10),
    length: fc.integer({ min: 1, max: 20 }),
    width: fc.integer({ min: 1, max: 7 }),
  })
  fc.assert(
    fc.property(fc.array(taken, { maxLength: 9 }), fc.nat(9), frame, (all, outages, { from, length, width }) => {
      const now = 25
      // The spans and outages of one node must not overlap.
      const until = new Int32Array(16)
      const apart = all
        .toSorted((a, b) => a.start - b.start)
        .flatMap(({ start, length: lasts, node }): Array<Taken> => {
          if (start < until[node]) return []
          until[node] = start + lasts
          return [{ start, end: start + lasts, first: node, last: node }]
        })
      const [down, spans] = [apart.slice(0, outages), apart.slice(outages)]
      const steps = partialLeafFreeSteps(
        topology,
        columnsOf(spans.map((each) => (each.end > now ? { ...each, end: Number.NaN } : each))),
        {
          first: Int32Array.from(down, ({ first }) => first),
          last: Int32Array.from(down, ({ last }) => last),
          from: Float64Array.from(down, ({ start }) => start),
          to: Float64Array.from(down, ({ end }) => (end > now ? Number.NaN : end)),
        },
        now,
      )
      for (let pod = 0; pod < topology.pods; pod++) {
        const shares = partialLeafFreeShares(steps, pod, pod + 1, 4, { from, to: from + length, width })
        for (let x = 0; x < width; x++) {
          const [left, right] = [x, x + 1].map((at) => from + (at / width) * length)
          let partialLeafFree = 0
          // All spans and outages begin and end at whole seconds.
          for (let second = Math.floor(left); second < Math.min(right, now); second++) {
            const within = Math.min(right, second + 1) - Math.max(left, second)
            for (let leaf = 2 * pod; leaf < 2 * pod + 2; leaf++) {
              const free = [2 * leaf, 2 * leaf + 1].filter(
                (node) => !apart.some(({ start, end, first }) => first === node && start <= second && second < end),
              ).length
              if (free === 1) partialLeafFree += within
            }
          }
          if (left > now) expect(shares[x]).toBeNaN()
          else expect(shares[x]).toBeCloseTo(partialLeafFree / (4 * (right - left)), 6)
        }
      }
    }),
    { numRuns: 200 },
  )
})

it('`paintHeat` paints the share of held nodes above, and a known share of free nodes on partly used leaves below', () => {
  const frame = { from: 0, to: 2, firstNode: 0, endNode: 20, width: 2, height: 20 }
  const pixels = new Uint32Array(40)
  const held = Float32Array.from([1, 0.2, 0, 0.6])
  const partialLeafFree = [Float64Array.from([0, 0.5]), undefined]
  paintHeat(frame, [0, 10, 20], held, partialLeafFree, 0xff_12_34_56, (loud) => Math.round(1000 * loud), pixels)
  const column = (x: number): ReadonlyArray<number> => Array.from({ length: 20 }, (_, y) => pixels[2 * y + x])
  const rows = (count: number, color: number): ReadonlyArray<number> => new Array<number>(count).fill(color)
  expect(column(0)).toEqual([...rows(7, 0xff_12_34_56), ...rows(3, 0xff_12_34_56), ...rows(10, 0x00_12_34_56)])
  expect(column(1)).toEqual([...rows(7, 0x33_12_34_56), ...rows(3, 1000), ...rows(10, 0x99_12_34_56)])
  paintHeat(frame, [0, 20], held, [Float64Array.from([Number.NaN, 0])], 0xff_12_34_56, () => 7, pixels)
  expect(column(0)).toEqual(rows(20, 0xff_12_34_56))
})

it('`partialLeafFreeLoudness` has six bins of shares, whose upper bounds double from bin to bin', () => {
  expect(
    [Number.NaN, 0, 0.001, 0.01, 0.011, 0.02, 0.04, 0.08, 0.16, 0.17, 1].map(
      (share) => 6 * partialLeafFreeLoudness(share),
    ),
  ).toEqual([0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 6])
})

it('`paint` draws jobs of at least `least` pixels as bars with borders, and smaller jobs in one colour without borders', () => {
  const [color, border, quiet] = [5, 6, 7]
  const style = { least: 3, borderOf: () => border, small: quiet }
  for (const [across, down] of [
    [3, 3],
    [9, 4],
    [2, 9],
    [9, 2],
    [1, 1],
  ]) {
    const [width, height] = [12, 12]
    const frame = { from: 0, to: width, firstNode: 0, endNode: height, width, height }
    const pixels = new Uint32Array(width * height)
    const spans = columnsOf([{ start: 1, end: 1 + across, first: 2, last: 1 + down }])
    paint(spans, frame, width, () => color, pixels, style)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const isInside = x >= 1 && x < 1 + across && y >= 2 && y < 2 + down
        const isEdge = x === across || y === 1 + down
        const bar = isEdge ? border : color
        expect([x, y, pixels[y * width + x]]).toEqual([x, y, !isInside ? 0 : Math.min(across, down) < 3 ? quiet : bar])
      }
  }
  // Without `small`, jobs smaller than a bar have their own colours.
  const pixels = new Uint32Array(4)
  const frame = { from: 0, to: 2, firstNode: 0, endNode: 2, width: 2, height: 2 }
  paint(columnsOf([{ start: 0, end: 2, first: 0, last: 1 }]), frame, 2, () => color, pixels, {
    ...style,
    small: undefined,
  })
  expect([...pixels]).toEqual([5, 5, 5, 5])
})

it('`partialLeafFreeSteps` counts no free node on a partly used leaf if no job ever ran', () => {
  const steps = partialLeafFreeSteps(parseTopology('radix:4'), columnsOf([]), none, 10)
  expect([...partialLeafFreeShares(steps, 0, 4, 16, { from: 0, to: 10, width: 2 })]).toEqual([0, 0])
})
