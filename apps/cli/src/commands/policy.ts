import { Argument, Command, Flag } from 'effect/cli'
import { jsonFlag, policyConfigFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

const policyArgument = Argument.String('policy').pipe(
  Argument.withDescription('A built-in policy, a package, or a file'),
)

const list = Command.make(
  'list',
  { json: jsonFlag },
  onDemand(async () => (await import('../policy/policy.ts')).listPolicies),
).pipe(Command.withDescription('List the built-in policies, and say how others are found'))

const test = Command.make(
  'test',
  {
    name: policyArgument,
    policyConfig: policyConfigFlag,
    maxPlaceMs: Flag.Int('max-place-ms').pipe(
      Flag.withMetavar('MS'),
      Flag.withDescription('What one question to the policy may take; what hangs is stopped after some more of them'),
      Flag.withDefault(1000),
    ),
    seconds: Flag.Int('seconds').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('What all questions together may take'),
      Flag.withDefault(60),
    ),
    asymmetric: Flag.Boolean('asymmetric').pipe(
      Flag.withDescription('The policy leaves part of the machine out: do not take equal leaves and pods for equal'),
      Flag.withDefault(false),
    ),
    watch: Flag.Boolean('watch').pipe(
      Flag.withDescription('Again whenever the file of the policy, or one that it imports, is saved'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../policy/policy.ts')).testPolicy),
).pipe(
  Command.withDescription('Hold a policy to its contract and its claims'),
  Command.withExamples([
    { command: 'cloister policy test ./my-policy.ts', description: 'A policy in a file' },
    { command: 'cloister policy test ./my-policy.ts --watch', description: 'While you write it' },
  ]),
)

const show = Command.make(
  'show',
  {
    name: policyArgument,
    topology: Flag.String('topology').pipe(
      Flag.withMetavar('SPEC'),
      Flag.withDescription('The topology that its claims are about'),
      Flag.withDefault('radix:18'),
    ),
    policyConfig: policyConfigFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../policy/show-policy.ts')).showPolicy),
).pipe(
  Command.withDescription('Show what a policy can be told, and what it claims on a topology'),
  Command.withExamples([
    { command: 'cloister policy show jigsaw --topology cab', description: 'Its options, and its claims on Cab' },
  ]),
)

export const policy = Command.make('policy').pipe(
  Command.withDescription('Find and check placement policies'),
  Command.withSubcommands([list, show, test]),
)
