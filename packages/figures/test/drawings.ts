import { parseHTML } from 'linkedom'
import { drawFigure } from '../src/draw-figure.ts'
import type { Figure, Look } from '../src/figure.ts'
import type { Drawer, Extent } from '../src/picture.ts'

export const document: Drawer = parseHTML('<html></html>').document

/** Draws a figure in a document without a browser. */
export function drawn(figure: Figure, extent: Extent = { width: 320, height: 190 }, look?: Look): string {
  return drawFigure(document, extent, figure, look)
}

/** Returns true if all elements of a text in XML close in the right order. */
export function isNested(drawing: string): boolean {
  const tag = /<(\/?)([a-zA-Z]+)(?: [a-zA-Z0-9:-]+="[^"<>]*")*\s*(\/?)>/g
  const open: Array<string> = []
  for (const [, closing, name, empty] of drawing.matchAll(tag)) {
    if (closing === '/' && open.pop() !== name) return false
    if (closing === '' && empty === '') open.push(name)
  }
  return open.length === 0 && !/[<>]/.test(drawing.replaceAll(tag, ''))
}
