import { mean, meanBoundedSlowdown, meanSlowdown, meanTurnaround, waitsBySize } from './job-times.ts'
import { busyShare, lostTime, type LostTime, type MeasuredRun, shareOfSteady } from './measured-run.ts'
import { isMetric, type Measured, type Metric, type MetricUnit } from './metric.ts'
import { notPlacedOf } from './not-placed.ts'

/** An hour in ms. */
const HOUR = 3_600_000
/** Large jobs have more nodes. */
const LARGE_JOB = 100

/**
 * All metrics. The place of a metric in this object is its name in `cloister metrics --json`. Types, tables and the
 * fold follow from the definition. A metric of a single field of records has a `tally`.
 */
const definitions = {
  notPlaced: metric(
    'jobs without a place',
    'classes',
    'Jobs without a place: rejected by the policy, or waiting at the end of the log; with their shares of all submitted jobs and of their node-time by estimate.',
    ({ jobs }) => notPlacedOf(jobs),
  ),
  policy: name(
    'policy',
    'Name and version, as `jigsaw@1.0.0`.',
    ({ header: { policy } }) => `${policy.name}@${policy.version}`,
  ),
  topology: name('topology', 'Name of the topology, as `radix:18`.', ({ header }) => header.topology.name),
  workload: name('workload', 'Name of the workload.', ({ header }) => header.workload.name),
  /** Numbers of jobs, not of events: a requeued job with two runs counts once. */
  jobs: {
    submitted: count('jobs submitted', 'Jobs that were submitted.', ({ jobs }) => jobs.countSubmitted()),
    started: count('jobs started', 'Jobs that started at least once.', ({ started }) => started.length),
    finished: count('jobs finished', 'Jobs that ran to the end, including failed jobs.', ({ jobs }) =>
      jobs.countInState('finished'),
    ),
    rejected: count('jobs rejected', 'Jobs that can never be placed.', ({ jobs }) => jobs.countInState('rejected')),
    killed: count('jobs killed', 'Jobs that were killed and not requeued.', ({ jobs }) => jobs.countInState('killed')),
    cancelled: count('jobs cancelled', 'Jobs cancelled in the queue.', ({ jobs }) => jobs.countInState('cancelled')),
  },
  /**
   * Node-time of the *requested* nodes of running jobs over node-time of all nodes. Nodes of allocations beyond the
   * request, and nodes that are down without a job, are not busy.
   */
  utilization: {
    steady: share('utilization, steady state', 'Over the steady state (Jigsaw paper, section 5).', (run) =>
      shareOfSteady(run, 'busy'),
    ),
    overall: share('utilization, overall', 'Over the makespan, or over the window.', (run) => busyShare(run)),
    perMinute: metric(
      'utilization, each minute',
      'quartiles',
      'Sampled at every whole minute from the first arrival until before the last finish (Pollard et al., IV-C); in a window, from its begin until before its end.',
      ({ nodes }) => nodes.perMinute(),
    ),
  },
  steadyState: metric(
    'steady state',
    'interval',
    'From the first instant at whose end a job still waits, to the last start. A window has none.',
    ({ steady, steadyFrom, lastStart }) =>
      steady === undefined ? null : { from: steadyFrom!.t / 1000, to: lastStart!.t / 1000 },
  ),
  makespan: seconds('makespan', 'First arrival to last end. A window has none.', ({ makespan }) =>
    makespan === undefined ? null : makespan / 1000,
  ),
  /** Time in the queue, of jobs that started; the waits of a requeued job add up. */
  wait: {
    mean: seconds('wait, mean', 'Mean time in the queue.', ({ waits }) => waits.mean),
    median: seconds('wait, median', 'Median time in the queue.', ({ waits }) => waits.median),
    max: seconds('wait, longest', 'Longest time in the queue.', ({ waits }) => waits.max),
    bySize: metric('wait by nodes', 'classes', 'The same by the number of nodes requested.', ({ jobs, started }) =>
      waitsBySize(jobs, started),
    ),
  },
  /** Time from the submit to the final end, of jobs that finished or were killed for good. */
  turnaround: {
    mean: seconds('turnaround, mean', 'Mean turnaround.', ({ jobs, ended }) => meanTurnaround(jobs, ended)),
    large: seconds('turnaround, over 100 nodes', 'Mean turnaround of jobs over 100 nodes.', ({ jobs, ended }) =>
      meanTurnaround(
        jobs,
        ended.filter((job) => jobs.of.size[job] > LARGE_JOB),
      ),
    ),
  },
  /** Turnaround over run time, of jobs that finished or were killed for good. */
  slowdown: {
    mean: ratio('slowdown, mean', 'Leaves out jobs of zero run time.', ({ jobs, ended }) => meanSlowdown(jobs, ended)),
    bounded: ratio('slowdown, bounded', "Feitelson's max(1, turnaround / max(run time, 10 s)).", ({ jobs, ended }) =>
      meanBoundedSlowdown(jobs, ended),
    ),
  },
  /** Run time over run time at full rate, of jobs that ended. Null if run times do not follow from contention. */
  contention: {
    mean: occasional(
      ratio('slowdown by contention, mean', 'Mean of run time over that by itself.', ({ contention }) =>
        contention === undefined ? null : mean(contention),
      ),
    ),
    max: occasional(
      ratio('slowdown by contention, most', 'The largest of run time over that by itself.', ({ contention }) =>
        contention === undefined || contention.length === 0
          ? null
          : contention.reduce((most, each) => Math.max(most, each), 1),
      ),
    ),
    slowed: occasional(
      share(
        'slowed by contention',
        'Share of these jobs that ran at least 1 % longer than by themselves.',
        ({ contention }) => (contention === undefined ? null : mean(contention.map((each) => (each >= 1.01 ? 1 : 0)))),
      ),
    ),
  },
  backfilled: {
    label: 'started by backfilling',
    unit: 'share',
    meaning: 'Share of all starts that were made ahead of a waiting job with a reservation.',
    tally: { allocate: ({ backfill }) => (backfill === undefined ? 0 : 1) },
    value: ({ starts }, backfills) => (starts === 0 ? null : backfills / starts),
  } satisfies Metric<number | null>,
  /**
   * Shares of all node-time in the steady state, in which utilization + internal + external + idle while no job waits +
   * down = 1.
   */
  fragmentation: {
    internal: share('allocated beyond request', 'Allocated but not requested.', (run) =>
      shareOfSteady(run, 'internal'),
    ),
    external: share('idle while jobs wait', 'Neither allocated nor down, while at least one job waits.', (run) =>
      shareOfSteady(run, 'external'),
    ),
    placement: share(
      'idle while the head fits',
      "The part of `external` during which the first waiting job, in submit order, asks for no more nodes than are idle: what the placement's constraints cost, as opposed to the mere number of nodes (Jigsaw paper, 2.3.2).",
      (run) => shareOfSteady(run, 'placement'),
    ),
  },
  lost: metric(
    'node-time by cause',
    'classes',
    'Shares of all node-time from the first arrival to the last end, or of the window, which sum to 1: busy, allocated beyond the request, down, idle while no job waits, idle while every waiting job asks for more nodes than are idle, and the rest: `unplaced`, which the placement, a reservation, the order of the queue or its window keeps idle.',
    (run) => lostParts(run, run.nodes.nodes * run.length),
  ),
  lost_node_hours: metric('node-hours by cause', 'classes', 'The same in node-hours.', (run) => lostParts(run, HOUR)),
  instantaneous: metric(
    'utilization at starts and ends',
    'classes',
    "Samples of utilization at each start and each end of a run, counted in the bins of the Jigsaw paper's Table 2 by their lower bounds in percent: >= 98, 95-98, 90-95, 80-90, 60-80, < 60.",
    ({ nodes }) => nodes.instantaneous(),
  ),
} as const satisfies Definitions

/** Metrics by name, and groups of them. */
type Definitions = { readonly [name: string]: Metric<unknown> | Definitions }

/**
 * All metrics of one run, as `cloister metrics --json` prints them. Times are seconds and shares are fractions of 1. A
 * metric without a value in the run is null, such as a mean over no jobs or a steady state that never began.
 */
export interface Metrics extends Measured<typeof definitions> {}

/** A metric with its name. `utilization.steady` names the member `steady` of `utilization`. */
export interface NamedMetric {
  readonly name: string
  /** A short name for tables. */
  readonly label: string
  readonly unit: MetricUnit
  /** Definition of the metric, with the paper that defines it. */
  readonly meaning: string
  /** True if tables omit the metric unless some run has a value. */
  readonly isOccasional: boolean
  /** Returns the value of the metric from the metrics of a run. */
  readonly of: (metrics: Metrics) => unknown
}

/** All metrics, in the order of the JSON. */
export const metricList: ReadonlyArray<NamedMetric> = Array.from(named(definitions), ({ path, metric }) => ({
  name: path.join('.'),
  label: metric.label,
  unit: metric.unit,
  meaning: metric.meaning,
  isOccasional: metric.isOccasional === true,
  of: (metrics) => path.reduce((value: unknown, key) => (value as Record<string, unknown>)[key], metrics),
}))

/** Tallies of the metrics, in the order of `metricList`; undefined for a metric without a tally. */
export const tallies: ReadonlyArray<Metric<unknown>['tally']> = Array.from(
  named(definitions),
  ({ metric }) => metric.tally,
)

/** Computes all metrics. @param sums tally of each metric over all records, in the order of `metricList` */
export function measure(run: MeasuredRun, sums: ArrayLike<number>): Metrics {
  let next = 0
  const valuesOf = (group: Definitions): unknown =>
    Object.fromEntries(
      Object.entries(group).map(([key, entry]) => [
        key,
        isMetric(entry) ? entry.value(run, sums[next++]) : valuesOf(entry),
      ]),
    )
  return valuesOf(definitions) as Metrics
}

function lostParts(run: MeasuredRun, unit: number): LostTime | null {
  const lost = lostTime(run)
  if (lost === null) return null
  return Object.fromEntries(Object.entries(lost).map(([cause, time]) => [cause, time / unit])) as unknown as LostTime
}

function* named(
  group: Definitions,
  above: ReadonlyArray<string> = [],
): Generator<{ readonly path: ReadonlyArray<string>; readonly metric: Metric<unknown> }> {
  for (const [key, entry] of Object.entries(group)) {
    const path = [...above, key]
    if (isMetric(entry)) yield { path, metric: entry }
    else yield* named(entry, path)
  }
}

type Value<Result> = (run: MeasuredRun) => Result

function metric<Result>(label: string, unit: MetricUnit, meaning: string, value: Value<Result>): Metric<Result> {
  return { label, unit, meaning, value }
}

function occasional<Result>(of: Metric<Result>): Metric<Result> {
  return { ...of, isOccasional: true }
}

function name(label: string, meaning: string, value: Value<string>): Metric<string> {
  return metric(label, 'name', meaning, value)
}

function count(label: string, meaning: string, value: Value<number>): Metric<number> {
  return metric(label, 'count', meaning, value)
}

function share(label: string, meaning: string, value: Value<number | null>): Metric<number | null> {
  return metric(label, 'share', meaning, value)
}

function seconds(label: string, meaning: string, value: Value<number | null>): Metric<number | null> {
  return metric(label, 'seconds', meaning, value)
}

function ratio(label: string, meaning: string, value: Value<number | null>): Metric<number | null> {
  return metric(label, 'ratio', meaning, value)
}
