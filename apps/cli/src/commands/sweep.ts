import { Argument, Command, Flag } from 'effect/cli'
import { experimentFlags } from './experiment-flags.ts'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

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
