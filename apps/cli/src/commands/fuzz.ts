import { Command, Flag } from 'effect/cli'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

/** Default number of random runs of `cloister fuzz` without `--minutes`. */
const RUNS = 300

const tryPolicies = onDemand(async () => (await import('../fuzz/fuzz.ts')).fuzzPolicies)
const forgeLogs = onDemand(async () => (await import('../fuzz/fuzz-logs.ts')).fuzzLogs)

export const fuzz = Command.make(
  'fuzz',
  {
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription(
        'Policy to try: a built-in name, a package or a file\nMay be given several times. Default: every built-in policy.',
      ),
      Flag.atLeast(0),
    ),
    policyConfig: Flag.String('policy-config').pipe(
      Flag.withMetavar('JSON'),
      Flag.withDescription(
        'Configuration of the policy to try, as JSON\nDefault: {}, and the sample configurations of the built-in policies.',
      ),
      Flag.optional,
    ),
    only: Flag.Int('only').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Try only run N, the number in the report of a fault'),
      Flag.optional,
    ),
    runs: Flag.Int('runs').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription(`Number of runs to try\nDefault: ${RUNS}; with --minutes as many runs as the time allows.`),
      Flag.optional,
    ),
    minutes: Flag.Finite('minutes').pipe(
      Flag.withMetavar('M'),
      Flag.withDescription('Stop after M minutes: start no further run'),
      Flag.optional,
    ),
    seed: Flag.Int('seed').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Seed of the random runs, default: 1'),
      Flag.withDefault(1),
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('DIR'),
      Flag.withDescription('Folder for the files of a faulty run, default: fuzz-fault'),
      Flag.withDefault('fuzz-fault'),
    ),
    logs: Flag.Boolean('logs').pipe(
      Flag.withDescription(
        'Attack the program instead of a policy\nForges the logs of random runs, seals the forged logs again, and gives the logs to every command that reads logs.',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  (options) => (options.logs ? forgeLogs(options) : tryPolicies(options)),
).pipe(
  Command.withDescription(
    'Try policies on random machines, jobs, queues and failures\nThe auditor checks the log of every run. The command shrinks a faulty run to a small run with the same fault.',
  ),
  Command.withExamples([
    { command: 'cloister fuzz --runs 5000', description: 'Try every built-in policy' },
    { command: 'cloister fuzz --minutes 10 --seed 7', description: 'Try policies for ten minutes' },
    { command: 'cloister fuzz --policy ./my-policy.ts', description: 'Try a policy in a file' },
    { command: 'cloister fuzz --policy ./my-policy.ts --only 28', description: 'Repeat run 28 of this policy' },
    {
      command: 'cloister fuzz --logs --minutes 1',
      description: 'Find commands that crash, hang or accept wrong decisions on forged logs',
    },
  ]),
)
