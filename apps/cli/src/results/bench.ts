import { benchGroupNames } from '../bench/cases.ts'
import { list, named, number, oneOf, optional, struct, text } from './kinds.ts'

const Reading = named(
  'Reading',
  'Times in seconds of processes of `cloister metrics`, `audit` and `state` that read the log of a run.',
  {
    metrics: number(),
    audit: number(),
    seek: number('Time in seconds of `cloister state --at` for the middle of the run.'),
  },
)

export const Timing = named('Timing', 'Time and memory of one run of `cloister simulate` in a separate process.', {
  jobs: number(),
  microsecondsPerJob: number(
    'Time of the simulation divided by the number of jobs, in µs, as in Table 3 of the Jigsaw paper.',
  ),
  searchBounds: number('Number of searches for a placement that the policy gave up at a limit.'),
  processSeconds: number('Time of the whole process in seconds, including the loading of the program.'),
  peakMemoryBytes: number(),
})
export type Timing = typeof Timing.Type

export const TimeRatio = named(
  'TimeRatio',
  'Ratio of the times of one program to the times of another program, over several pairs of runs.',
  {
    median: number(),
    from: number(
      'Lower end of the 95 % confidence interval of the median (`to`: upper end); with fewer than six pairs, the least ratio (`to`: the largest ratio).',
    ),
    to: number(),
  },
)
export type TimeRatio = typeof TimeRatio.Type

export const BenchFigures = named('BenchFigures', 'Times of one case: a policy on a trace and a machine.', {
  ratios: optional(
    struct(
      { withoutLog: TimeRatio, withLog: TimeRatio, metrics: TimeRatio, audit: TimeRatio, seek: TimeRatio },
      'Times of this program divided by the times of the program of `--compare`, missing without `--compare`.',
    ),
  ),
  cold: struct(
    { withoutLog: Timing, withLog: Timing },
    'Simulations in fresh processes, which load and compile the program.',
  ),
  warm: optional(
    struct(
      { withoutLog: number(), withLog: number() },
      'Times per job in µs of later rounds of the same simulation in one process; missing in a comparison of programs, and for a program without `simulate --rounds`.',
    ),
  ),
  reading: Reading,
  group: oneOf(benchGroupNames),
  trace: text(),
  topology: text(),
  policy: text(),
  options: text('Further options of the simulation, as in a command line.'),
  nodesPerJob: number('Mean size of the jobs, in nodes.'),
})
export type BenchFigures = typeof BenchFigures.Type

const BenchReport = struct({
  node: text('Version of Node.'),
  processor: text(),
  runs: number('Number of processes over which each figure is the median.'),
  results: list(BenchFigures),
})
export type BenchReport = typeof BenchReport.Type

/** Results of commands with `--json`, by command. */
export const benchResults = { bench: BenchReport }
