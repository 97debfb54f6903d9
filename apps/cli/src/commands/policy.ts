import { showPolicy } from '../policy/show-policy.ts'
import { listPolicies, testPolicy } from '../policy/policy.ts'
import { Argument, Command, Flag } from 'effect/cli'
import { integerFlag, jsonFlag, onFlag, policyConfigFlag, textFlag, type Options } from './flags.ts'

const policyArgument = Argument.String('policy').pipe(
  Argument.withDescription('Policy: a built-in name, a package or a file'),
)

const listFlags = { json: jsonFlag }

const list = Command.make('list', listFlags, (options) => listPolicies(options)).pipe(
  Command.withDescription('List the built-in and installed policies'),
)

const testFlags = {
  name: policyArgument,
  policyConfig: policyConfigFlag,
  maxPlaceMs: integerFlag(
    'max-place-ms',
    'MS',
    'Longest time for one answer of the policy in ms, default: 1000\nThe command stops a hanging policy some time after MS.',
  ).pipe(Flag.withDefault(1000)),
  seconds: integerFlag('seconds', 'N', 'Longest time for all answers together in s, default: 60').pipe(
    Flag.withDefault(60),
  ),
  asymmetric: Flag.Boolean('asymmetric').pipe(
    Flag.withDescription(
      'Do not expect equal answers for equal leaves and pods\nNeeded for a policy that leaves a part of the machine unused.',
    ),
    Flag.withDefault(false),
  ),
  watch: onFlag('watch', 'Test the policy again whenever one of its files is saved'),
  json: jsonFlag,
}

const test = Command.make('test', testFlags, (options) => testPolicy(options)).pipe(
  Command.withDescription('Check a policy against its contract and its claims'),
  Command.withExamples([
    { command: 'cloister policy test ./my-policy.ts', description: 'Check a policy in a file' },
    {
      command: 'cloister policy test ./my-policy.ts --watch',
      description: 'Check a policy in a file after every save',
    },
  ]),
)

const showFlags = {
  name: policyArgument,
  topology: textFlag('topology', 'SPEC', 'Topology on which the policy claims, default: radix:18').pipe(
    Flag.withDefault('radix:18'),
  ),
  policyConfig: policyConfigFlag,
  json: jsonFlag,
}

const show = Command.make('show', showFlags, (options) => showPolicy(options)).pipe(
  Command.withDescription('Show the options of a policy, and its claims on a topology'),
  Command.withExamples([
    { command: 'cloister policy show jigsaw --topology cab', description: 'Show options, and claims on Cab' },
  ]),
)

export const policy = Command.make('policy').pipe(
  Command.withDescription('List, show and check placement policies'),
  Command.withSubcommands([list, show, test]),
)
