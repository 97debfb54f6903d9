import * as Plot from '@observablehq/plot'

/** Maker of elements: a page's document, or the document of a library outside a page. */
export type Drawer = Pick<Document, 'createElementNS' | 'createElement'>

/** A picture: SVG as text, and its numbers in rows with named columns. */
export interface Picture {
  readonly svg: string
  readonly data: ReadonlyArray<Readonly<Record<string, string | number | null>>>
}

/** An entry of the legend. */
export interface Key {
  readonly name: string
  readonly color: string
  /** True for an empty box, as for bars without filling. */
  readonly isEmpty?: boolean
}

/** Size of a picture, in CSS pixels. */
export interface Extent {
  readonly width: number
  readonly height: number
}

/** Colours of series that colour-blind readers can tell apart (Okabe and Ito's, black last). */
export const seriesColors: ReadonlyArray<string> = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#e69f00',
  '#56b4e9',
  '#000000',
]

const SVG = 'http://www.w3.org/2000/svg'
const HEAD = 30
const LETTER = 6.6

/** Draws a plot with a legend above it, as one self-contained file. */
export function draw(
  document: Drawer,
  { width, height }: Extent,
  keys: ReadonlyArray<Key>,
  options: Plot.PlotOptions,
): string {
  const plot = Plot.plot({
    document: document as Document,
    width,
    height: height - HEAD,
    marginLeft: 64,
    // Room for the axis and its label.
    marginBottom: 44,
    style: { fontFamily: 'Helvetica, Arial, sans-serif', fontSize: '12px', background: 'white' },
    ...options,
  }) as unknown as SVGElement
  const make = (name: string, attributes: Readonly<Record<string, string | number>>, text?: string): Element => {
    const element = document.createElementNS(SVG, name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
    if (text !== undefined) element.textContent = text
    return element
  }
  const whole = make('svg', {
    xmlns: SVG,
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    'font-family': 'Helvetica, Arial, sans-serif',
    'font-size': 12,
  })
  whole.append(make('rect', { width, height, fill: 'white' }))
  let x = 12
  for (const { name, color, isEmpty = false } of keys) {
    const box = isEmpty ? { fill: 'white', stroke: color } : { fill: color }
    whole.append(make('rect', { x, y: 9, width: 12, height: 12, ...box }))
    whole.append(make('text', { x: x + 17, y: 19, fill: '#222' }, name))
    x += 34 + name.length * LETTER
  }
  // A single SVG element, which typesetting programs accept.
  const inner = make('g', { transform: `translate(0,${HEAD})` })
  for (const name of ['class', 'fill', 'font-family', 'font-size', 'text-anchor', 'style'])
    if (plot.hasAttribute(name)) inner.setAttribute(name, plot.getAttribute(name)!)
  inner.append(...plot.childNodes)
  whole.append(inner)
  return `${whole.outerHTML}\n`
}
