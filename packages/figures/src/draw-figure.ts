import * as Plot from '@observablehq/plot'
import { type Axis, type Figure, type Look, type Mark, type Panel, type Place, withRanges } from './figure.ts'
import { dashOf, fillOf } from './patterns.ts'
import {
  type Drawer,
  drawSheet,
  type Extent,
  legendHeight,
  type LegendEntry,
  type Picture,
  type PlacedPlot,
  type PlacedText,
  TYPE,
  WIDER,
} from './picture.ts'
import { coordinatesOf, type Scale, scaleOf, type Tick, withSameAxis } from './scale.ts'
import { textWidth } from './text-width.ts'

const INK = '#222'

/** Margins of all panels in pixels, and the height of a panel's plot without margins. */
interface Frame {
  readonly type: number
  readonly left: number
  readonly right: number
  readonly width: number
  readonly height: number
  readonly title: number
  readonly hasPatterns: boolean
}

/** Draws a figure as an SVG text that needs no other file. `look` overrides the ranges of axes. */
export function drawFigure(document: Drawer, extent: Extent, plain: Figure, look: Look = {}): string {
  const figure = withRanges(plain, look)
  const { type = TYPE, width } = extent
  const { panels } = figure
  const keys = legendOf(figure)
  const title = panels.some((panel) => panel.title !== undefined) ? type * 1.9 : type * 0.5
  const foot = figure.x.isHidden === true ? type * 0.4 : figure.x.label === '' ? type * 1.6 : type * 3.1
  const all = extent.height - legendHeight(extent, keys) - foot
  const height = Math.max(type, all / panels.length - title)
  const ys = panels.map((panel) => {
    const room = { length: height, need: () => type * 1.7 }
    return scaleOf(panel.y, coordinatesOf(withSameAxis(figure, panel), 'y'), room)
  })
  const widest = Math.max(0, ...ys.flatMap(({ ticks }) => ticks.map(({ label }) => textWidth(label, type) * WIDER)))
  const left = widest + type * (panels.every(({ y }) => y.label === '') ? 0.6 : 2.1) + (widest > 0 ? type * 0.6 : 0)
  const right = type * 1.6
  const x = scaleOf(figure.x, coordinatesOf(panels, 'x'), {
    length: width - left - right,
    need: (label) => textWidth(label, type) + type,
  })
  const frame: Frame = { type, left, right, width, height, title, hasPatterns: look.hasPatterns ?? false }
  const parts = panels.map((panel, at) => {
    const top = at * (height + title) + title
    return panelOf(figure, panel, { x, y: ys[at], top, isLast: at === panels.length - 1 }, frame)
  })
  const bottom = panels.length * (height + title)
  const label: ReadonlyArray<PlacedText> =
    figure.x.label === '' || figure.x.isHidden === true
      ? []
      : [{ text: x.label, x: left + (width - left - right) / 2, y: bottom + type * 2.7, anchor: 'middle' }]
  return drawSheet(document, extent, keys, {
    plots: parts.map(({ plot }) => plot),
    texts: [...parts.flatMap(({ texts }) => texts), ...label],
    hasPatterns: frame.hasPatterns,
  })
}

/** Draws a figure. Returns the SVG and the numbers of the figure. */
export function pictureOf(document: Drawer, extent: Extent, figure: Figure): Picture {
  return { svg: drawFigure(document, extent, figure), data: figure.data }
}

/** Returns the entries of the legend, with lines for series that the figure draws by lines. */
function legendOf({ keys, panels }: Figure): ReadonlyArray<LegendEntry> {
  const shapes = new Map<string, NonNullable<LegendEntry['shape']>>()
  for (const { marks } of panels)
    for (const { shape, rows } of marks)
      for (const { key } of rows)
        if (shape === 'rect' || shape === 'area' || shape === 'step-area') shapes.set(key, 'box')
        else if (!shapes.has(key)) shapes.set(key, shape === 'line' || shape === 'steps' ? 'line' : 'point')
  return keys.map((key) => ({ ...key, shape: shapes.get(key.name) ?? (key.isEmpty === true ? 'point' : 'box') }))
}

interface PanelPlace {
  readonly x: Scale
  readonly y: Scale
  readonly top: number
  readonly isLast: boolean
}

function panelOf(
  figure: Figure,
  panel: Panel,
  { x, y, top, isLast }: PanelPlace,
  frame: Frame,
): { readonly plot: PlacedPlot; readonly texts: ReadonlyArray<PlacedText> } {
  const { type, left, right, width, height, title } = frame
  const options: Plot.PlotOptions = {
    // The plot has its own space below the frame for tick labels.
    height: height + type * 2,
    marginLeft: left,
    marginRight: right,
    marginTop: 0,
    marginBottom: type * 2,
    x: { type: x.type, domain: [...x.domain], axis: null, ...(x.type === 'symlog' ? { constant: 1 } : {}) },
    y: { type: y.type, domain: [...y.domain], axis: null, ...(y.type === 'symlog' ? { constant: 1 } : {}) },
    color: { type: 'identity' },
    marks: [
      ...axisMarks(figure.x, panel.y, { x, y, isLast }, type),
      ...panel.marks.flatMap((mark) => plotMarks(figure, mark, { x, y }, frame)),
      ...(panel.y.isHidden === true
        ? []
        : [Plot.ruleY([Math.max(y.domain[0], Math.min(0, y.domain[1]))], { stroke: INK })]),
    ],
  }
  const texts: Array<PlacedText> = []
  if (panel.title !== undefined)
    texts.push({
      text: panel.title,
      x: left + (width - left - right) / 2,
      y: top - type * 0.5,
      anchor: 'middle',
      isBold: true,
    })
  const { label, field } = panel.y
  // In a low panel the name of the coordinate, such as `nodes`, replaces a label such as `requested nodes`.
  const text = textWidth(label, type) > height + title ? field : label
  if (label !== '') texts.push({ text, x: type * 1.3, y: top + height / 2, anchor: 'middle', isUpwards: true })
  return { plot: { top: top, options }, texts }
}

function axisMarks(
  xAxis: Axis,
  yAxis: Axis,
  { x, y, isLast }: Omit<PanelPlace, 'top'>,
  type: number,
): ReadonlyArray<Plot.Markish> {
  const style = { label: null, tickPadding: type * 0.25, stroke: INK, fill: INK }
  const ticks = (of: ReadonlyArray<Tick>, isLabelled: boolean): Array<number> =>
    of.filter(({ label }) => (label !== '') === isLabelled).map(({ at }) => at)
  const labels =
    (of: ReadonlyArray<Tick>) =>
    (at: number): string =>
      of.find((tick) => tick.at === at)!.label
  const marks: Array<Plot.Markish> = []
  if (yAxis.isHidden !== true) {
    const [labelled, bare] = [ticks(y.ticks, true), ticks(y.ticks, false)]
    const hasNames = yAxis.ticks !== undefined
    if (!hasNames) marks.push(Plot.gridY({ ticks: labelled }))
    const tickSize = hasNames ? 0 : type * 0.4
    marks.push(Plot.axisY({ ...style, ticks: labelled, tickFormat: labels(y.ticks), tickSize }))
    if (bare.length > 0) marks.push(Plot.axisY({ ...style, ticks: bare, text: null, tickSize: type * 0.2 }))
  }
  if (xAxis.isHidden !== true) {
    const [labelled, bare] = [ticks(x.ticks, true), ticks(x.ticks, false)]
    const hasNames = xAxis.ticks !== undefined
    if (!hasNames) marks.push(Plot.gridX({ ticks: labelled }))
    const text = isLast ? { tickFormat: labels(x.ticks) } : { text: null }
    marks.push(Plot.axisX({ ...style, ...text, ticks: labelled, tickSize: hasNames ? 0 : type * 0.4 }))
    if (bare.length > 0) marks.push(Plot.axisX({ ...style, ticks: bare, text: null, tickSize: type * 0.2 }))
  }
  return marks
}

/** Returns the place of a coordinate on a scale, from 0 (begin of the axis) to 1; only for linear scales. */
function shareOf({ domain: [from, to] }: Scale, value: number): number {
  return (value - from) / (to - from)
}

/** Returns the marks of the drawing library for one mark of a figure. */
function plotMarks(
  { keys }: Figure,
  { shape, rows, opacity = 1, hasBorder = false, isBold = false }: Mark,
  { x, y }: Pick<PanelPlace, 'x' | 'y'>,
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
    case 'steps': {
      const clip = rows.every(isInside) ? {} : { clip: 'frame' as const }
      const names = [...new Set(rows.map(({ key }) => key))]
      return names.map((name) => {
        const all = rows.filter(({ key }) => key === name)
        const own = shape === 'steps' ? withoutRepeats(all) : all
        const dash = hasPatterns ? dashOf(places.get(name) ?? 0, type) : undefined
        return Plot.line(own, {
          x: xOf,
          y: yOf,
          stroke: colorOf(own[0]),
          strokeWidth: isBold ? thick : thin,
          ...(shape === 'steps' ? { curve: 'step-after' as const } : {}),
          ...(dash === undefined ? {} : { strokeDasharray: dash }),
          ...clip,
        })
      })
    }
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
  { x, y }: Pick<PanelPlace, 'x' | 'y'>,
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
