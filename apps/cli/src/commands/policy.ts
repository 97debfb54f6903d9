import { Argument, Command, Flag } from 'effect/cli'
import { jsonFlag, policyConfigFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

const policyArgument = Argument.String('policy').pipe(
  Argument.withDescription('Policy: a built-in name, a package or a file'),
)

const list = Command.make(
  'list',
  { json: jsonFlag },
  onDemand(async () => (await import('../policy/policy.ts')).listPolicies),
).pipe(Command.withDescription('List the built-in and installed policies'))

const test = Command.make(
  'test',
  {
    name: policyArgument,
    policyConfig: policyConfigFlag,
    maxPlaceMs: Flag.Int('max-place-ms').pipe(
      Flag.withMetavar('MS'),
      Flag.withDescription(
        'Longest time for one answer of the policy in ms, default: 1000\nThe command stops a hanging policy some time after MS.',
      ),
      Flag.withDefault(1000),
    ),
    seconds: Flag.Int('seconds').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Longest time for all answers together in s, default: 60'),
      Flag.withDefault(60),
    ),
    asymmetric: Flag.Boolean('asymmetric').pipe(
      Flag.withDescription(
        'Do not expect equal answers for equal leaves and pods\nNeeded for a policy that leaves a part of the machine unused.',
      ),
      Flag.withDefault(false),
    ),
    watch: Flag.Boolean('watch').pipe(
      Flag.withDescription('Test the policy again whenever one of its files is saved'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../policy/policy.ts')).testPolicy),
).pipe(
  Command.withDescription('Check a policy against its contract and its claims'),
  Command.withExamples([
    { command: 'cloister policy test ./my-policy.ts', description: 'Check a policy in a file' },
    {
      command: 'cloister policy test ./my-policy.ts --watch',
      description: 'Check a policy in a file after every save',
    },
  ]),
)

const show = Command.make(
  'show',
  {
    name: policyArgument,
    topology: Flag.String('topology').pipe(
      Flag.withMetavar('SPEC'),
      Flag.withDescription('Topology on which the policy claims, default: radix:18'),
      Flag.withDefault('radix:18'),
    ),
    policyConfig: policyConfigFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../policy/show-policy.ts')).showPolicy),
).pipe(
  Command.withDescription('Show the options of a policy, and its claims on a topology'),
  Command.withExamples([
    { command: 'cloister policy show jigsaw --topology cab', description: 'Show options, and claims on Cab' },
  ]),
)

export const policy = Command.make('policy').pipe(
  Command.withDescription('List, show and check placement policies'),
  Command.withSubcommands([list, show, test]),
)
