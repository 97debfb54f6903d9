// Schemas of the results of commands that measure runs.
import * as Schema from 'effect/Schema'
import { jobNumbers, metricList, type JobNumber, type Metrics as MetricsOfRun } from '@cloister/metrics'
import { flag, list, named, number, of, oneOf, optional, orNull, struct, text, union } from './kinds.ts'
import { Assumptions, NotPlaced } from './runs.ts'

export const Quartiles = named(
  'Quartiles',
  'Quartiles by linear interpolation between order statistics (type 7 of Hyndman and Fan).',
  { min: number(), q1: number(), median: number(), q3: number(), max: number() },
)
export type Quartiles = typeof Quartiles.Type

const NodeTimeByUse = named('NodeTimeByUse', 'Node-time by use. The members of NodeTimeByUse sum to all node-time.', {
  busy: number('Node-time that running jobs requested.'),
  beyondRequest: number('Node-time of allocations beyond the requests.'),
  down: number('Node-time of nodes that are down and not allocated.'),
  noJob: number('Idle node-time while no job waits.'),
  tooFewNodes: number('Idle node-time while each waiting job requests more nodes than are idle.'),
  fragmented: number('Idle node-time while some waiting job requests no more nodes than are idle.'),
})

const WaitOfClass = named('WaitOfClass', 'Waits of the jobs of one class of sizes, such as `5-16`.', {
  sizes: text('Sizes in nodes: `1`, `2-4`, …, `257+`.'),
  jobs: number(),
  mean: orNull(number()),
  median: orNull(number()),
  max: orNull(number()),
})

/** Meanings of the groups of metrics; the table of metrics has the meaning of each metric. */
const groups: Readonly<Record<string, string>> = {
  jobs: 'Numbers of jobs, not of events: a requeued job with two runs counts once.',
  utilization:
    'Node-time of the *requested* nodes of running jobs over node-time of all nodes. Nodes of allocations beyond the request, and nodes that are down without a job, are not busy.',
  wait: 'Time in the queue, of jobs that started; the waits of a requeued job add up.',
  history: 'Comparison with the history from which the workload comes. Null if the log has no recorded waits.',
  turnaround: 'Time from the submit to the final end, of jobs that finished or were killed for good.',
  slowdown: 'Turnaround over run time, of jobs that finished or were killed for good.',
  contention:
    'Run time over run time at full rate, of jobs that ended. The slowdowns are null if run times do not follow from contention.',
  migration: 'Moves of running jobs. The metrics are null if the run has no option `migrate`.',
  placement: 'Last allocation of each job that started, compared with the most compact placement on the empty machine.',
  fragmentation:
    "Shares of the steady state's node-time: utilization + internal + external + idle while no job waits + down = 1.",
}

/** Metrics that are no numbers or names, by the name in the table of metrics. */
const composite: Readonly<Record<string, Schema.Top>> = {
  notPlaced: NotPlaced,
  'utilization.perMinute': orNull(Quartiles),
  steadyState: orNull(struct({ from: number(), to: number() })),
  'wait.bySize': list(WaitOfClass),
  nodeTime: orNull(NodeTimeByUse),
  nodeHours: orNull(NodeTimeByUse),
  instantaneous: struct({ 0: number(), 60: number(), 80: number(), 90: number(), 95: number(), 98: number() }),
}
const inUnits: Readonly<Record<string, string>> = { share: ' A fraction of 1.', seconds: ' In seconds.' }

/** Schemas of the metrics by name, from the table of metrics. */
const metricFields = fieldsBelow('') as { readonly [Name in keyof MetricsOfRun]: Schema.Codec<MetricsOfRun[Name]> }

/** Returns the schemas of the fields below a path of the table of metrics, such as `wait.`. */
function fieldsBelow(path: string): Schema.Struct.Fields {
  const names = metricList.filter(({ name }) => name.startsWith(path)).map(({ name }) => name.slice(path.length))
  return Object.fromEntries(
    [...new Set(names.map((name) => name.split('.')[0]))].map((name) => [name, metricSchema(path + name)]),
  )
}

function metricSchema(path: string): Schema.Top {
  const metric = metricList.find(({ name }) => name === path)
  if (metric === undefined) return struct(fieldsBelow(`${path}.`), groups[path])
  const { unit, meaning } = metric
  const simple = unit === 'name' ? text() : unit === 'count' && path.startsWith('jobs.') ? number() : orNull(number())
  return of(composite[path] ?? simple, meaning + (inUnits[unit] ?? ''))
}

export const Metrics = named(
  'Metrics',
  'All metrics of one run, as `cloister metrics --json` prints them. Times are seconds and shares are fractions of 1. A metric without a value in the run is null, such as a mean over no jobs or a steady state that never began.',
  metricFields,
)

export const MetricsWithAssumptions = named(
  'MetricsWithAssumptions',
  'All metrics of one run, with the assumptions of the run.',
  { ...metricFields, assumptions: Assumptions },
)

const Waits = named(
  'Waits',
  'Mean, median and longest wait of some jobs, in seconds; each null if there are no jobs.',
  { mean: orNull(number()), median: orNull(number()), max: orNull(number()) },
)

const Tail = named('Tail', 'Mean, 90 % quantile and largest value of some jobs; each null if no job has the value.', {
  mean: orNull(number()),
  q90: orNull(number(), 'Least value of a job that at least 90 % of the jobs do not exceed.'),
  max: orNull(number()),
})

const PlacementFigures = named(
  'PlacementFigures',
  'Placements of jobs, compared with the most compact placement of the requested nodes on the empty machine.',
  {
    extraLeaves: of(
      Tail,
      'Leaves of the last allocation above the leaves of the most compact placement, of the jobs that started.',
    ),
    onExtraLeaves: orNull(
      number(),
      'Share of the jobs that started whose last allocation has more leaves than the most compact placement.',
    ),
    spread: of(
      Tail,
      'Mean hops of the last allocation over those of the most compact placement, of started jobs of several nodes.',
    ),
  },
)

export const GroupMetrics = named(
  'GroupMetrics',
  'Figures of one group of jobs, with the definitions of the metrics of the same names.',
  {
    group: orNull(text(), 'Label of the jobs; null for the group of jobs without a label.'),
    jobs: struct({ submitted: number(), started: number(), finished: number(), killed: number(), cancelled: number() }),
    nodeHours: number(
      'Node-hours of the requested nodes over all runs of the jobs, in the window or, without a window, in the log.',
    ),
    share: orNull(
      number(),
      "Share of the group's node-hours in the node-hours of all jobs, from 0 to 1; null if no job ran.",
    ),
    wait: of(Waits, 'Waits of the jobs that started, in seconds.'),
    turnaround: orNull(
      number(),
      'Mean turnaround of the jobs that finished or were killed for good, in seconds; null for no jobs.',
    ),
    slowdown: orNull(
      number(),
      'Mean bounded slowdown of the jobs that finished or were killed for good; null for no jobs.',
    ),
    placement: of(PlacementFigures, 'Placements of the jobs that started.'),
  },
)
export type GroupMetrics = typeof GroupMetrics.Type

const CapacityMeans = named('CapacityMeans', 'Time-weighted means of steps. Each mean is null over no time.', {
  idle: orNull(number(), 'Mean number of idle nodes.'),
  largest: orNull(number(), 'Mean number of nodes of the largest job that fits.'),
  share: orNull(
    number(),
    'Mean share of the idle nodes that the largest fitting job takes, over the times with idle nodes: 1 if every job of at most as many nodes as are idle would fit, near 0 if the idle nodes are fragmented.',
  ),
})

export const MeasuredCapacity = named(
  'MeasuredCapacity',
  'Means of the idle nodes and of the largest job that the policy of a log places on them.',
  {
    steady: orNull(CapacityMeans, 'Means over the steady state; null without a steady state.'),
    idle: orNull(number(), 'Mean number of idle nodes.'),
    largest: orNull(number(), 'Mean number of nodes of the largest job that fits.'),
    share: orNull(
      number(),
      'Mean share of the idle nodes that the largest fitting job takes, over the times with idle nodes: 1 if every job of at most as many nodes as are idle would fit, near 0 if the idle nodes are fragmented.',
    ),
  },
)
export type MeasuredCapacity = typeof MeasuredCapacity.Type

export const WorstJob = named(
  'WorstJob',
  'A job with its values in some fields, named as in a query; null if the job has no value.',
  {
    job: text(),
    ...(Object.fromEntries(jobNumbers.map((name) => [name, optional(orNull(number()))])) as {
      readonly [Name in JobNumber]: Schema.optionalKey<Schema.NullOr<typeof Schema.Finite>>
    }),
  },
)
export type WorstJob = typeof WorstJob.Type

const MeasuredLog = named('MeasuredLog', 'Metrics of a log, with the figures that options add.', {
  ...MetricsWithAssumptions.fields,
  capacity: optional(MeasuredCapacity),
  by: optional(oneOf(['account', 'qos', 'queue', 'user'])),
  where: optional(text()),
  groups: optional(list(GroupMetrics)),
  worst: optional(struct({ field: oneOf(jobNumbers), jobs: list(WorstJob) })),
})

/** Results of commands with `--json`, by command. */
export const metricsResults = {
  metrics: union([list(MeasuredLog), MeasuredLog]),
  demo: list(struct({ policy: text(), log: text(), microsecondsPerJob: number(), metrics: Metrics, auditOk: flag() })),
}
