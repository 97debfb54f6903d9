// Schemas of the descriptions of runs, and of the result of `cloister simulate`.
import { named, number, of, oneOf, optional, orNull, struct, text } from './kinds.ts'
import * as Schema from 'effect/Schema'
import { optionOf, type RunSpec as SpecOfRun, runOptionNames } from '@cloister/run'

const JobsOfAll = named(
  'JobsOfAll',
  'Number of some jobs, and their shares of all submitted jobs; in a window, of the jobs that waited or ran in it.',
  {
    jobs: number(),
    share: orNull(number(), 'Share of the number of jobs; null if there are no jobs.'),
    nodeTime: orNull(
      number(),
      "Share of the jobs' node-time (nodes times estimate); null if a job has no estimate, or if the node-time is 0.",
    ),
  },
)

export const NotPlaced = named(
  'NotPlaced',
  'Jobs without a placement. No figure of waits, turnaround or utilization counts these jobs.',
  {
    rejected: of(JobsOfAll, 'Jobs that the policy rejected for good.'),
    waiting: of(JobsOfAll, 'Jobs that wait at the end of the log; in a simulation these jobs wait for ever.'),
  },
)

export const Assumptions = named(
  'Assumptions',
  'Assumptions of a run, as texts for tables. Compared runs with different assumptions get a remark on the difference.',
  {
    topology: text(),
    workload: text(),
    arrivals: text(),
    queue: text(),
    estimates: text(),
    overrun: orNull(text(), 'Treatment of jobs that run longer than their estimates. Null if estimates are exact.'),
    scenario: orNull(
      text(),
      'Scenario of the run; null without a scenario. Likewise, `bandwidth`, `communication` and `runTimes` are null in a run without bandwidths, communication or a run time model.',
    ),
    bandwidth: orNull(text()),
    communication: orNull(text()),
    runTimes: orNull(text()),
    otherOptions: orNull(
      text(),
      'Options without a field in this interface, by their flags, such as `seed 7`; null if all have their defaults.',
    ),
    part: orNull(text(), 'First and last second of the part of a run in the log; null if the log has a whole run.'),
  },
)
export type Assumptions = typeof Assumptions.Type

export const RunSpec: Schema.Codec<SpecOfRun> = named(
  'RunSpec',
  "Description of a run: plain JSON with the users' values. The canonical form leaves out default values, except of the queue, and spells every value canonically. Equal runs then have equal JSON.",
  Object.fromEntries(
    runOptionNames.map((name) => {
      const { schema, presence, help } = optionOf(name)
      return [name, of(presence === 'required' ? schema : Schema.optionalKey(schema), help.split('\n')[0])]
    }),
  ),
) as unknown as Schema.Codec<SpecOfRun>

export const SmallerThanNode = named(
  'SmallerThanNode',
  'Account of the jobs that use only a part of their nodes in a log, although the workload gives the jobs whole nodes; `jobs` is their number.',
  {
    jobs: number(),
    nodeTime: number(
      "Size times run time of the jobs on parts of nodes, as a fraction of all selected jobs' node-time, from 0 to 1.",
    ),
  },
)

export const Totals = named(
  'Totals',
  'Totals of an end record. `started`, `finished` and `killed` count records, and a requeued job may have several; the other totals count jobs.',
  {
    submitted: number(),
    started: number(),
    finished: number(),
    rejected: number(),
    killed: number(),
    cancelled: number(),
  },
)

/** Results of commands with `--json`, by command. */
export const runResults = {
  simulate: struct({
    notPlaced: of(
      NotPlaced,
      'Counts of the jobs that never started: rejected jobs, and jobs that still wait at the end of the run.',
    ),
    policy: text(),
    topology: text(),
    workload: struct({
      name: text(),
      filter: text(),
      jobs: number(),
      sha256: text(),
      arrivals: text(),
      withoutWalltime: number(),
      smallerThanNode: SmallerThanNode,
      differingSizes: struct({ jobs: number(), taken: oneOf(['allocated', 'requested']) }),
    }),
    queue: text(),
    assumptions: Assumptions,
    jobs: Totals,
    log: orNull(struct({ file: text(), bytes: number() })),
    resumed: optional(
      struct({ status: oneOf(['corrupt', 'torn', 'unsealed', 'whole']), records: number(), bytes: number() }),
    ),
    seconds: number('Time of the simulation in seconds, including the writing of the log.'),
    searchBounds: number(),
    microsecondsPerJob: number(),
    warmMicrosecondsPerJob: optional(
      number('Mean time of the simulation per job in µs, over the rounds from the second on; missing with one round.'),
    ),
    peakMemoryBytes: number(),
  }),
}
