import { availableParallelism } from 'node:os'
import { Argument, Command, Flag } from 'effect/cli'
import { traceDirFlag } from '../run/run-flags.ts'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

/** How cells are run, for every command that runs some. */
export const experimentFlags = {
  traceDir: traceDirFlag,
  workers: Flag.Int('workers').pipe(
    Flag.withMetavar('N'),
    Flag.withDescription('Worker threads; default: one for every processor'),
    Flag.withDefault(availableParallelism()),
  ),
  audit: Flag.Boolean('audit').pipe(
    Flag.withDescription('Audit the log of every run (--no-audit: do not)'),
    Flag.withDefault(true),
  ),
  keepLogs: Flag.String('keep-logs').pipe(
    Flag.withMetavar('DIR'),
    Flag.withDescription('Keep the event log of every run in this folder, compressed'),
    Flag.optional,
  ),
  force: Flag.Boolean('force').pipe(
    Flag.withDescription('Run everything anew, whatever results there are'),
    Flag.withDefault(false),
    Flag.withoutNegation,
  ),
}

export const sweep = Command.make(
  'sweep',
  {
    experiment: Argument.String('experiment').pipe(
      Argument.withDescription('A JSON file: {"cells":[{"trace":…,"topology":…,"policy":[…],…}]}, see the README'),
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'Where results go, a line of JSON each; default: the name of the experiment with .results.ndjson, in the working directory',
      ),
      Flag.optional,
    ),
    resume: Flag.Boolean('resume').pipe(
      Flag.withDescription('Keep the results that FILE holds, and run what is missing'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    ...experimentFlags,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../sweep/sweep.ts')).runSweep),
).pipe(
  Command.withDescription(
    'Run an experiment: every combination of traces, machines, policies, queues, scenarios and seeds that a file names, measured and audited, on all processors',
  ),
  Command.withExamples([
    { command: 'cloister sweep experiment.json', description: 'Results in experiment.results.ndjson, and a table' },
    { command: 'cloister sweep experiment.json --resume', description: 'Go on after a kill' },
  ]),
)
