import { Command, Flag } from 'effect/cli'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

/** Runs that are tried where nothing is said. */
const RUNS = 300

const tryPolicies = onDemand(async () => (await import('../fuzz/fuzz.ts')).fuzzPolicies)
const forgeLogs = onDemand(async () => (await import('../fuzz/fuzz-logs.ts')).fuzzLogs)

export const fuzz = Command.make(
  'fuzz',
  {
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription(
        'The policy to try: a built-in one, a package, or a file; may be given several times. Default: all that are built in',
      ),
      Flag.atLeast(0),
    ),
    policyConfig: Flag.String('policy-config').pipe(
      Flag.withMetavar('JSON'),
      Flag.withDescription('Try this configuration alone; default: the empty one, and others of the built-in policies'),
      Flag.optional,
    ),
    only: Flag.Int('only').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Try the run of this number alone, as a fault names it'),
      Flag.optional,
    ),
    runs: Flag.Int('runs').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription(`How many runs to try; default: ${RUNS}, or as many as there is time for with --minutes`),
      Flag.optional,
    ),
    minutes: Flag.Finite('minutes').pipe(
      Flag.withMetavar('M'),
      Flag.withDescription('Try no further run after so many minutes'),
      Flag.optional,
    ),
    seed: Flag.Int('seed').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('The same seed gives the same runs'),
      Flag.withDefault(1),
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('DIR'),
      Flag.withDescription('Where the files of a run go that is at fault'),
      Flag.withDefault('fuzz-fault'),
    ),
    logs: Flag.Boolean('logs').pipe(
      Flag.withDescription(
        'Try the program instead: forge the logs of random runs, seal them anew, and give them to everything that reads logs',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  (options) => (options.logs ? forgeLogs(options) : tryPolicies(options)),
).pipe(
  Command.withDescription(
    'Try policies on random machines, jobs, queues and failures, with the auditor on every log; a run at fault is shrunk to a small one',
  ),
  Command.withExamples([
    { command: 'cloister fuzz --runs 5000', description: 'All built-in policies' },
    { command: 'cloister fuzz --minutes 10 --seed 7', description: 'As many runs as ten minutes allow' },
    { command: 'cloister fuzz --policy ./my-policy.ts', description: 'A policy in a file' },
    { command: 'cloister fuzz --policy ./my-policy.ts --only 28', description: 'Its run 28 again' },
    {
      command: 'cloister fuzz --logs --minutes 1',
      description: 'Is any forged log believed, or the end of a command?',
    },
  ]),
)
