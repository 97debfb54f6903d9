import { byName, flag, list, named, number, of, optional, orNull, struct, text, union } from './kinds.ts'
import { Metrics } from './metrics.ts'
import { NotPlaced, RunSpec, SmallerThanNode, Totals } from './runs.ts'
import { Written } from './files.ts'

const RunAssumptions = byName(orNull(text())).annotate({
  identifier: 'RunAssumptions',
  description: 'Assumptions of a run, as texts for tables; null for an assumption that the run does not make.',
})

const CellResult = named(
  'CellResult',
  'Result of a cell, a line of a file of results. Has no measured times, so that all machines write equal bytes.',
  {
    cell: RunSpec,
    program: text('Name and version of the program, as `cloister@VERSION`.'),
    build: text(
      "First 12 digits of the SHA-256 of the program's file, to distinguish development builds of one version.",
    ),
    policy: text('Name and version of the policy, as `NAME@VERSION`.'),
    router: optional(
      text('Name and version of the router, as `NAME@VERSION`; absent without a router, and for a built-in router.'),
    ),
    order: optional(text('Name and version of the queue order, as `NAME@VERSION`; absent for a built-in order.')),
    workload: struct({
      name: text(),
      filter: text(),
      jobs: number(),
      sha256: text(),
      arrivals: text(),
      smallerThanNode: optional(
        of(
          SmallerThanNode,
          'Number and node-time of the jobs that use only a part of their nodes. Missing in results of older programs.',
        ),
      ),
    }),
    assumptions: optional(
      of(
        RunAssumptions,
        'Assumptions of the run as texts, with defaults filled in. Missing in results of older programs.',
      ),
    ),
    scenario: text('Scenario that the run applied: `none` under a policy without a claim of speed-up.'),
    totals: Totals,
    searchBounds: number(),
    audit: orNull(
      struct({ ok: flag(), tests: number(), violations: byName(number()), untestedClaims: list(text()) }),
      'Result of the audit of the log, with the number of violations of each invariant, or null without an audit.',
    ),
    log: struct({ bytes: number(), sha256: text() }),
    metrics: Metrics,
    instantaneousPercents: list(
      number(),
      'Number of samples of utilization at 0, 1, …, 100 % (cut off), taken at each start and end of a job until the last start.',
    ),
  },
)

const TimedResult = named('TimedResult', 'Result of a cell, with the times of the cell.', {
  ...CellResult.fields,
  seconds: orNull(
    number(),
    'Time of the whole cell with audit and metrics, in seconds, or null if an older program ran the cell.',
  ),
  microsecondsPerJob: orNull(
    number(),
    'Time of the simulation with the writing of the log, in µs per job, or null if unknown.',
  ),
})

const FailedRun = named('FailedRun', 'Run of an experiment without a result, with the reason.', {
  cell: RunSpec,
  reason: text(),
})

const FailedRuns = named(
  'FailedRuns',
  'Number of runs without a result for the same reason, and the first of these runs.',
  { reason: text(), cells: number(), first: RunSpec },
)

const CellNotPlaced = named(
  'CellNotPlaced',
  'Cell of a sweep, with counts of the jobs that never started: rejected jobs, and jobs that still wait at the end.',
  { cell: RunSpec, ...NotPlaced.fields },
)

const Interval = named('Interval', 'Mean of a sample, with the 95 % confidence interval of the true mean.', {
  mean: number(),
  half: orNull(number(), "Half of the width of the interval, by Student's distribution, or null for a single value."),
  count: number(),
})

const Difference = named(
  'Difference',
  'Difference of a group from the group of the baseline policy (`against`), by pairs of runs with the same seeds.',
  { cell: RunSpec, against: RunSpec, metrics: byName(Interval) },
)

const ExperimentOutcome = named('ExperimentOutcome', 'Results and failures of an experiment.', {
  results: list(TimedResult, 'Results of the experiment, in the order of the cells.'),
  skipped: list(FailedRun, 'Failed cells with reasons, in the order of the cells.'),
})

export const ShardOutcome = named('ShardOutcome', 'Summary of the work of one worker.', {
  folder: text(),
  worker: text(),
  shard: text(),
  ran: number(),
  failed: list(FailedRun),
  suspect: list(CellResult, 'Results whose audit failed.'),
})

const Verification = named('Verification', 'Comparison of repeated cells with the stored results.', {
  again: number(),
  elsewhere: number('Number of repeated cells whose first result is from another host.'),
  different: list(struct({ cell: RunSpec, worker: text(), fields: list(text()) })),
})

const SweepStatus = named('SweepStatus', 'Progress of a sweep over several processes: numbers of cells and workers.', {
  cells: number(),
  done: number(),
  running: number(),
  underWay: number('Sum of the progress of all running cells, each from 0 to 1.'),
  stale: number('Number of cells without a result whose workers have ended or are silent.'),
  failed: number(),
  waiting: number(),
  reasons: list(FailedRuns, 'Failed cells, grouped by the reason.'),
  workers: struct({ atWork: number(), silent: number(), ended: number() }),
  secondsLeft: orNull(
    number(),
    'Estimated time left in seconds, by the mean time of a cell, or null without a running worker or a known time.',
  ),
  verified: struct(
    { equal: number(), different: number() },
    'Numbers of cells that `--verify` repeated, with equal and with different results.',
  ),
})

const IntervalsOfGroup = struct({ cell: RunSpec, replicates: number(), metrics: byName(Interval) })

/** Results of commands with `--json`, by command. */
export const sweepResults = {
  sweep: union([
    ExperimentOutcome,
    struct({ ...ExperimentOutcome.fields, notPlaced: list(CellNotPlaced) }),
    struct({
      ...ExperimentOutcome.fields,
      notPlaced: list(CellNotPlaced),
      intervals: list(IntervalsOfGroup),
      differences: list(Difference),
    }),
    ShardOutcome,
    Verification,
  ]),
  'sweep merge': struct({ results: text(), merged: number(), missing: list(RunSpec) }),
  'sweep status': SweepStatus,
  'sweep report': struct({ files: list(Written), intervals: list(IntervalsOfGroup), differences: list(Difference) }),
}
