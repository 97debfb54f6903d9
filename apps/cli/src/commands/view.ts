import { serveViewer } from '../view/view.ts'
import { Argument, Command, Flag } from 'effect/cli'
import { integerFlag, jsonFlag, logArgument, textFlag, type Options } from './flags.ts'
import { untilSignal } from '../terminal/signals.ts'

const flags = {
  log: logArgument,
  others: Argument.String('other').pipe(
    Argument.withDescription('Up to seven other logs of the same jobs, to compare'),
    Argument.variadic({ max: 7 }),
  ),
  policy: textFlag(
    'policy',
    'NAME',
    'Policy of the log, as a file or a package\nNeeded if the policy of the log is not built in. The policy runs again to tell why jobs wait.',
  ).pipe(Flag.optional),
  port: integerFlag('port', 'N', 'Port of the loopback interface, default: a free port').pipe(Flag.withDefault(0)),
  open: Flag.Boolean('open').pipe(
    Flag.withDescription('Open the browser (--no-open: only print the address)'),
    Flag.withDefault(true),
  ),
  json: jsonFlag,
}

export const view = Command.make('view', flags, (options) => untilSignal(serveViewer(options))).pipe(
  Command.withDescription('See a run in the browser, and why each job waited'),
  Command.withExamples([
    { command: 'cloister view run.ndjson', description: 'See one run; the page follows a growing log' },
    { command: 'cloister view baseline.ndjson jigsaw.ndjson', description: 'Compare two runs' },
  ]),
)
