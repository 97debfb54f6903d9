import { Argument, Command } from 'effect/cli'
import { jsonFlag, policyConfigFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

const list = Command.make(
  'list',
  { json: jsonFlag },
  onDemand(async () => (await import('../policy/policy.ts')).listPolicies),
).pipe(Command.withDescription('List the built-in policies, and say how others are found'))

const test = Command.make(
  'test',
  {
    name: Argument.String('policy').pipe(Argument.withDescription('A built-in policy, a package, or a file')),
    policyConfig: policyConfigFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../policy/policy.ts')).testPolicy),
).pipe(
  Command.withDescription('Hold a policy to its contract and its claims'),
  Command.withExamples([{ command: 'cloister policy test ./my-policy.ts', description: 'A policy in a file' }]),
)

export const policy = Command.make('policy').pipe(
  Command.withDescription('Find and check placement policies'),
  Command.withSubcommands([list, test]),
)
