import { drawComparison } from '@cloister/viewer/pictures'
import { emptyDocument } from '../plot/document.ts'
import { visibleOnOneLine } from '../terminal/output.ts'

/** Mean of a metric with the confidence interval, and the label of the row in the picture. */
export interface Mark {
  readonly name: string
  readonly mean: number
  /** Half of the width of the 95 % confidence interval, or null for a single run. */
  readonly half: number | null
}

export interface IntervalPlot {
  readonly title: string
  readonly marks: ReadonlyArray<Mark>
  readonly format: (value: number) => string
}

const WIDTH = 640
/** Height of a row (`ROW`), and height of both margins above and below all rows (`AROUND`), in pixels. */
const [ROW, AROUND] = [26, 110]

/** Returns an SVG picture of means with intervals, a row for each mark. */
export function plotIntervals({ title, marks, format }: IntervalPlot): string {
  const longest = Math.max(...marks.map(({ name }) => name.length))
  const extent = { width: Math.max(WIDTH, 420 + 8 * longest), height: AROUND + ROW * marks.length }
  const groups = marks.map(({ name, ...mark }) => ({ ...mark, name: visibleOnOneLine(name), values: [] }))
  return drawComparison(emptyDocument(), extent, groups, { label: title, format }).svg
}
