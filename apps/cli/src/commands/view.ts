import { Argument, Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument } from './flags.ts'
import { onDemand } from './on-demand.ts'
import { untilSignal } from '../terminal/signals.ts'

export const view = Command.make(
  'view',
  {
    log: logArgument,
    others: Argument.String('other').pipe(
      Argument.withDescription('Up to seven other logs of the same jobs, to compare'),
      Argument.variadic({ max: 7 }),
    ),
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription(
        'Policy of the log, as a file or a package\nNeeded if the policy of the log is not built in. The policy runs again to tell why jobs wait.',
      ),
      Flag.optional,
    ),
    port: Flag.Int('port').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Port of the loopback interface, default: a free port'),
      Flag.withDefault(0),
    ),
    open: Flag.Boolean('open').pipe(
      Flag.withDescription('Open the browser (--no-open: only print the address)'),
      Flag.withDefault(true),
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../view/view.ts')).serveViewer, untilSignal),
).pipe(
  Command.withDescription('See a run in the browser, and why each job waited'),
  Command.withExamples([
    { command: 'cloister view run.ndjson', description: 'See one run; the page follows a growing log' },
    { command: 'cloister view baseline.ndjson jigsaw.ndjson', description: 'Compare two runs' },
  ]),
)
