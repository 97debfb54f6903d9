import { Argument, Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument } from './flags.ts'
import { onDemand } from './on-demand.ts'
import { untilSignal } from '../terminal/signals.ts'

export const view = Command.make(
  'view',
  {
    log: logArgument,
    others: Argument.String('other').pipe(
      Argument.withDescription('Other logs of the same jobs, to be seen beside it: seven at most'),
      Argument.variadic({ max: 7 }),
    ),
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription("Where the log's own policy is, if it is not built in: it is asked why jobs wait"),
      Flag.optional,
    ),
    port: Flag.Int('port').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('The port to listen on, of loopback only; default: any that is free'),
      Flag.withDefault(0),
    ),
    open: Flag.Boolean('open').pipe(Flag.withDescription('Open the browser'), Flag.withDefault(true)),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../view/view.ts')).serveViewer, untilSignal),
).pipe(
  Command.withDescription('See a run in the browser: scrub it, step through it, and find out why each job waited'),
  Command.withExamples([
    { command: 'cloister view run.ndjson', description: 'One run; one that is still being written is followed' },
    { command: 'cloister view baseline.ndjson jigsaw.ndjson', description: 'Two runs, or more, side by side' },
  ]),
)
