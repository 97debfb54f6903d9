import * as Plot from '@observablehq/plot'

/** Document that makes elements: the document of a web page, or the document of a library such as linkedom. */
export type Drawer = Pick<Document, 'createElementNS' | 'createElement'>

/** A picture: the SVG as text, and the drawn numbers in rows with named columns. */
export interface Picture {
  readonly svg: string
  readonly data: ReadonlyArray<Readonly<Record<string, string | number | null>>>
}

/** An entry of a picture's legend: a coloured box and a name. */
export interface Key {
  readonly name: string
  readonly color: string
  /** True for an empty box with a coloured border; false or absent for a filled box. */
  readonly isEmpty?: boolean
}

/** Size of a picture, in CSS pixels. */
export interface Extent {
  readonly width: number
  readonly height: number
}

/** Colours of series: Okabe and Ito's palette, safe for colour-blind readers, without yellow, black last. */
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

/** Draws a plot with its legend above the plot, on a background of the colour `ground`. Returns an SVG text that needs no other file. */
export function draw(
  document: Drawer,
  { width, height }: Extent,
  keys: ReadonlyArray<Key>,
  options: Plot.PlotOptions,
  ground: string = 'white',
): string {
  const plot = Plot.plot({
    document: document as Document,
    width,
    height: height - HEAD,
    marginLeft: 64,
    marginBottom: 44,
    style: { fontFamily: 'Helvetica, Arial, sans-serif', fontSize: '12px', background: ground },
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
  whole.append(make('rect', { width, height, fill: ground }))
  let x = 12
  for (const { name, color, isEmpty = false } of keys) {
    const box = isEmpty ? { fill: ground, stroke: color } : { fill: color }
    whole.append(make('rect', { x, y: 9, width: 12, height: 12, ...box }))
    whole.append(make('text', { x: x + 17, y: 19, fill: 'currentColor' }, name))
    x += 34 + name.length * LETTER
  }
  // The plot becomes a group, because typesetting programs do not accept an SVG element inside another SVG element.
  const inner = make('g', { transform: `translate(0,${HEAD})` })
  for (const name of ['class', 'fill', 'font-family', 'font-size', 'text-anchor', 'style'])
    if (plot.hasAttribute(name)) inner.setAttribute(name, plot.getAttribute(name)!)
  inner.append(...plot.childNodes)
  whole.append(inner)
  return `${whole.outerHTML}\n`
}

/** Returns a picture's data as CSV: a line of column names, then a line for each row. Quotes texts if necessary. */
export function csvOf(data: Picture['data']): string {
  const names = Object.keys(data[0] ?? {})
  const lines = data.map((row) => names.map((name) => cell(row[name])).join(','))
  return `${[names.map(cell).join(','), ...lines].join('\n')}\n`
}

function cell(value: string | number | null): string {
  if (value === null) return ''
  const text = String(value)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
