import { basename } from 'node:path'
import { type GroupMetrics, jobNumbers, type Metrics } from '@cloister/metrics'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { describeDifferences } from '../log/assumptions.ts'
import { concludeReading, queryOf } from '../log/log-reading.ts'
import { measure, metricsTable, worstTable } from '../log/measurement.ts'
import { print, remark, visibleOnOneLine } from '../terminal/output.ts'
import { count, counted, decimal, durations, percent } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'
import { jsonFlag, logArgument, onFlag, type Options, textFlag } from './flags.ts'

const flags = {
  logs: logArgument.pipe(Argument.variadic({ min: 1 })),
  by: Flag.Literals('by', ['account', 'user', 'queue', 'qos']).pipe(
    Flag.withDescription('Add figures for each account, user, queue or QOS'),
    Flag.optional,
  ),
  where: textFlag(
    'where',
    'QUERY',
    "Add figures for the jobs that match a query\nExamples: 'size>256 wait>3h', user=alice|bob. With --by, the figures are for each group of the jobs that match.",
  ).pipe(Flag.optional),
  worst: Flag.Literals('worst', jobNumbers).pipe(
    Flag.withDescription(
      'Add the ten jobs with the highest values of a field\nspread and extraleaves find the jobs that were placed badly. With --where, only jobs that match.',
    ),
    Flag.optional,
  ),
  capacity: onFlag(
    'capacity',
    'Add the largest job that fits, as a share of the idle nodes\nThe policy of the log answers after every change of nodes or links. A low share means that the idle nodes are fragmented.',
  ),
  json: jsonFlag,
}

export const metrics = Command.make('metrics', flags, (options) => measureLogs(options)).pipe(
  Command.withDescription(
    'Measure runs: utilization, waits, makespan, fragmentation\nThe command needs only the event logs of the runs.',
  ),
  Command.withExamples([
    { command: 'cloister metrics run.ndjson --json', description: 'Measure one run as JSON' },
    { command: 'cloister metrics real.ndjson --by account', description: 'Add node-hours and waits of each account' },
    {
      command: "cloister metrics run.ndjson --where 'size>256 wait>3h'",
      description: 'Add figures of large jobs with long waits',
    },
    { command: 'cloister metrics run.ndjson --worst spread', description: 'List the jobs that were placed worst' },
    { command: 'cloister metrics run.ndjson --capacity', description: 'Measure the fragmentation of the idle nodes' },
    { command: 'cloister metrics baseline.ndjson jigsaw.ndjson.zst', description: 'Compare two runs in one table' },
  ]),
)

const measureLogs = Effect.fn(function* ({ logs, by: given, where: text, json, ...options }: Options<typeof flags>) {
  const by = Option.getOrUndefined(given)
  const where = Option.getOrUndefined(text)
  const worst = Option.getOrUndefined(options.worst)
  const query = where === undefined ? undefined : yield* queryOf(where)
  const measured = yield* Effect.forEach(logs, (path) => measure(path, { by, query, worst }))
  const capacities = options.capacity ? yield* measureCapacities(measured) : undefined
  const results = measured.map(({ result, assumptions, groups, worst: jobs }, at) => ({
    ...result,
    assumptions,
    ...(capacities === undefined ? {} : { capacity: capacities.found[at] }),
    ...(by === undefined ? {} : { by }),
    ...(where === undefined ? {} : { where }),
    ...(by === undefined && where === undefined ? {} : { groups }),
    ...(worst === undefined ? {} : { worst: { field: worst, jobs } }),
  }))
  yield* print('metrics', json, results.length === 1 ? results[0] : results, () => {
    const names = logs.map((log) => basename(log))
    const title = [by ?? 'jobs', ...(where === undefined ? [] : [`where ${where}`])].join(' ')
    const hasGroups = by !== undefined || where !== undefined
    const ofGroups = hasGroups ? measured.map(({ groups }, at) => groupTable(title, names[at], groups)) : []
    const ofWorst =
      worst === undefined ? [] : measured.map((each, at) => worstTable(`worst ${worst} in ${names[at]}`, each.worst))
    const shown = results.map((each, at) => ({ ...each, longestWaiter: measured[at].longestWaiter }))
    const ofCapacity = capacities === undefined ? [] : [capacities.table(names)]
    return [metricsTable(names, shown), ...ofCapacity, ...ofGroups, ...ofWorst].join('\n\n')
  })
  for (const { path, warning, bandwidth, smallerThanNode } of measured) {
    if (warning !== undefined) yield* remark(`${path}: ${warning}`)
    if (bandwidth !== undefined) yield* remark(`${path}: ${bandwidth}`)
    if (smallerThanNode > 0)
      yield* remark(
        `${path}: ${counted(smallerThanNode, 'job')} smaller than a node held whole nodes; node-time and utilization count whole nodes`,
      )
  }
  const differences = describeDifferences(measured.map(({ assumptions }) => assumptions))
  if (differences !== undefined) yield* remark(differences)
  yield* concludeReading(measured)
})

/** Measures the capacity of logs. Loads the policies and the scheduler, which other measures do not need. */
const measureCapacities = Effect.fnUntraced(function* (
  measured: ReadonlyArray<{ readonly path: string; readonly result: Metrics }>,
) {
  const { capacityOf, measuredCapacityTable } = yield* Effect.promise(() => import('../log/measured-capacity.ts'))
  const found = yield* Effect.forEach(measured, capacityOf)
  return { found, table: (names: ReadonlyArray<string>) => measuredCapacityTable(names, found) }
})

/** Returns a table with metrics, a row for each group of jobs. @param title first heading, such as `account` */
function groupTable(title: string, log: string, groups: ReadonlyArray<GroupMetrics>): string {
  const times = durations(groups.flatMap(({ wait, turnaround }) => [wait.mean, wait.max, turnaround]))
  return table(
    [
      visibleOnOneLine(`${title} in ${log}`),
      'jobs',
      'finished',
      'killed for good',
      'node-hours',
      'share',
      'mean wait',
      'longest',
      'mean turnaround',
      'bounded slowdown',
      'mean extra leaves',
      'jobs on extra leaves',
      'mean spread',
    ],
    groups.map(({ group, jobs, nodeHours, share, slowdown, placement }, at) => [
      group === null ? '(none)' : visibleOnOneLine(group),
      count(jobs.submitted),
      count(jobs.finished),
      count(jobs.killed),
      decimal(nodeHours, 1),
      share === null ? '-' : percent(share),
      ...times.slice(3 * at, 3 * at + 3),
      slowdown === null ? '-' : decimal(slowdown, 1),
      decimal(placement.extraLeaves.mean, 2),
      percent(placement.onExtraLeaves),
      decimal(placement.spread.mean, 2),
    ]),
  )
}
