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
        "Another policy to ask in each state of the log\nAnother version of the log's policy is another policy. Also the location of the log's policy, if it is not built in.",
      ),
      Flag.optional,
    ),
    policyConfig: Flag.String('policy-config').pipe(
      Flag.withMetavar('JSON'),
      Flag.withDescription(
        "Configuration of the policy\nAnother configuration makes another policy. Default: that of the log for the log's policy, else {}.",
      ),
      Flag.optional,
    ),
    limit: Flag.Int('limit').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Decisions of another policy to show, default: 20'),
      Flag.optional,
    ),
    until: Flag.Int('until').pipe(
      Flag.withMetavar('SEQ'),
      Flag.withDescription(
        'Stop before record SEQ, and ask the policy for it once more\nA debugger under node --inspect-brk halts there.',
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
    "Run the policy again on a log's inputs\nShows the first record that differs. With --policy, shows every decision of another policy in the states of the log.",
  ),
  Command.withExamples([
    { command: 'cloister rerun run.ndjson', description: 'See whether the policy decides as in the log' },
    {
      command: 'cloister rerun run.ndjson --policy baseline',
      description: 'Compare decisions of Baseline in the states of this log',
    },
    {
      command: `cloister rerun run.ndjson --policy-config '{"order":"sparsest-first"}'`,
      description: 'Compare decisions under another configuration',
    },
  ]),
)
