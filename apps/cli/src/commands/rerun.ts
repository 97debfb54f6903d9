import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const rerun = Command.make(
  'rerun',
  {
    log: logArgument,
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription(
        "Another policy, to be asked what it would have decided in each state of the log; or where the log's own policy is, if it is not built in",
      ),
      Flag.optional,
    ),
    policyConfig: Flag.String('policy-config').pipe(
      Flag.withMetavar('JSON'),
      Flag.withDescription("The other policy's configuration"),
      Flag.withDefault('{}'),
    ),
    limit: Flag.Int('limit').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('How many of the other decisions to show'),
      Flag.withDefault(20),
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../log/rerun.ts')).rerunLog),
).pipe(
  Command.withDescription(
    "Run the policy's code again on a log's recorded inputs, up to the first record that differs; or ask another policy about every decision",
  ),
  Command.withExamples([
    { command: 'cloister rerun run.ndjson', description: 'Does the policy still decide the same?' },
    {
      command: 'cloister rerun run.ndjson --policy baseline',
      description: "Where would Baseline have decided differently, in this log's states?",
    },
  ]),
)
