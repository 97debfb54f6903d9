import * as Schema from 'effect/Schema'
import { benchGroupNames } from '../bench/cases.ts'
import { named, number, of, oneOf, optional, struct, text } from './kinds.ts'

const Spread = named('Spread', 'Times per job in µs in the processes of a figure.', {
  median: number(),
  least: number(),
  largest: number(),
})
export type Spread = typeof Spread.Type

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Line of a file of `cloister bench --append`: the times of one case, build and machine. */
export const SpeedLine = struct({
  commit: text('Name of the timed build, such as the hash of a commit.'),
  date: of(
    Schema.String.check(Schema.isPattern(UTC, { expected: 'a time in UTC such as 2026-11-27T17:33:00.000Z' })),
    'Time of the commit in UTC. Builds are ordered by this time.',
  ),
  processor: text('Model of the processor. Times of different processors cannot be compared.'),
  cores: number('Number of processors.'),
  load: optional(
    number(
      'Mean number of running programs in the minute before the first process: 0 on a quiet machine, and always on Windows. Missing if nobody measured the load.',
    ),
  ),
  node: text('Version of Node.'),
  runs: number('Number of processes of each figure.'),
  group: oneOf(benchGroupNames),
  trace: text(),
  topology: text(),
  policy: text(),
  options: text('Further options of the simulation, as in a command line.'),
  cold: struct({ withoutLog: Spread, withLog: Spread }, 'Simulations in fresh processes.'),
  warm: optional(
    struct(
      { withoutLog: Spread, withLog: Spread },
      'Later rounds of the same simulation in one process; missing for builds that cannot repeat a simulation.',
    ),
  ),
})
export type SpeedLine = typeof SpeedLine.Type
