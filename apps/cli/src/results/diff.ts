import { list, named, number, oneOf, orNull, orUndefined, struct, text } from './kinds.ts'
import { LogRecord, RouteRecord } from './records.ts'

const JobDifference = named(
  'JobDifference',
  'A job that was submitted in both compared logs. A wait is the time in seconds from the submit to the last start of the job; undefined if the job never starts in the log.',
  {
    job: text(),
    size: number(),
    waitA: orUndefined(number()),
    waitB: orUndefined(number()),
    change: orUndefined(
      number('Wait in log b minus wait in log a, in seconds; undefined unless the job starts in both logs.'),
    ),
  },
)

export const HistoryFit = named(
  'HistoryFit',
  'Comparison of the waits of a run with the waits of the recorded history. Times are seconds.',
  {
    jobs: number('Number of jobs that started in the run and have a recorded wait.'),
    recorded: struct({ mean: number(), median: number() }),
    simulated: struct({ mean: number(), median: number() }),
    meanAbsoluteError: number('Mean of the absolute differences of the two waits of each job.'),
    withinFiveMinutes: number('Share of the jobs whose two waits differ by at most 5 minutes.'),
    rankCorrelation: orNull(
      number(),
      "Spearman's rank correlation of the two waits, from -1 to 1; equal waits share the mean of their ranks. Null if all recorded or all simulated waits are equal.",
    ),
  },
)

export const NamedPort = named('NamedPort', 'Port of a switch, with the part behind the port.', {
  port: number(),
  to: orNull(text(), 'Node or switch at the other end of the port; null if the switch has no such port.'),
})
export type NamedPort = typeof NamedPort.Type

const NamedDifference = named(
  'NamedDifference',
  'Nodes towards which a switch uses different ports in two logs, by names.',
  {
    switch: text(),
    nodes: text('Destinations as an idset.'),
    a: orNull(NamedPort, 'Port in each log, and the name of the part behind the port; null if the table has no entry.'),
    b: orNull(NamedPort),
  },
)

export const NamedDifferences = named(
  'NamedDifferences',
  'Differences of the forwarding tables of two logs, by the names of switches and nodes.',
  { switches: number(), entries: number(), differences: list(NamedDifference) },
)
export type NamedDifferences = typeof NamedDifferences.Type

/** Results of commands with `--json`, by command. */
export const diffResults = {
  diff: struct({
    jobs: struct({
      both: number(),
      onlyA: number(),
      onlyB: number(),
      startedOnlyA: number(
        'Number of jobs that both logs submit, but that start only in log a (`startedOnlyA`) or only in log b.',
      ),
      startedOnlyB: number(),
      sooner: number('Numbers of jobs that start in both logs, with a shorter, equal or longer wait in log b.'),
      same: number(),
      later: number(),
    }),
    winners: list(
      JobDifference,
      'Jobs whose wait shrank most (`winners`) or grew most (`losers`) from log a to log b, at most `top` a list.',
    ),
    losers: list(JobDifference),
    a: text(),
    b: text(),
    equal: oneOf(['bytes', 'decisions', 'different', 'times']),
    headerFields: list(text()),
    divergence: orNull(struct({ t: number(), a: orNull(LogRecord), b: orNull(LogRecord) })),
    tables: orUndefined(
      struct({
        first: orNull(
          struct({ ...NamedDifferences.fields, t: number(), a: orNull(RouteRecord), b: orNull(RouteRecord) }),
        ),
        atEnd: NamedDifferences,
      }),
    ),
    change: orNull(struct({ mean: number(), median: number(), least: number(), most: number() })),
    history: orNull(struct({ a: orNull(HistoryFit), b: orNull(HistoryFit) })),
  }),
}
