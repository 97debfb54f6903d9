import type { BarChart } from './bar-chart.ts'
import type { Comparison } from './comparison.ts'

/** Report of an experiment as plain data, for any kind of display. */
export interface Report {
  readonly tables: ReadonlyArray<Table>
  readonly comparisons: ReadonlyArray<Comparison>
  readonly charts: ReadonlyArray<{ readonly file: string; readonly chart: BarChart }>
}

export interface Table {
  readonly title: string
  readonly heading: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}
