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

export function reportOf(
  tables: Report['tables'],
  comparisons: Report['comparisons'] = [],
  charts: Report['charts'] = [],
): Report {
  return { tables, comparisons, charts }
}

/** Returns a table with a row for each of `rows` and a column for each of `columns`. @param corner first heading */
export function crossTable<A extends string>(
  title: string,
  corner: string,
  rows: ReadonlyArray<string>,
  columns: ReadonlyArray<A>,
  cell: (row: string, column: A) => string,
): Table {
  return {
    title,
    heading: [corner, ...columns],
    rows: rows.map((row) => [row, ...columns.map((column) => cell(row, column))]),
  }
}

/** Bar chart as plain data: panels side by side, groups of bars in each panel, and a bar for each series in a group. */
export interface BarChart {
  readonly series: ReadonlyArray<{ readonly name: string; readonly color: string }>
  readonly panels: ReadonlyArray<{ readonly title: string; readonly groups: ReadonlyArray<BarGroup> }>
  readonly axis: {
    readonly label: string
    readonly from: number
    readonly to: number
    readonly step: number
    /** Unit of the values. A share is written as a percentage, a ratio as a number. */
    readonly unit: 'share' | 'ratio'
    readonly digits: number
    /** Value to which the bars are relative: a horizontal line crosses the chart at this value; no line if absent. */
    readonly reference?: number
  }
  /** Text of the legend about empty bars, if the chart has filled and empty bars. */
  readonly note?: string
}

interface BarGroup {
  readonly name: string
  /** Bars of the group in the order of the series; null leaves the place of a series empty. */
  readonly bars: ReadonlyArray<Bar | null>
}

/** Filled bar up to `value`, and an empty bar up to `outline` if present. */
export interface Bar {
  readonly value: number
  readonly outline?: number
}

/** Returns a group with a bar for each of `series`; an undefined value leaves its place empty. */
export function barGroup<A>(
  name: string,
  series: ReadonlyArray<A>,
  valueOf: (each: A) => number | Bar | undefined,
): BarGroup {
  const bars = series.map(valueOf).map((value) => (typeof value === 'number' ? { value } : (value ?? null)))
  return { name, bars }
}

/** Returns the axis of values relative to a base. A line crosses the chart at 1, the base's value. */
export function relativeAxis(label: string, from: number, to: number, step: number, digits = 2): BarChart['axis'] {
  return { label, from, to, step, reference: 1, unit: 'ratio', digits }
}

/** Axis of average system utilization, from 80 % on. */
export const utilizationAxis: BarChart['axis'] = {
  label: 'Average system utilization',
  from: 0.8,
  to: 1,
  step: 0.05,
  unit: 'share',
  digits: 0,
}

/** Paul Tol's muted colours, which differ for colour-blind readers and in grey. */
const colors: Readonly<Record<string, string>> = {
  Baseline: '#999999',
  'LC+S': '#88ccee',
  LC: '#44aa99',
  Jigsaw: '#332288',
  LaaS: '#ddcc77',
  Mosaic: '#117733',
  TA: '#cc6677',
  'TA 2017': '#882255',
  paper: '#999999',
}

/** Colours of series that are no schemes of the Jigsaw paper: the muted colours and grey. */
const further: ReadonlyArray<string> = [
  '#332288',
  '#88ccee',
  '#cc6677',
  '#117733',
  '#ddcc77',
  '#882255',
  '#44aa99',
  '#999933',
  '#aa4499',
  '#999999',
]

/** Returns a series for each name. A scheme has the same colour in every chart, which no other series of the chart has. */
export function seriesOf(names: ReadonlyArray<string>): BarChart['series'] {
  const free = further.filter((color) => !names.some((name) => colors[name] === color))
  const others = names.filter((name) => colors[name] === undefined)
  return names.map((name) => ({ name, color: colors[name] ?? free[others.indexOf(name) % free.length] }))
}
