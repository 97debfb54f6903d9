import { Argument, Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const metrics = Command.make(
  'metrics',
  {
    logs: logArgument.pipe(Argument.variadic({ min: 1 })),
    by: Flag.Literals('by', ['account', 'user', 'queue']).pipe(
      Flag.withDescription('Add figures for each account, user or queue'),
      Flag.optional,
    ),
    where: Flag.String('where').pipe(
      Flag.withMetavar('QUERY'),
      Flag.withDescription(
        "Add figures for some jobs\nExamples: 'size>256 wait>3h', user=alice|bob. With --by, figures for the groups of these jobs.",
      ),
      Flag.optional,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../log/metrics.ts')).measureLogs),
).pipe(
  Command.withDescription(
    'Measure runs: utilization, waits, makespan, fragmentation\nReads nothing but the event logs.',
  ),
  Command.withExamples([
    { command: 'cloister metrics run.ndjson --json', description: 'Measure one run as JSON' },
    { command: 'cloister metrics real.ndjson --by account', description: 'Add use and waits of each account' },
    {
      command: "cloister metrics run.ndjson --where 'size>256 wait>3h'",
      description: 'Add figures of large jobs with long waits',
    },
    {
      command: 'cloister metrics baseline.ndjson jigsaw.ndjson.zst',
      description: 'Compare two runs (an array with --json)',
    },
  ]),
)
