// Makes charts of the tables of stored outputs. Values have the printed digits.
import { type Drawing, drawings } from './drawings.ts'
import { type BarChart, barGroup, seriesOf } from './report.ts'
import type { StoredOutput, StoredTable } from './stored-output.ts'

/** Chart of a stored table: vertical bars, or a row for each label with a mark for each value. */
export type StoredChart =
  | { readonly kind: 'bars'; readonly table: StoredTable; readonly title: string; readonly chart: BarChart }
  | { readonly kind: 'rows'; readonly table: StoredTable; readonly title: string; readonly chart: RowChart }

/** Chart with a horizontal axis, and a row for each label: a range, and a mark for each series. */
export interface RowChart {
  readonly series: BarChart['series']
  readonly axis: BarChart['axis']
  readonly rows: ReadonlyArray<ChartRow>
  /** Text of the legend about the ranges; absent in charts without ranges. */
  readonly note?: string
}

interface ChartRow {
  readonly label: string
  readonly range?: { readonly low: number; readonly high: number }
  /** Values in the order of the series; null leaves the place of a series empty. */
  readonly values: ReadonlyArray<number | null>
}

/** Returns the charts of a stored output, in the order of its tables; none if the output's experiment has no chart. */
export function chartsOf(output: StoredOutput): ReadonlyArray<StoredChart> {
  const rules = drawings[experimentOf(output.command)] ?? []
  const tablesOf = ({ tables = /^/ }: Drawing): ReadonlyArray<StoredTable> =>
    output.tables.filter(({ title }) => tables.test(title))
  return output.tables.flatMap((table) =>
    rules
      .filter((rule) => tablesOf(rule).includes(table))
      .flatMap((rule) => drawn(table, rule, tablesOf(rule).length > 1)),
  )
}

/** Returns the name of the experiment that a command runs: the word after `reproduce`, or `interference`. */
export function experimentOf(command: string): string {
  const [, what, name] = command.split(' ')
  return what === 'reproduce' ? name : what
}

/** Values of a table: a row for each label, a column for each series. */
interface Grid {
  readonly labels: ReadonlyArray<string>
  readonly series: ReadonlyArray<string>
  readonly values: ReadonlyArray<ReadonlyArray<number | null>>
}

function drawn(table: StoredTable, rule: Drawing, isOneOfSeveral: boolean): ReadonlyArray<StoredChart> {
  const parts = rule.split === true ? [...new Set(table.rows.map(([first]) => first))] : [undefined]
  return parts.map((part) => {
    const rows = part === undefined ? table.rows : table.rows.filter(([first]) => first === part)
    const names = [isOneOfSeveral ? shortened(table.title, rule.tables)!.replace(/[:;].*/, '') : '', part ?? '']
    const title = [rule.title, ...names.filter((name) => name !== '')].join(': ')
    const hasShares = rows.some((row) => row.slice(rule.labels ?? 1).some((cell) => cell.includes('%')))
    const grid = gridOf(table, rows, rule)
    if (rule.kind === 'rows') return { kind: 'rows', table, title, chart: rowChart(grid, rule, hasShares) }
    return { kind: 'bars', table, title, chart: barChart(grid, rule, hasShares) }
  })
}

function gridOf(table: StoredTable, rows: StoredTable['rows'], rule: Drawing): Grid {
  const labels = rule.labels ?? 1
  const shown = rows.flatMap((row) => {
    const label = row
      .slice(rule.split === true ? 1 : 0, labels)
      .join(' ')
      .trim()
    const found = shortened(label, rule.rows)
    return found === undefined ? [] : [{ label: found, row }]
  })
  const base = rule.over === undefined ? -1 : table.heading.indexOf(rule.over)
  const columns = table.heading.flatMap((name, at) =>
    at >= labels && at !== base && shortened(name, rule.columns) !== undefined ? [at] : [],
  )
  const value = (row: ReadonlyArray<string>, at: number): number | null => {
    const [own, below] = [numberIn(row[at]), base === -1 ? 1 : numberIn(row[base])]
    return own === null || below === null ? null : own / below
  }
  const grid = {
    labels: shown.map(({ label }) => label),
    series: columns.map((at) => shortened(table.heading[at], rule.columns)!),
    values: shown.map(({ row }) => columns.map((at) => value(row, at))),
  }
  return rule.transposed === true ? transposed(grid) : grid
}

/** Returns a name, or the part of the name in the group `label` of a pattern; undefined if the pattern does not match. */
function shortened(name: string, pattern: RegExp = /^/): string | undefined {
  const found = pattern.exec(name)
  return found === null ? undefined : (found.groups?.['label'] ?? name)
}

function transposed({ labels, series, values }: Grid): Grid {
  return { labels: series, series: labels, values: series.map((_, at) => values.map((row) => row[at])) }
}

/** Returns the first number of a cell, a fraction of 1 for a percentage; null if the cell has no number. */
function numberIn(cell: string): number | null {
  const found = /^(?:x )?([-+]?[\d,]*\d(?:\.\d+)?)/.exec(cell)
  return found === null ? null : Number(found[1].replaceAll(',', '')) / (cell.includes('%') ? 100 : 1)
}

function barChart({ labels, series, values }: Grid, rule: Drawing, hasShares: boolean): BarChart {
  const step = rule.outlined === undefined ? 1 : 2
  const shown = series.filter((_, at) => at % step === 0)
  const groups = labels.map((label, row) =>
    barGroup(label, shown, (name) => {
      const at = series.indexOf(name)
      const [value, outline] = values[row].slice(at, at + step)
      return value === null ? undefined : { value, ...(typeof outline === 'number' ? { outline } : {}) }
    }),
  )
  return {
    series: seriesOf(shown),
    panels: [{ title: '', groups }],
    axis: axisOf(rule.axis, values, hasShares),
    ...(rule.outlined === undefined ? {} : { note: rule.outlined }),
  }
}

function rowChart(grid: Grid, rule: Drawing, hasShares: boolean): RowChart {
  const axis = axisOf(rule.axis, grid.values, hasShares)
  if (rule.quartiles !== true) {
    const rows = grid.labels.map((label, at) => ({ label, values: grid.values[at] }))
    return { series: seriesOf(grid.series), axis, rows }
  }
  const [low, middle, high] = ['first quartile', 'median', 'third quartile'].map((name) => grid.series.indexOf(name))
  const rows = grid.labels.map((label, at) => {
    const own = grid.values[at]
    return { label, range: { low: own[low]!, high: own[high]! }, values: [own[middle]] }
  })
  return { series: seriesOf(['median']), axis, rows, note: 'first to third quartile' }
}

function axisOf(axis: Drawing['axis'], values: Grid['values'], hasShares: boolean): BarChart['axis'] {
  if (typeof axis !== 'string') return axis
  const known = values.flat().filter((value) => value !== null)
  const range = niceRange(Math.min(0, ...known), Math.max(...known))
  // A digit more than the steps need, for the values of small bars.
  const digits = range.to < 100 ? Math.max(1, range.digits - (hasShares ? 2 : 0)) : range.digits
  return { label: axis, ...range, unit: hasShares ? 'share' : 'ratio', digits }
}

/** Returns a range with round ends and about five steps that contains both values. */
export function niceRange(low: number, high: number): { from: number; to: number; step: number; digits: number } {
  const rough = (high - low) / 5
  const exponent = Number(rough.toExponential().split('e')[1])
  const power = Number(`1e${exponent}`)
  const step = power * (rough / power <= 1 ? 1 : rough / power <= 2 ? 2 : rough / power <= 5 ? 5 : 10)
  const digits = Math.max(0, step < 10 * power ? -exponent : -exponent - 1)
  const rounded = (value: number): number => Number(value.toFixed(digits))
  return {
    from: rounded(Math.floor(low / step) * step),
    to: rounded(Math.ceil(high / step) * step),
    step: rounded(step),
    digits,
  }
}
