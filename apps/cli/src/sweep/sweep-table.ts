import { type RunSpec, runOptionNames } from '@cloister/run'
import type { CellResult } from './cell-result.ts'
import { count, decimal, duration, percent } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'

/** A row a result: what tells the cells apart, then what came out. */
export function sweepTable(results: ReadonlyArray<CellResult>): string {
  const columns = runOptionNames.filter(
    (field) =>
      ['trace', 'topology', 'policy'].includes(field) || new Set(results.map(({ cell }) => show(cell[field]))).size > 1,
  )
  const bounded = results.some(({ searchBounds }) => searchBounds > 0)
  const heading = [
    ...columns,
    'jobs',
    'utilization',
    'makespan',
    'turnaround',
    'over 100 nodes',
    'wait',
    'a job',
    ...(bounded ? ['given up'] : []),
    'audit',
  ]
  const rows = results.map(({ cell, totals, metrics, microsecondsPerJob, searchBounds, audit }) => [
    ...columns.map((field) => show(cell[field])),
    count(totals.finished),
    percent(metrics.utilization.steady, 2),
    duration(metrics.makespan),
    duration(metrics.turnaround.mean),
    duration(metrics.turnaround.large),
    duration(metrics.wait.mean),
    `${decimal(microsecondsPerJob, 0)} µs`,
    ...(bounded ? [count(searchBounds)] : []),
    audit === null ? '-' : audit.ok ? 'ok' : 'FAILED',
  ])
  return table(heading, rows)
}

function show(value: RunSpec[keyof RunSpec]): string {
  return value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** What the audit of each log that failed it found. */
export function auditFailures(
  results: ReadonlyArray<CellResult>,
  describe: (cell: RunSpec) => string,
): ReadonlyArray<string> {
  return results.flatMap(({ cell, audit }) => {
    if (audit === null || audit.ok) return []
    const found = [
      ...Object.entries(audit.violations).map(([name, times]) => `${name} violated ${count(times)} times`),
      ...audit.untestedClaims.map((claim) => `the claim ${claim} never tested`),
    ]
    return [`${describe(cell)}: ${found.join(', ')}`]
  })
}
