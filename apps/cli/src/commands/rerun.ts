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
        'Policy to ask in each state of the log\nA policy with another name or version than the policy of the log is compared decision by decision. Also needed if the policy of the log is not built in.',
      ),
      Flag.optional,
    ),
    policyConfig: Flag.String('policy-config').pipe(
      Flag.withMetavar('JSON'),
      Flag.withDescription(
        'Configuration of the policy, as JSON\nA configuration different from the log is compared decision by decision. Default: for the policy of the log the configuration in the log, for other policies {}.',
      ),
      Flag.optional,
    ),
    limit: Flag.Int('limit').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription(
        'Number of different decisions to print, default: 20\nOnly for another policy than the policy of the log.',
      ),
      Flag.optional,
    ),
    until: Flag.Int('until').pipe(
      Flag.withMetavar('SEQ'),
      Flag.withDescription(
        'Run up to record SEQ, and repeat the request that led to record SEQ\nA debugger under node --inspect-brk halts right before the request.',
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
    "Run the policy again on a log's inputs\nShows the first record that differs between rerun and log. With --policy, compares the decisions of another policy in the states of the log.",
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
