import { rerunLog } from '../log/rerun.ts'
import { Command, Flag } from 'effect/cli'
import { integerFlag, jsonFlag, logArgument, matricesFlag, maxQuestionsFlag, textFlag, type Options } from './flags.ts'

const flags = {
  log: logArgument,
  policy: textFlag(
    'policy',
    'NAME',
    'Policy to ask in each state of the log\nA policy with another name or version than the policy of the log is compared decision by decision. Also needed if the policy of the log is not built in.',
  ).pipe(Flag.optional),
  policyConfig: textFlag(
    'policy-config',
    'JSON',
    'Configuration of the policy, as JSON\nA configuration different from the log is compared decision by decision. Default: for the policy of the log the configuration in the log, for other policies {}.',
  ).pipe(Flag.optional),
  limit: integerFlag(
    'limit',
    'N',
    'Number of different decisions to print, default: 20\nOnly for another policy than the policy of the log.',
  ).pipe(Flag.optional),
  until: integerFlag(
    'until',
    'SEQ',
    'Run up to record SEQ, and repeat the request that led to record SEQ\nA debugger under node --inspect-brk halts right before the request.',
  ).pipe(Flag.optional),
  matrices: matricesFlag,
  maxQuestions: maxQuestionsFlag,
  json: jsonFlag,
}

export const rerun = Command.make('rerun', flags, (options) => rerunLog(options)).pipe(
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
