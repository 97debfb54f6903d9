import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument, matricesFlag, maxQuestionsFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const audit = Command.make(
  'audit',
  {
    log: logArgument,
    permutations: Flag.Int('permutations').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription(
        'Route N random permutations in every allocation, too\nThe nodes of an allocation send along the permutation over its own links, with at most one flow on a link.',
      ),
      Flag.optional,
    ),
    adaptiveRouting: Flag.Boolean('adaptive-routing').pipe(
      Flag.withDescription(
        'Check isolation under adaptive routing, too\nEvery shortest route between two nodes of a job uses only links of its allocation.',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    rerun: Flag.Boolean('rerun').pipe(
      Flag.withDescription(
        'Run the policy again on the inputs of the log, too\nIts decisions, its claims and the checksum of a generated workload must equal those of the log.',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription("Location of the log's policy for --rerun, if it is not built in"),
      Flag.optional,
    ),
    metrics: Flag.Boolean('metrics').pipe(
      Flag.withDescription(
        'Measure the run in the same pass over the log\nPrints the figures of `cloister metrics` after the audit.',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    matrices: matricesFlag,
    maxQuestions: maxQuestionsFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../log/audit.ts')).auditLogFile),
).pipe(
  Command.withDescription(
    'Check a log against every rule of the format and every claim\nThe auditor shares no code with the simulator.\nExit codes: 0 for a whole, sealed log without a fault; 1 for a violation or an untested claim; 2 for a corrupt or unreadable log; 3 for a log without a fault that is not whole.',
  ),
  Command.withExamples([
    { command: 'cloister audit run.ndjson.zst', description: 'Check a log' },
    { command: 'cloister audit run.ndjson --rerun', description: 'Check the decisions of the policy, too' },
    { command: 'cloister audit run.ndjson --metrics', description: 'Check and measure a log in one pass' },
  ]),
)
