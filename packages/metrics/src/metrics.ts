import type { LogRecord } from '@cloister/eventlog'
import { nameWithRails } from '@cloister/topology'
import {
  countInState,
  mean,
  meanBoundedSlowdown,
  meanSlowdown,
  meanTurnaround,
  notPlacedOf,
  wasSubmitted,
  waitsBySize,
} from './job-figures.ts'
import { busyShare, type MeasuredRun, nodeTimeByUse, type NodeTimeByUse, shareOfSteady } from './measured-run.ts'

/** An hour in ms. */
const HOUR = 3_600_000
/** A job with more nodes than this number counts as large. */
const LARGE_JOB = 100

const name = metricOf<string>('name')
const count = metricOf<number>('count')
const share = metricOf<number | null>('share')
const seconds = metricOf<number | null>('seconds')
const ratio = metricOf<number | null>('ratio')
const leaves = metricOf<number | null>('leaves')

/**
 * All metrics. The place of a metric in this object is its name in `cloister metrics --json`. Types, tables and
 * MetricsFold follow from the definitions. A metric that sums a field over the records has a `tally`.
 */
const definitions = {
  notPlaced: metric(
    'jobs without a place',
    'classes',
    'Jobs that the policy rejected, and jobs that wait at the end of the log, with their shares of all submitted jobs and of the node-time (nodes times estimate) of all submitted jobs.',
    ({ jobs }) => notPlacedOf(jobs),
  ),
  policy: name(
    'policy',
    'Name and version of the policy, as `jigsaw@1.0.0`.',
    ({ header: { policy } }) => `${policy.name}@${policy.version}`,
  ),
  topology: name('topology', 'Name of the topology, as `radix:18`.', ({ header }) => nameWithRails(header.topology)),
  workload: name('workload', 'Name of the workload.', ({ header }) => header.workload.name),
  /** Numbers of jobs, not of events: a requeued job with two runs counts once. */
  jobs: {
    submitted: count(
      'jobs submitted',
      'Jobs that were submitted.',
      ({ jobs }) => jobs.rows((job) => wasSubmitted(jobs, job)).length,
    ),
    started: count('jobs started', 'Jobs that started at least once.', ({ started }) => started.length),
    finished: count('jobs finished', 'Jobs that ran to the end, including failed jobs.', ({ jobs }) =>
      countInState(jobs, 'finished', 'failed'),
    ),
    rejected: count('jobs rejected', 'Jobs that can never be placed.', ({ jobs }) => countInState(jobs, 'rejected')),
    killed: count('jobs killed for good', 'Jobs that were killed and not requeued.', ({ jobs }) =>
      countInState(jobs, 'killed'),
    ),
    cancelled: count('jobs cancelled', 'Jobs that were cancelled in the queue.', ({ jobs }) =>
      countInState(jobs, 'cancelled'),
    ),
  },
  /**
   * Node-time of the *requested* nodes of running jobs over node-time of all nodes. Nodes of allocations beyond the
   * request, and nodes that are down without a job, are not busy.
   */
  utilization: {
    steady: share(
      'utilization, steady state',
      'Share of node-time that running jobs requested, over the steady state (Jigsaw paper, section 5).',
      (run) => shareOfSteady(run, 'busy'),
    ),
    overall: share(
      'utilization, overall',
      'Share of node-time that running jobs requested, over the makespan or over the window.',
      (run) => busyShare(run),
    ),
    perMinute: metric(
      'utilization, each minute',
      'quartiles',
      'Quartiles of the utilization at every whole minute from the first arrival until before the last end of a job (Pollard et al., IV-C); in a window, from the begin until before the end of the window.',
      ({ nodes }) => nodes.perMinute(),
    ),
  },
  steadyState: metric(
    'steady state',
    'interval',
    'Interval from the first instant at whose end a job still waits, to the last start. Null for a window.',
    ({ steady, steadyFrom, lastStart }) =>
      steady === undefined ? null : { from: steadyFrom!.t / 1000, to: lastStart!.t / 1000 },
  ),
  makespan: seconds(
    'makespan',
    'Time from the first arrival to the last end of a job. Null for a window.',
    ({ makespan }) => (makespan === undefined ? null : makespan / 1000),
  ),
  /** Time in the queue, of jobs that started; the waits of a requeued job add up. */
  wait: {
    mean: seconds('wait, mean', 'Mean time in the queue.', ({ waits }) => waits.mean),
    median: seconds('wait, median', 'Median time in the queue.', ({ waits }) => waits.median),
    max: seconds('wait, longest', 'Longest time in the queue.', ({ waits }) => waits.max),
    bySize: metric(
      'wait by nodes',
      'classes',
      'Mean, median and longest time in the queue of the jobs of each class of sizes, by the number of nodes requested.',
      ({ jobs, started }) => waitsBySize(jobs, started),
    ),
  },
  /** Comparison with the history from which the workload comes. Null if the log has no recorded waits. */
  history: {
    wait: occasional(
      seconds(
        'history: wait, mean',
        'Mean time in the queue in the recorded history, of the same jobs.',
        ({ history }) => (history === undefined ? null : history.recorded.mean),
      ),
    ),
    error: occasional(
      seconds(
        'history: wait, mean error',
        'Mean of the absolute differences between the wait in the run and in the recorded history, job by job.',
        ({ history }) => history?.meanAbsoluteError ?? null,
      ),
    ),
    rankCorrelation: occasional(
      ratio(
        'history: rank correlation',
        "Spearman's rank correlation of the waits in the run and in the recorded history, from -1 to 1.",
        ({ history }) => history?.rankCorrelation ?? null,
      ),
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
    mean: ratio(
      'slowdown, mean',
      'Mean of turnaround over run time; jobs of zero run time are left out.',
      ({ jobs, ended }) => meanSlowdown(jobs, ended),
    ),
    bounded: ratio(
      'slowdown, bounded',
      "Mean of Feitelson's bounded slowdown, max(1, turnaround / max(run time, 10 s)).",
      ({ jobs, ended }) => meanBoundedSlowdown(jobs, ended),
    ),
  },
  /**
   * Run time over run time at full rate, of jobs that ended. The slowdowns are null if run times do not follow from
   * contention.
   */
  contention: {
    mean: occasional(
      ratio(
        'slowdown by contention, mean',
        'Mean of the run time over the run time without contention, of jobs that ended.',
        ({ contention }) => (contention === undefined ? null : mean(contention)),
      ),
    ),
    max: occasional(
      ratio(
        'slowdown by contention, most',
        'Largest run time over the run time without contention, of jobs that ended.',
        ({ contention }) =>
          contention === undefined || contention.length === 0
            ? null
            : contention.reduce((most, each) => Math.max(most, each), 1),
      ),
    ),
    slowed: occasional(
      share(
        'slowed by contention',
        'Share of the ended jobs that ran at least 1 % longer than without contention.',
        ({ contention }) => (contention === undefined ? null : mean(contention.map((each) => (each >= 1.01 ? 1 : 0)))),
      ),
    ),
  },
  /** Moves of running jobs. The metrics are null if the run has no option `migrate`. */
  migration: {
    moves: {
      label: 'moves of running jobs',
      unit: 'count',
      meaning: 'Moves of running jobs to other nodes, each for the start of another job.',
      isOccasional: true,
      tally: { allocate: ({ moved }) => (moved === undefined ? 0 : 1) },
      value: ({ header }, moves) => (header.options.migrate === undefined ? null : moves),
    } satisfies Metric<number | null>,
    cost: occasional(
      share(
        'utilization by moves, steady state',
        'Share of node-time in the steady state that moves add to the run times of the moved jobs. The utilization contains this share.',
        (run) => (run.header.options.migrate === undefined ? null : shareOfSteady(run, 'moving')),
      ),
    ),
    useful: occasional(
      share(
        'utilization without moves, steady state',
        'Utilization in the steady state less the share that moves add: the share of node-time in which jobs do their own work.',
        (run) => {
          const [busy, moving] = [shareOfSteady(run, 'busy'), shareOfSteady(run, 'moving')]
          return run.header.options.migrate === undefined || busy === null ? null : busy - moving!
        },
      ),
    ),
  },
  /** Last allocation of each job that started, compared with the most compact placement on the empty machine. */
  placement: {
    extraLeaves: {
      mean: leaves(
        'extra leaves, mean',
        'Mean number of leaves of a job above the leaves of the most compact placement of the requested nodes on the empty machine; of jobs that started.',
        ({ placement }) => placement.extraLeaves.mean,
      ),
      q90: leaves(
        'extra leaves, 9th decile',
        'Number of extra leaves that at least 90 % of the started jobs do not exceed.',
        ({ placement }) => placement.extraLeaves.q90,
      ),
      max: leaves(
        'extra leaves, most',
        'Largest number of extra leaves of a started job.',
        ({ placement }) => placement.extraLeaves.max,
      ),
    },
    onExtraLeaves: share(
      'jobs on extra leaves',
      'Share of the started jobs on more leaves than the most compact placement has.',
      ({ placement }) => placement.onExtraLeaves,
    ),
    spread: {
      mean: ratio(
        'spread, mean',
        'Mean over the started jobs of several nodes: mean hops between two nodes of the job over those of the most compact placement. Hops are 2 on one leaf, 4 in one pod and 6 between pods.',
        ({ placement }) => placement.spread.mean,
      ),
      q90: ratio(
        'spread, 9th decile',
        'Spread that at least 90 % of the started jobs of several nodes do not exceed.',
        ({ placement }) => placement.spread.q90,
      ),
      max: ratio('spread, most', 'Largest spread of a started job.', ({ placement }) => placement.spread.max),
    },
  },
  backfilled: {
    label: 'started by backfilling',
    unit: 'share',
    meaning:
      'Share of all starts that were made by backfilling, ahead of a waiting job with a reservation. For a real machine, the share of the starts that the log attributes to backfilling.',
    tally: { allocate: ({ backfill, started_by }) => (backfill === undefined && started_by !== 'backfill' ? 0 : 1) },
    value: ({ starts }, backfills) => (starts === 0 ? null : backfills / starts),
  } satisfies Metric<number | null>,
  /** Shares of the steady state's node-time: utilization + internal + external + idle while no job waits + down = 1. */
  fragmentation: {
    internal: share(
      'allocated beyond request',
      'Share of node-time in the steady state in which nodes are allocated beyond the request of the job.',
      (run) => shareOfSteady(run, 'internal'),
    ),
    external: share(
      'idle while jobs wait',
      'Share of node-time in the steady state in which nodes are neither allocated nor down, while at least one job waits.',
      (run) => shareOfSteady(run, 'external'),
    ),
    placement: share(
      'idle while the head fits',
      'The part of `external` during which the first waiting job, in submit order, requests no more nodes than are idle. The cause of this part is the constraints of the placement, not a lack of idle nodes (Jigsaw paper, 2.3.2).',
      (run) => shareOfSteady(run, 'placement'),
    ),
  },
  nodeTime: metric(
    'node-time by use',
    'classes',
    'Shares of all node-time from the first arrival to the last end, or of the window, which sum to 1: busy, allocated beyond the request, down, idle while no job waits, idle while every waiting job requests more nodes than are idle, and `fragmented`: idle while some waiting job requests no more nodes than are idle, because of the placement, a reservation, the order of the queue or the window of the queue.',
    (run) => nodeTimeIn(run, run.nodes.nodes * run.length),
  ),
  nodeHours: metric(
    'node-hours by use',
    'classes',
    'Node-hours from the first arrival to the last end, or of the window, by the uses of `nodeTime`.',
    (run) => nodeTimeIn(run, HOUR),
  ),
  instantaneous: metric(
    'utilization at starts and ends',
    'classes',
    "Numbers of samples of the utilization at each start and each end of a run, in the bins of the Jigsaw paper's Table 2, named by the bins' lower bounds in percent: >= 98, 95-98, 90-95, 80-90, 60-80, < 60.",
    ({ nodes }) => nodes.instantaneous(),
  ),
} as const satisfies Definitions

/**
 * Kind of a metric's value. `leaves`: a number of leaves, or its mean. `quartiles`: quartiles of fractions. `interval`:
 * begin and end in seconds. `classes`: a value for each class of jobs, of samples or of uses of nodes.
 */
export type MetricUnit =
  | 'name'
  | 'count'
  | 'share'
  | 'seconds'
  | 'ratio'
  | 'leaves'
  | 'quartiles'
  | 'interval'
  | 'classes'

type RecordType = LogRecord['type']

/** A metric. Its place in `definitions` is its name in the JSON of `cloister metrics --json`. */
interface Metric<Value> {
  /** A short name for tables. */
  readonly label: string
  readonly unit: MetricUnit
  /** Definition of the metric in one or two sentences, with the paper that defines the metric. */
  readonly meaning: string
  /** Functions by type of record; the tally is the sum of the functions' results over all records. */
  readonly tally?: { readonly [Type in RecordType]?: (record: Extract<LogRecord, { readonly type: Type }>) => number }
  /** Present if few runs have a value of the metric: tables omit the metric unless some run has a value. */
  readonly isOccasional?: true
  /** Computes the value. @param tally sum of the metric's tally over all records; 0 for a metric without a tally */
  readonly value: (run: MeasuredRun, tally: number) => Value
}

/** The value of a metric, or of each metric of a group. */
type Measured<Definition> =
  Definition extends Metric<infer Value> ? Value : { readonly [Name in keyof Definition]: Measured<Definition[Name]> }

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
  /** Definition of the metric, with the paper that defines the metric. */
  readonly meaning: string
  /** True if tables omit the metric unless some run has a value of the metric. */
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

function nodeTimeIn(run: MeasuredRun, unit: number): NodeTimeByUse | null {
  const byUse = nodeTimeByUse(run)
  if (byUse === null) return null
  return Object.fromEntries(Object.entries(byUse).map(([use, time]) => [use, time / unit])) as unknown as NodeTimeByUse
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

/** Returns true for a metric, false for a group of metrics. */
function isMetric(definition: object): definition is Metric<unknown> {
  return typeof (definition as { value?: unknown }).value === 'function'
}

type Value<Result> = (run: MeasuredRun) => Result

function metric<Result>(label: string, unit: MetricUnit, meaning: string, value: Value<Result>): Metric<Result> {
  return { label, unit, meaning, value }
}

function occasional<Result>(of: Metric<Result>): Metric<Result> {
  return { ...of, isOccasional: true }
}

/** Returns a function that makes metrics of a unit. */
function metricOf<Result>(unit: MetricUnit) {
  return (label: string, meaning: string, value: Value<Result>): Metric<Result> => metric(label, unit, meaning, value)
}
