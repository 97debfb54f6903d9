import * as Plot from '@observablehq/plot'
import type { Figure, Mark, Place } from './figure.ts'
import { dashOf, fillOf } from './patterns.ts'
import type { Scale } from './scale.ts'
import { textWidth } from './text-width.ts'

/** Colour of axes and of marks without a key. */
export const INK = '#222'

/** Margins of all panels in pixels, and the height of a panel's plot without margins. */
export interface Frame {
  readonly type: number
  readonly left: number
  readonly right: number
  readonly width: number
  readonly height: number
  readonly title: number
  readonly hasPatterns: boolean
}

/** Scales of both axes of a panel. */
interface Scales {
  readonly x: Scale
  readonly y: Scale
}

/** Returns the place of a coordinate on a scale, from 0 (begin of the axis) to 1; only for linear scales. */
function shareOf({ domain: [from, to] }: Scale, value: number): number {
  return (value - from) / (to - from)
}

/** Returns the marks of the drawing library for one mark of a figure. */
export function plotMarks(
  { keys }: Figure,
  { shape, rows, opacity = 1, hasBorder = false, isBold = false }: Mark,
  { x, y }: Scales,
  frame: Frame,
): ReadonlyArray<Plot.Markish> {
  const { type, hasPatterns } = frame
  const places = new Map(keys.map(({ name }, at) => [name, at]))
  const colorOf = ({ key }: Place): string => keys[places.get(key) ?? -1]?.color ?? INK
  const fill = (row: Place): string => {
    const at = places.get(row.key)
    if (at === undefined) return INK
    return keys[at].isEmpty === true ? 'white' : hasPatterns ? fillOf(at, keys[at].color) : keys[at].color
  }
  const [xOf, yOf] = [(row: Place): number => x.of(row.x), (row: Place): number => y.of(row.y)]
  const isInside = (row: Place): boolean => isWithin(x, xOf(row)) && isWithin(y, yOf(row))
  const [thin, thick] = [type / 9, type / 4.5]
  switch (shape) {
    case 'line':
    case 'steps':
      return lineMarks({ shape, rows, isBold }, { x, y }, places, keys, frame)
    case 'area':
    case 'step-area': {
      const clip = rows.every(isInside) ? {} : { clip: 'frame' as const }
      const curve = shape === 'area' ? 'linear' : 'step-after'
      const options = { x: xOf, y1: yOf, y2: (row: Place) => y.of(row.y2!), z: 'key', curve } as const
      const drawn = shape === 'area' ? rows : withoutRepeats(rows)
      return [Plot.areaY(drawn, { ...options, fill, fillOpacity: opacity, ...clip })]
    }
    case 'rect':
      return rectangles(rows, { x, y }, { fill, colorOf, opacity, hasBorder }, keys, frame)
    case 'rule': {
      const shown = rows.flatMap((row) => clamped(row, x, y) ?? [])
      const strokeWidth = isBold ? thick : thin
      return [
        Plot.link(shown, { x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2', stroke: ({ row }) => colorOf(row), strokeWidth }),
      ]
    }
    case 'point':
      return [Plot.dot(rows.filter(isInside), { x: xOf, y: yOf, fill: colorOf, r: type / 3, title: 'text' })]
    case 'ring': {
      const options = { x: xOf, y: yOf, stroke: colorOf, strokeOpacity: opacity, r: type / 4 }
      return [Plot.dot(rows.filter(isInside), options)]
    }
    case 'edge': {
      const options = { x: xOf, y: yOf, stroke: colorOf, strokeWidth: thin * 1.5, r: type / 3, symbol: upright }
      return [Plot.dot(rows.filter(isInside), options)]
    }
    case 'text':
      return [Plot.text(rows.filter(isInside), { x: xOf, y: yOf, text: 'text', textAnchor: 'start', fill: INK })]
  }
}

/** Returns a line for each series of a mark, with the dashes of the series. */
function lineMarks(
  { shape, rows, isBold = false }: Pick<Mark, 'shape' | 'rows' | 'isBold'>,
  { x, y }: Scales,
  places: ReadonlyMap<string, number>,
  keys: Figure['keys'],
  { type, hasPatterns }: Frame,
): ReadonlyArray<Plot.Markish> {
  const clip = rows.every((row) => isWithin(x, x.of(row.x)) && isWithin(y, y.of(row.y)))
    ? {}
    : { clip: 'frame' as const }
  return [...Map.groupBy(rows, ({ key }) => key)].map(([name, all]) => {
    const at = places.get(name)
    const dash = hasPatterns ? dashOf(at ?? 0, type) : undefined
    return Plot.line(shape === 'steps' ? withoutRepeats(all) : all, {
      x: (row: Place) => x.of(row.x),
      y: (row: Place) => y.of(row.y),
      stroke: at === undefined ? INK : keys[at].color,
      strokeWidth: isBold ? type / 4.5 : type / 9,
      ...(shape === 'steps' ? { curve: 'step-after' as const } : {}),
      ...(dash === undefined ? {} : { strokeDasharray: dash }),
      ...clip,
    })
  })
}

/** Returns the steps whose value differs from the step before or after, and no area that is empty everywhere. */
function withoutRepeats(rows: ReadonlyArray<Place>): ReadonlyArray<Place> {
  const byKey = Map.groupBy(rows, ({ key }) => key)
  return [...byKey.values()]
    .filter((own) => own.some(({ y, y2 }) => y2 === undefined || y2 > y))
    .flatMap((own) =>
      own.filter(({ y, y2 }, at) => {
        const before = own[at - 1]
        return at === own.length - 1 || before?.y !== y || before.y2 !== y2
      }),
    )
}

/** A short bar across a horizontal rule. The area of a symbol of radius r is π r². */
const upright = {
  draw(
    context: { readonly moveTo: (x: number, y: number) => void; readonly lineTo: (x: number, y: number) => void },
    size: number,
  ): void {
    const half = Math.sqrt(size / 3.1416)
    context.moveTo(0, -half)
    context.lineTo(0, half)
  },
}

interface Paint {
  readonly fill: (row: Place) => string
  readonly colorOf: (row: Place) => string
  readonly opacity: number
  readonly hasBorder: boolean
}

function rectangles(
  rows: ReadonlyArray<Place>,
  { x, y }: Scales,
  { fill, colorOf, opacity, hasBorder }: Paint,
  keys: Figure['keys'],
  { type, width, left, right, height }: Frame,
): ReadonlyArray<Plot.Markish> {
  const shown = rows.flatMap((row) => clamped(row, x, y) ?? [])
  const empty = new Set(keys.flatMap(({ name, isEmpty }) => (isEmpty === true ? [name] : [])))
  const labelled = shown.filter(({ row: { text = '' }, x1, x2, y1, y2 }) => {
    const wide = Math.abs(shareOf(x, x2) - shareOf(x, x1)) * (width - left - right)
    const high = Math.abs(shareOf(y, y2) - shareOf(y, y1)) * height
    return text !== '' && high > type * 1.05 && wide > textWidth(text, type) + type * 0.4
  })
  const ends = { x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2' } as const
  const boxes = (of: typeof shown, border: object): Plot.Markish =>
    Plot.rect(of, { ...ends, fill: ({ row }) => fill(row), fillOpacity: opacity, ...border })
  return [
    boxes(
      shown.filter(({ row }) => !empty.has(row.key)),
      hasBorder ? { stroke: 'white', strokeWidth: type / 18 } : { shapeRendering: 'crispEdges' },
    ),
    boxes(
      shown.filter(({ row }) => empty.has(row.key)),
      { stroke: ({ row }: (typeof shown)[number]) => colorOf(row), strokeWidth: type / 12 },
    ),
    Plot.text(labelled, {
      x: ({ x1, x2 }) => (x1 + x2) / 2,
      y: ({ y1, y2 }) => (y1 + y2) / 2,
      text: ({ row }) => row.text,
      fill: 'black',
    }),
  ]
}

/** Returns a rectangle or a rule cut at the ends of the axes; undefined if it lies outside. */
function clamped(row: Place, x: Scale, y: Scale) {
  const [x1, x2] = cut(x, x.of(row.x), x.of(row.x2 ?? row.x))
  const [y1, y2] = cut(y, y.of(row.y), y.of(row.y2 ?? row.y))
  return Number.isNaN(x1) || Number.isNaN(y1) ? undefined : { row, x1, x2, y1, y2 }
}

function cut({ domain }: Scale, first: number, second: number): readonly [number, number] {
  const [low, high] = domain[0] < domain[1] ? domain : [domain[1], domain[0]]
  if (Math.max(first, second) < low || Math.min(first, second) > high) return [Number.NaN, Number.NaN]
  const within = (value: number): number => Math.min(high, Math.max(low, value))
  return [within(first), within(second)]
}

function isWithin({ domain: [from, to] }: Scale, value: number): boolean {
  return value >= Math.min(from, to) && value <= Math.max(from, to)
}
