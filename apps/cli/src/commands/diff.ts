import { Argument, Command, Flag } from 'effect/cli'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const diff = Command.make(
  'diff',
  {
    a: Argument.String('a').pipe(Argument.withDescription('An event log, plain or .zst')),
    b: Argument.String('b').pipe(Argument.withDescription('Another one of the same jobs')),
    top: Flag.Int('top').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('How many of the jobs to name that won and lost most'),
      Flag.withDefault(5),
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../log/diff.ts')).compareLogFiles),
).pipe(
  Command.withDescription(
    'Compare two runs of the same jobs: where they first decide differently, and whose wait changed',
  ),
  Command.withExamples([
    { command: 'cloister diff baseline.ndjson jigsaw.ndjson', description: 'What does isolation cost whom?' },
  ]),
)
