import { drawComparison } from '@cloister/viewer/pictures'
import { emptyDocument } from '../plot/document.ts'
import { visibleOnOneLine } from '../terminal/output.ts'

/** Named value with its interval. */
export interface Mark {
  readonly name: string
  readonly mean: number
  /** Half of the interval; null if unknown. */
  readonly half: number | null
}

export interface IntervalPlot {
  readonly title: string
  readonly marks: ReadonlyArray<Mark>
  readonly format: (value: number) => string
}

const WIDTH = 640
/** Height of a row, and height of the margins above and below all rows, in pixels. */
const [ROW, AROUND] = [26, 110]

/** Draws means and intervals, one below another, as an SVG file. */
export function plotIntervals({ title, marks, format }: IntervalPlot): string {
  const longest = Math.max(...marks.map(({ name }) => name.length))
  const extent = { width: Math.max(WIDTH, 420 + 8 * longest), height: AROUND + ROW * marks.length }
  const groups = marks.map(({ name, ...mark }) => ({ ...mark, name: visibleOnOneLine(name), values: [] }))
  return drawComparison(emptyDocument(), extent, groups, { label: title, format }).svg
}
