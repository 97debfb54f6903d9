/// <reference lib="dom" />
import * as Plot from '@observablehq/plot'
import type { Key, Row } from './figure.ts'
import { dashOf, fillOf, patternsOf } from './patterns.ts'
import { textWidth } from './text-width.ts'

/** Document that makes elements: the document of a web page, or the document of a library such as linkedom. */
export interface Drawer {
  readonly createElementNS: (namespace: string, name: string) => object
  readonly createElement: (name: string) => object
}

/** A picture: the SVG as text, and the drawn numbers in rows with named columns. */
export interface Picture {
  readonly svg: string
  readonly data: ReadonlyArray<Row>
}

/** Size of a picture, in CSS pixels: 96 pixels are an inch, or 25.4 mm. */
export interface Extent {
  readonly width: number
  readonly height: number
  /** Size of the type in CSS pixels; default: 12. */
  readonly type?: number
  /** True if the SVG names its size in mm, for typesetting programs. Default: false, the SVG names pixels. */
  readonly isInMillimetres?: boolean
}

/** Entry of the legend of a drawn picture. */
export interface LegendEntry extends Key {
  /** Shape before the name; default: a box. */
  readonly shape?: 'box' | 'line' | 'point'
}

/** Plot in a picture, `top` pixels below the legend. */
export interface PlacedPlot {
  readonly top: number
  readonly options: Plot.PlotOptions
}

/** Text in a picture beside its plots, such as the label of an axis. `y` is the baseline, in pixels below the legend. */
export interface PlacedText {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly anchor?: 'start' | 'middle' | 'end'
  /** True for a text that runs from below to above. Default: false. */
  readonly isUpwards?: boolean
  /** True for bold type. Default: false. */
  readonly isBold?: boolean
}

/** Colours of the background and of the texts of a picture. */
interface SheetColors {
  readonly ground: string
  readonly ink: string
}

const ON_PAPER: SheetColors = { ground: 'white', ink: '#222' }

const SVG = 'http://www.w3.org/2000/svg'
const FONT = 'Helvetica, Arial, sans-serif'
export const TYPE = 12
/** Widths of fonts that replace Helvetica, such as DejaVu Sans, as a part of the widths of Helvetica. */
export const WIDER = 1.15
const MILLIMETRES = 25.4 / 96

/** Returns the height of the legend, in pixels, for a picture of a width. */
export function legendHeight({ width, type = TYPE }: Omit<Extent, 'height'>, keys: ReadonlyArray<LegendEntry>): number {
  const rows = rowsOf(keys, width, type)
  return rows === 0 ? type * 0.5 : type * (0.9 + 1.6 * rows)
}

/**
 * Draws one plot with its legend above the plot. Returns an SVG text that needs no other file.
 *
 * @param ground colour of the background; if given, texts have the colour of the text around the picture
 */
export function draw(
  document: Drawer,
  extent: Extent,
  keys: ReadonlyArray<LegendEntry>,
  options: Plot.PlotOptions,
  ground?: string,
): string {
  const height = extent.height - legendHeight(extent, keys)
  return drawSheet(document, extent, keys, {
    plots: [{ top: 0, options: { height, marginLeft: 64, marginBottom: 44, ...options } }],
    texts: [],
    hasPatterns: false,
    ...(ground === undefined ? {} : { colors: { ground, ink: 'currentColor' } }),
  })
}

/** Draws plots and texts below a legend as one SVG. */
export function drawSheet(
  drawer: Drawer,
  extent: Extent,
  keys: ReadonlyArray<LegendEntry>,
  {
    plots,
    texts,
    hasPatterns,
    colors = ON_PAPER,
  }: {
    readonly plots: ReadonlyArray<PlacedPlot>
    readonly texts: ReadonlyArray<PlacedText>
    readonly hasPatterns: boolean
    readonly colors?: SheetColors
  },
): string {
  const document = drawer as Document
  const { width, height, type = TYPE, isInMillimetres = false } = extent
  const make = maker(document)
  const whole = make('svg', {
    xmlns: SVG,
    width: isInMillimetres ? `${round(width * MILLIMETRES)}mm` : width,
    height: isInMillimetres ? `${round(height * MILLIMETRES)}mm` : height,
    viewBox: `0 0 ${round(width)} ${round(height)}`,
    'font-family': FONT,
    'font-size': round(type),
  })
  const patterns = hasPatterns ? patternsOf(keys, type) : []
  if (patterns.length > 0) {
    const definitions = make('defs', {})
    definitions.innerHTML = patterns.join('')
    whole.append(definitions)
  }
  whole.append(make('rect', { width, height, fill: colors.ground }))
  whole.append(...legend(make, keys, { width, type, hasPatterns, colors }))
  const head = legendHeight(extent, keys)
  for (const { top, options } of plots) {
    const plot = Plot.plot({ document, width, ...options }) as unknown as SVGElement
    // The plot becomes a group, because typesetting programs do not accept an SVG element inside another SVG element.
    const inner = make('g', { transform: `translate(0,${head + top})` })
    for (const name of ['fill', 'text-anchor'])
      if (plot.hasAttribute(name)) inner.setAttribute(name, plot.getAttribute(name)!)
    inner.append(...Array.from(plot.childNodes).filter(({ nodeName }) => nodeName.toLowerCase() !== 'style'))
    whole.append(inner)
  }
  for (const { text, x, y, anchor = 'start', isUpwards = false, isBold = false } of texts)
    whole.append(
      make(
        'text',
        {
          ...(isUpwards ? { transform: `translate(${x},${head + y}) rotate(-90)` } : { x, y: head + y }),
          'text-anchor': anchor,
          ...(isBold ? { 'font-weight': 'bold' } : {}),
          fill: colors.ink,
        },
        text,
      ),
    )
  tidy(whole)
  return `${whole.outerHTML}\n`
}

type Make = (name: string, attributes: Readonly<Record<string, string | number>>, text?: string) => Element

function maker(document: Document): Make {
  return (name, attributes, text) => {
    const element = document.createElementNS(SVG, name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
    if (text !== undefined) element.textContent = text
    return element
  }
}

interface PlacedKey {
  readonly key: LegendEntry
  readonly at: number
  readonly x: number
  readonly row: number
}

/** Places the entries of a legend in rows, from the left; an entry that is too wide for its row begins a new row. */
function placedKeys(keys: ReadonlyArray<LegendEntry>, width: number, type: number): ReadonlyArray<PlacedKey> {
  let [x, row] = [type, 0]
  return keys.flatMap((key, at) => {
    if (key.isNamed === false || key.name === '') return []
    const wide = type * 1.45 + textWidth(key.name, type) * WIDER
    if (x > type && x + wide > width - type * 0.4) {
      x = type
      row++
    }
    const placed = { key, at, x, row }
    x += wide + type * 1.4
    return [placed]
  })
}

function rowsOf(keys: ReadonlyArray<LegendEntry>, width: number, type: number): number {
  return (placedKeys(keys, width, type).at(-1)?.row ?? -1) + 1
}

function legend(
  make: Make,
  keys: ReadonlyArray<LegendEntry>,
  {
    width,
    type,
    hasPatterns,
    colors,
  }: { readonly width: number; readonly type: number; readonly hasPatterns: boolean; readonly colors: SheetColors },
): ReadonlyArray<Element> {
  return placedKeys(keys, width, type).flatMap(({ key, at, x, row }) => {
    const { name, color, isEmpty = false, shape = 'box' } = key
    const middle = type * (1.25 + 1.6 * row)
    const dash = hasPatterns ? dashOf(at, type) : undefined
    const paint = isEmpty ? { fill: colors.ground, stroke: color } : { fill: hasPatterns ? fillOf(at, color) : color }
    const symbol =
      shape === 'line'
        ? make('path', {
            d: `M${round(x)},${round(middle)}h${round(type * 1.1)}`,
            stroke: color,
            'stroke-width': type / 6,
            fill: 'none',
            ...(dash === undefined ? {} : { 'stroke-dasharray': dash }),
          })
        : shape === 'point'
          ? make('circle', { cx: x + type / 2, cy: middle, r: type / 3, ...paint })
          : make('rect', { x, y: middle - type / 2, width: type, height: type, ...paint })
    return [symbol, make('text', { x: x + type * 1.45, y: middle + type * 0.35, fill: colors.ink }, name)]
  })
}

/** Rounds all numbers of a drawing to 1/100 pixel, and names clip paths by their order in the drawing. */
function tidy(whole: Element): void {
  let clips = 0
  const names = new Map<string, string>()
  for (const element of [whole, ...whole.querySelectorAll('*')]) {
    if (element.nodeName.toLowerCase() === 'clippath') {
      names.set(element.id, `clip-${++clips}`)
      element.id = names.get(element.id)!
    }
    element.removeAttribute('class')
    for (const { name, value } of Array.from(element.attributes)) {
      if (/^(d|[xyr]|[xy][12]|c[xy]|width|height|transform|points|stroke-(width|dasharray))$/.test(name))
        element.setAttribute(
          name,
          value.replaceAll(/-?\d+\.\d{3,}(e-\d+)?/g, (number) => String(round(Number(number)))),
        )
      else if (name === 'clip-path')
        element.setAttribute(
          name,
          value.replace(/#[^)]+/, (id) => `#${names.get(id.slice(1))}`),
        )
    }
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
