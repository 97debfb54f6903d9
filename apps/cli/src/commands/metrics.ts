import { Argument, Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const metrics = Command.make(
  'metrics',
  {
    logs: logArgument.pipe(Argument.variadic({ min: 1 })),
    by: Flag.Literals('by', ['account', 'user', 'queue']).pipe(
      Flag.withDescription('Also figures of the jobs of each account, user or queue'),
      Flag.optional,
    ),
    where: Flag.String('where').pipe(
      Flag.withMetavar('QUERY'),
      Flag.withDescription(
        "Also figures of some jobs: 'size>256 wait>3h', user=alice|bob; with --by, of the groups of these",
      ),
      Flag.optional,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../log/metrics.ts')).measureLogs),
).pipe(
  Command.withDescription(
    'Measure runs from their event logs alone: utilization, waits, turnaround, makespan, fragmentation',
  ),
  Command.withExamples([
    { command: 'cloister metrics run.ndjson --json', description: 'One run, as JSON' },
    { command: 'cloister metrics real.ndjson --by account', description: 'And who used and waited how much' },
    {
      command: "cloister metrics run.ndjson --where 'size>256 wait>3h'",
      description: 'And what became of the large jobs that waited long',
    },
    {
      command: 'cloister metrics baseline.ndjson jigsaw.ndjson.zst',
      description: 'Two runs side by side (with --json: an array)',
    },
  ]),
)
