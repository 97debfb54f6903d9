import type { MetricUnit } from '@cloister/metrics'
import { type RunOptionName, runOptionNames, type RunSpec } from '@cloister/run'
import { count, decimal } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'
import type { Interval } from './interval.ts'
import { type Difference, type Group, numericMetrics, replicatesOf } from './replicates.ts'

/** Table of texts: the heading, and the rows. */
export interface Rows {
  readonly heading: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

const shown = ['utilization.steady', 'makespan', 'turnaround.mean', 'wait.mean', 'slowdown.bounded'] as const

/** Returns text with a table of means over replicates, and a table of differences from the baseline policy, if any. */
export function intervalTables(groups: ReadonlyArray<Group>, differences: ReadonlyArray<Difference>): string {
  const means = groupRows(groups)
  const tables = [
    `Means with 95 % confidence intervals, over runs that differ only by seeds:\n\n${table(means.heading, means.rows)}`,
  ]
  if (differences.length > 0) {
    const { heading, rows } = differenceRows(differences)
    tables.push(
      `Differences from ${differences[0].against.policy}, by pairs of runs with equal seeds:\n\n${table(heading, rows)}`,
    )
  }
  return tables.join('\n\n')
}

export function groupRows(groups: ReadonlyArray<Group>): Rows {
  const columns = tellingOptions(groups.map(({ cell }) => cell))
  return {
    heading: [...columns, 'runs', ...labels()],
    rows: groups.map(({ cell, metrics }) => [
      ...columns.map((name) => optionText(cell, name)),
      count(replicatesOf({ metrics })),
      ...shown.map((name) => intervalText(metrics[name], unitOf(name))),
    ]),
  }
}

export function differenceRows(differences: ReadonlyArray<Difference>): Rows {
  const columns = tellingOptions(differences.map(({ cell }) => cell))
  return {
    heading: [...columns, 'pairs', ...labels()],
    rows: differences.map(({ cell, metrics }) => [
      ...columns.map((name) => optionText(cell, name)),
      count(replicatesOf({ metrics })),
      ...shown.map((name) => intervalText(metrics[name], unitOf(name), true)),
    ]),
  }
}

/** Returns the names of the options that differ between cells, and always `policy`. */
export function tellingOptions(cells: ReadonlyArray<RunSpec>): ReadonlyArray<RunOptionName> {
  return runOptionNames.filter(
    (name) => name === 'policy' || new Set(cells.map((cell) => optionText(cell, name))).size > 1,
  )
}

export function optionText(cell: RunSpec, name: RunOptionName): string {
  const value = cell[name]
  return value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * Formats a mean and its interval: `95.31 ± 0.42 %`. With `signed`: a `+` before positive means, and shares in points.
 */
export function intervalText(interval: Interval | undefined, unit: MetricUnit, signed = false): string {
  if (interval === undefined) return '-'
  const [factor, digits, suffix] =
    unit === 'share' ? [100, 2, signed ? ' points' : ' %'] : unit === 'seconds' ? [1, 0, ' s'] : [1, 2, '']
  const text = (value: number): string => decimal(value * factor, digits)
  const mean = `${signed && interval.mean > 0 ? '+' : ''}${text(interval.mean)}`
  return `${mean}${interval.half === null ? '' : ` ± ${text(interval.half)}`}${suffix}`
}

function labels(): ReadonlyArray<string> {
  return shown.map((name) => numericMetrics.find((each) => each.name === name)!.label)
}

export function unitOf(name: string): MetricUnit {
  return numericMetrics.find((each) => each.name === name)!.unit
}
