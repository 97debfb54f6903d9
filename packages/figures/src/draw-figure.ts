import * as Plot from '@observablehq/plot'
import { type Axis, type Figure, type Look, type Panel, withRanges } from './figure.ts'
import { type Frame, INK, plotMarks } from './marks.ts'
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
