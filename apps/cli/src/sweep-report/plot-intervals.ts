import { drawComparison } from '@cloister/viewer/pictures'
import { emptyDocument } from '../plot/document.ts'
import { visibleOnOneLine } from '../terminal/output.ts'

/** A value with its interval, named. */
export interface Mark {
  readonly name: string
  readonly mean: number
  /** Half of the interval; null where it is not known. */
  readonly half: number | null
}

export interface IntervalPlot {
  readonly title: string
  readonly marks: ReadonlyArray<Mark>
  readonly format: (value: number) => string
}

const WIDTH = 640
/** Pixels of a row, and of what stands above and below all of them. */
const [ROW, AROUND] = [26, 110]

/** A picture of means and intervals, one below the other, as a file of SVG. */
export function plotIntervals({ title, marks, format }: IntervalPlot): string {
  const longest = Math.max(...marks.map(({ name }) => name.length))
  const extent = { width: Math.max(WIDTH, 420 + 8 * longest), height: AROUND + ROW * marks.length }
  const groups = marks.map(({ name, ...mark }) => ({ ...mark, name: visibleOnOneLine(name), values: [] }))
  return drawComparison(emptyDocument(), extent, groups, { label: title, format }).svg
}
