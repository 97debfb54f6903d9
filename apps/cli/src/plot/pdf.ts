import type { Extent } from '@cloister/figures'
import { Problem } from '../errors/errors.ts'

/** The used part of the package PDFKit. Lengths are in points; 72 points are an inch. */
export interface PdfKit {
  readonly default: new (options: object) => PdfDocument
}

interface PdfDocument {
  on: (event: string, listener: (chunk: Uint8Array) => void) => void
  end: () => void
  save: () => void
  restore: () => void
  transform: (a: number, b: number, c: number, d: number, e: number, f: number) => void
  path: (d: string) => PdfDocument
  rect: (x: number, y: number, width: number, height: number) => PdfDocument
  circle: (x: number, y: number, radius: number) => PdfDocument
  clip: () => void
  lineWidth: (width: number) => void
  dash: (lengths: ReadonlyArray<number>, options: object) => void
  fillOpacity: (opacity: number) => void
  strokeOpacity: (opacity: number) => void
  fill: (color: string | readonly [object, string]) => void
  stroke: (color: string) => void
  fillAndStroke: (fill: string, stroke: string) => void
  pattern: (box: ReadonlyArray<number>, xStep: number, yStep: number, stream: string) => object
  font: (source: string | Uint8Array) => PdfDocument
  fontSize: (size: number) => PdfDocument
  fillColor: (color: string) => PdfDocument
  widthOfString: (text: string) => number
  text: (text: string, x: number, y: number, options: object) => void
}

/** Properties that an element takes over from its parents. */
type Style = Readonly<Record<string, string>>

const inherited = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-opacity',
  'stroke-width',
  'stroke-dasharray',
  'font-size',
  'font-weight',
  'text-anchor',
]

/** Points for each CSS pixel. */
const POINTS = 72 / 96

/**
 * Writes a drawing by `@cloister/figures` as a PDF with one page. The drawing has rectangles, circles, paths and texts in
 * groups with transforms, clip paths and patterns.
 *
 * @param font bytes of a font that the PDF embeds; undefined for Helvetica, which every reader of PDF has
 * @throws Problem for a letter that Helvetica of PDF lacks
 */
export async function pdfOf(
  { default: Document }: PdfKit,
  svg: string,
  { width, height }: Extent,
  font: Uint8Array | undefined,
): Promise<Uint8Array> {
  const { parseHTML } = await import('linkedom')
  const { document } = parseHTML(`<html><body>${svg}</body></html>`)
  const pdf = new Document({
    size: [width * POINTS, height * POINTS],
    margin: 0,
    // Equal pictures have equal bytes, so the file has no time.
    info: { CreationDate: new Date(0), Producer: 'Cloister', Creator: 'Cloister' },
  })
  const chunks: Array<Uint8Array> = []
  const ended = new Promise<void>((resolve) => {
    pdf.on('data', (chunk) => chunks.push(chunk))
    pdf.on('end', () => resolve())
  })
  pdf.transform(POINTS, 0, 0, POINTS, 0, 0)
  const root = document.querySelector('svg')!
  new Page(pdf, root, font).draw(root, {})
  pdf.end()
  await ended
  return Buffer.concat(chunks)
}

/** Draws the elements of one SVG on a page. */
class Page {
  readonly #pdf: PdfDocument
  readonly #byId: ReadonlyMap<string, Element>
  readonly #font: Uint8Array | undefined
  /** Patterns of the PDF by the ids of their definitions. */
  readonly #patterns = new Map<string, object>()

  constructor(pdf: PdfDocument, root: Element, font: Uint8Array | undefined) {
    this.#pdf = pdf
    this.#byId = new Map([...root.querySelectorAll('[id]')].map((element) => [element.id, element]))
    this.#font = font
  }

  draw(element: Element, outer: Style): void {
    const pdf = this.#pdf
    const name = element.nodeName.toLowerCase()
    if (['defs', 'clippath', 'title', 'style'].includes(name)) return
    const own = inherited.flatMap((key) => (element.hasAttribute(key) ? [[key, element.getAttribute(key)!]] : []))
    const style: Style = { ...outer, ...Object.fromEntries(own) }
    pdf.save()
    this.#transform(element.getAttribute('transform') ?? '')
    const clip = /#([^)]+)/.exec(element.getAttribute('clip-path') ?? '')?.[1]
    if (clip !== undefined) {
      this.#outline(this.#byId.get(clip)!.firstElementChild!)
      pdf.clip()
    }
    if (name === 'text') this.#text(element, style)
    else if (['rect', 'circle', 'path', 'line'].includes(name)) this.#shape(element, style)
    else for (const child of element.children) this.draw(child, style)
    pdf.restore()
  }

  #transform(transform: string): void {
    for (const [, name, list] of transform.matchAll(/([a-z]+)\(([^)]*)\)/g)) {
      const [first, second = 0] = list.split(/[ ,]+/).map(Number)
      if (name === 'translate') this.#pdf.transform(1, 0, 0, 1, first, second)
      else if (name === 'rotate') {
        const [cos, sin] = [Math.cos((first * Math.PI) / 180), Math.sin((first * Math.PI) / 180)]
        this.#pdf.transform(cos, sin, -sin, cos, 0, 0)
      } else throw new Error(`unknown transform ${name}`)
    }
  }

  /** Begins the outline of a shape. */
  #outline(element: Element): void {
    const number = (name: string): number => Number(element.getAttribute(name) ?? 0)
    switch (element.nodeName.toLowerCase()) {
      case 'rect':
        this.#pdf.rect(number('x'), number('y'), number('width'), number('height'))
        return
      case 'circle':
        this.#pdf.circle(number('cx'), number('cy'), number('r'))
        return
      case 'line':
        this.#pdf.path(`M${number('x1')},${number('y1')}L${number('x2')},${number('y2')}`)
        return
      default:
        this.#pdf.path(element.getAttribute('d') ?? '')
    }
  }

  #shape(element: Element, style: Style): void {
    const pdf = this.#pdf
    const { fill = 'black', stroke = 'none' } = style
    if (element.nodeName.toLowerCase() === 'path' && (element.getAttribute('d') ?? '') === '') return
    const pattern = /^url\(#([^)]+)\)$/.exec(fill)?.[1]
    pdf.fillOpacity(Number(style['fill-opacity'] ?? 1))
    pdf.strokeOpacity(Number(style['stroke-opacity'] ?? 1))
    pdf.lineWidth(Number(style['stroke-width'] ?? 1))
    if (style['stroke-dasharray'] !== undefined) pdf.dash(style['stroke-dasharray'].split(/[ ,]+/).map(Number), {})
    if (pattern !== undefined) this.#fillWithPattern(element, this.#byId.get(pattern)!)
    const plain = pattern === undefined && fill !== 'none' ? colorOf(fill) : undefined
    if (plain === undefined && stroke === 'none') return
    this.#outline(element)
    if (plain !== undefined && stroke !== 'none') pdf.fillAndStroke(plain, colorOf(stroke))
    else if (plain !== undefined) pdf.fill(plain)
    else pdf.stroke(colorOf(stroke))
  }

  /** Fills a shape with the background of a pattern, then with the lines of the pattern. */
  #fillWithPattern(element: Element, pattern: Element): void {
    const [background, lines] = pattern.children
    this.#outline(element)
    this.#pdf.fill(colorOf(background.getAttribute('fill')!))
    const scale = Number(/scale\(([^)]+)\)/.exec(pattern.getAttribute('patternTransform') ?? '')![1]) * POINTS
    const side = 8 * scale
    const steps = [...lines.getAttribute('d')!.matchAll(/([MLHV])(-?\d+)(?:,(-?\d+))?/g)]
    let [x, y] = [0, 0]
    const drawn = steps.map(([, command, first, second]) => {
      if (command === 'V') y = Number(first)
      else x = Number(first)
      if (second !== undefined) y = Number(second)
      return `${x * scale} ${y * scale} ${command === 'M' ? 'm' : 'l'}`
    })
    const stream = `0 0 ${side} ${side} re W n ${Number(lines.getAttribute('stroke-width')) * scale} w ${drawn.join(' ')} S`
    const lined = this.#patterns.get(pattern.id) ?? this.#pdf.pattern([0, 0, side, side], side, side, stream)
    this.#patterns.set(pattern.id, lined)
    this.#outline(element)
    this.#pdf.fill([lined, lines.getAttribute('stroke')!])
  }

  #text(element: Element, style: Style): void {
    const pdf = this.#pdf
    const text = (element.textContent ?? '').replaceAll('\u2212', '-')
    if (style['fill'] === 'none' || text === '') return
    const size = Number.parseFloat(style['font-size'] ?? '12')
    pdf.font(this.#font ?? (style['font-weight'] === 'bold' ? 'Helvetica-Bold' : 'Helvetica')).fontSize(size)
    if (this.#font === undefined) checkLetters(text)
    const anchor = style['text-anchor'] ?? 'start'
    const before = anchor === 'middle' ? pdf.widthOfString(text) / 2 : anchor === 'end' ? pdf.widthOfString(text) : 0
    const [x, y] = ['x', 'y'].map((name) => {
      const value = element.getAttribute(name) ?? '0'
      return Number.parseFloat(value) * (value.endsWith('em') ? size : 1)
    })
    pdf.fillOpacity(1)
    pdf.fillColor(colorOf(style['fill'] ?? 'black'))
    pdf.text(text, x - before, y, { baseline: 'alphabetic', lineBreak: false })
  }
}

/** PDFKit knows the names of colours; the colour of text by default is black. */
function colorOf(color: string): string {
  return color === 'currentColor' ? 'black' : color
}

/** Letters of the standard fonts of PDF (Windows-1252) beyond Latin-1. */
const FURTHER = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ'

/** @throws Problem for a letter that the standard fonts of PDF lack */
function checkLetters(text: string): void {
  const missing = Array.from(text).find((letter) => letter.codePointAt(0)! > 255 && !FURTHER.includes(letter))
  if (missing !== undefined)
    throw new Problem(
      `the standard font of PDF lacks the letter ${JSON.stringify(missing)} in ${JSON.stringify(text)}; --font FILE.ttf embeds a font that has the letter`,
    )
}
