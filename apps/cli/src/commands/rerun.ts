import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument, matricesFlag, maxQuestionsFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const rerun = Command.make(
  'rerun',
  {
    log: logArgument,
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription(
        "Another policy, to be asked what it would have decided in each state of the log; another version of the log's own is another policy. Or where the log's own is, if it is not built in",
      ),
      Flag.optional,
    ),
    policyConfig: Flag.String('policy-config').pipe(
      Flag.withMetavar('JSON'),
      Flag.withDescription(
        "The policy's configuration; with any other than the log's it is another policy. Default: the log's for the policy of the log, else {}",
      ),
      Flag.optional,
    ),
    limit: Flag.Int('limit').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription("How many of another policy's decisions to show; default: 20"),
      Flag.optional,
    ),
    until: Flag.Int('until').pipe(
      Flag.withMetavar('SEQ'),
      Flag.withDescription(
        'Halt before record SEQ, and ask the policy once more the question that led to it: under node --inspect-brk a debugger halts there',
      ),
      Flag.optional,
    ),
    matrices: matricesFlag,
    maxQuestions: maxQuestionsFlag,
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
    {
      command: `cloister rerun run.ndjson --policy-config '{"order":"sparsest-first"}'`,
      description: "And the log's policy under another configuration?",
    },
  ]),
)
