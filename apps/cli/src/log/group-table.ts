import type { GroupMetrics } from '@cloister/metrics'
import { visibleOnOneLine } from '../terminal/output.ts'
import { count, decimal, durations, percent } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'

/** Returns a table with metrics, a row for each group of jobs. @param title first heading, such as `account` */
export function groupTable(title: string, log: string, groups: ReadonlyArray<GroupMetrics>): string {
  const times = durations(groups.flatMap(({ wait, turnaround }) => [wait.mean, wait.max, turnaround]))
  return table(
    [
      visibleOnOneLine(`${title} in ${log}`),
      'jobs',
      'finished',
      'killed',
      'node-hours',
      'share',
      'mean wait',
      'longest',
      'mean turnaround',
      'bounded slowdown',
    ],
    groups.map(({ group, jobs, nodeHours, share, slowdown }, at) => [
      group === null ? '(none)' : visibleOnOneLine(group),
      count(jobs.submitted),
      count(jobs.finished),
      count(jobs.killed),
      decimal(nodeHours, 1),
      share === null ? '-' : percent(share),
      ...times.slice(3 * at, 3 * at + 3),
      slowdown === null ? '-' : decimal(slowdown, 1),
    ]),
  )
}
