import type { MetricUnit } from '@cloister/metrics'
import { describeSpec, type RunOptionName, runOptionNames, type RunSpec } from '@cloister/run'
import {
  byReason,
  type CellResult,
  type Difference,
  type FailedRun,
  type Group,
  type Interval,
  mixedDraws,
  notPlacedOf,
  numericMetrics,
  replicatesOf,
  unpairedOf,
  type TimedResult,
} from '@cloister/sweep'
import { Problem } from '../../errors/errors.ts'
import { describeJobs, notPlacedLabels } from '../../run/not-placed.ts'
import { count, counted, decimal, durations, percent } from '../../terminal/quantities.ts'
import { table } from '../../terminal/table.ts'

/** Returns a table with a row for each result: differing options, counts of jobs that never started, and metrics. */
export function sweepTable(results: ReadonlyArray<TimedResult>): string {
  const columns = runOptionNames.filter(
    (field) =>
      ['trace', 'topology', 'policy'].includes(field) ||
      new Set(results.map((result) => valueOf(result, field))).size > 1,
  )
  const notPlaced = notPlacedColumns(results)
  const bounded = results.some(({ searchBounds }) => searchBounds > 0)
  const outlive = results.some(({ assumptions }) => (assumptions?.overrun ?? null) !== null)
  const heading = [
    ...columns,
    ...notPlaced.heading,
    'jobs',
    'utilization',
    'makespan',
    'turnaround',
    'over 100 nodes',
    'wait',
    'a job',
    ...(outlive ? ['outlive estimates'] : []),
    ...(bounded ? ['given up'] : []),
    'audit',
  ]
  const [makespans, turnarounds, large, waits] = [
    results.map(({ metrics }) => metrics.makespan),
    results.map(({ metrics }) => metrics.turnaround.mean),
    results.map(({ metrics }) => metrics.turnaround.large),
    results.map(({ metrics }) => metrics.wait.mean),
  ].map(durations)
  const rows = results.map((result, at) => [
    ...columns.map((field) => valueOf(result, field)),
    ...notPlaced.of(result),
    count(result.totals.finished),
    percent(result.metrics.utilization.steady, 2),
    makespans[at],
    turnarounds[at],
    large[at],
    waits[at],
    result.microsecondsPerJob === null ? '-' : `${decimal(result.microsecondsPerJob, 0)} µs`,
    ...(outlive ? [result.assumptions?.overrun ?? '-'] : []),
    ...(bounded ? [count(result.searchBounds)] : []),
    result.audit === null ? '-' : result.audit.ok ? 'ok' : 'FAILED',
  ])
  return table(heading, rows)
}

/** Returns the value of an option in a cell; for unset `estimates` and `arrivals` the value that the run applied. */
function valueOf({ cell, assumptions }: CellResult, field: RunOptionName): string {
  const applied = field === 'estimates' || field === 'arrivals' ? assumptions?.[field] : undefined
  return cell[field] === undefined ? (applied ?? '') : optionText(cell, field)
}

/** Returns a line for each result whose audit failed, with the violations and untested claims. */
export function auditFailures(results: ReadonlyArray<Pick<CellResult, 'cell' | 'audit'>>): ReadonlyArray<string> {
  return results.flatMap(({ cell, audit }) => {
    if (audit === null || audit.ok) return []
    const found = [
      ...Object.entries(audit.violations).map(([name, times]) => `${name} violated ${counted(times, 'time')}`),
      ...audit.untestedClaims.map((claim) => `claim ${claim} never tested`),
    ]
    return [`${describeSpec(cell)}: ${found.join(', ')}`]
  })
}

/** Returns a column of a table for each kind of jobs that never started, if any cell has jobs of this kind. */
export function notPlacedColumns(results: ReadonlyArray<CellResult>): {
  readonly heading: ReadonlyArray<string>
  readonly of: (result: CellResult) => ReadonlyArray<string>
} {
  const shown = notPlacedLabels.filter(([name]) =>
    results.some((result) => (notPlacedOf(result)?.[name].jobs ?? 0) > 0),
  )
  return {
    heading: shown.map(([, label]) => label.toUpperCase()),
    of: (result) => {
      const notPlaced = notPlacedOf(result)
      return shown.map(([name]) =>
        notPlaced === undefined ? '-' : describeJobs(notPlaced[name], result.totals.submitted),
      )
    },
  }
}

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
  return [...tables, ...unpairedLines(groups, differences)].join('\n\n')
}

/** Returns a text with a line for each group without a pair, with the reason; empty if all groups have pairs. */
export function unpairedLines(
  groups: ReadonlyArray<Group>,
  differences: ReadonlyArray<Difference>,
): ReadonlyArray<string> {
  const columns = tellingOptions(groups.map(({ cell }) => cell))
  const lines = unpairedOf(groups, differences, differences[0]?.against.policy).map(({ cell, options }) => {
    const name = columns.map((option) => optionText(cell, option)).filter((text) => text !== '')
    const values = options.map((option) => `${option} ${optionText(cell, option) || '(default)'}`)
    const missing = values.length === 0 ? 'the same seeds' : values.join(' and ')
    return `  ${name.join(', ')}: the baseline policy has no run with ${missing}`
  })
  return lines.length === 0 ? [] : [`No pairs:\n${lines.join('\n')}`]
}

/** Returns a line for each group of dependent runs (see `mixedDraws`): the interval of the group is wrong. */
export function mixedLines(groups: ReadonlyArray<Group>): ReadonlyArray<string> {
  const columns = tellingOptions(groups.map(({ cell }) => cell))
  return groups.flatMap((group) => {
    const draws = mixedDraws(group).map(({ option, values }) => `${option} (${new Set(values).size} values)`)
    if (draws.length === 0) return []
    const name = columns.map((option) => optionText(group.cell, option)).filter((text) => text !== '')
    return [
      `${name.join(', ')}: the runs differ in ${draws.join(' and in ')}; a 95 % interval needs runs that differ in one of these options`,
    ]
  })
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

/** Returns the unit of an axis for a metric; without a unit for metrics that are neither shares nor times. */
export function axisUnit(unit: MetricUnit): { readonly unit?: 'share' | 'seconds' } {
  return unit === 'share' || unit === 'seconds' ? { unit } : {}
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

/** Returns the remark on failed runs: the number of failed runs, then a line for each reason. */
export function failedText(failed: ReadonlyArray<FailedRun>, runs: number): string {
  return [`${count(failed.length)} of ${count(runs)} runs failed:`, ...reasonLines(failed)].join('\n')
}

/** Returns a line for each reason of failed runs: number of runs, first run, reason. */
export function reasonLines(failed: ReadonlyArray<FailedRun>): ReadonlyArray<string> {
  return byReason(failed).map(
    ({ reason, cells, first }) =>
      `  ${cells === 1 ? '1 run' : `${count(cells)} runs, first`} ${describeSpec(first)}: ${reason}`,
  )
}

/** Returns the error for a sweep in which no cell has a result. @param remedy advice for the user */
export function noResults(failed: ReadonlyArray<FailedRun>, remedy: string): Problem {
  return new Problem(
    [`none of the ${count(failed.length)} runs has a result`, ...reasonLines(failed), `  ${remedy}`].join('\n'),
  )
}
