import { measureLogs } from '../log/metrics.ts'
import { Argument, Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument, textFlag, type Options } from './flags.ts'

const flags = {
  logs: logArgument.pipe(Argument.variadic({ min: 1 })),
  by: Flag.Literals('by', ['account', 'user', 'queue']).pipe(
    Flag.withDescription('Add figures for each account, user or queue'),
    Flag.optional,
  ),
  where: textFlag(
    'where',
    'QUERY',
    "Add figures for the jobs that match a query\nExamples: 'size>256 wait>3h', user=alice|bob. With --by, the figures are for each group of the jobs that match.",
  ).pipe(Flag.optional),
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
    { command: 'cloister metrics baseline.ndjson jigsaw.ndjson.zst', description: 'Compare two runs in one table' },
  ]),
)
