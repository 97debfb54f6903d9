import { type RunOptionName, runOptionNames, type RunSpec } from '@cloister/run'
import { notPlacedColumns } from './cell-not-placed.ts'
import type { CellResult, TimedResult } from './cell-result.ts'
import { count, counted, decimal, durations, percent } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'

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
  const value = cell[field] ?? (field === 'estimates' || field === 'arrivals' ? assumptions?.[field] : undefined)
  return value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Returns a line for each result whose audit failed, with the violations and untested claims. */
export function auditFailures(
  results: ReadonlyArray<Pick<CellResult, 'cell' | 'audit'>>,
  describe: (cell: RunSpec) => string,
): ReadonlyArray<string> {
  return results.flatMap(({ cell, audit }) => {
    if (audit === null || audit.ok) return []
    const found = [
      ...Object.entries(audit.violations).map(([name, times]) => `${name} violated ${counted(times, 'time')}`),
      ...audit.untestedClaims.map((claim) => `claim ${claim} never tested`),
    ]
    return [`${describe(cell)}: ${found.join(', ')}`]
  })
}
