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
        'Also route N random permutations of every allocation\nThe nodes of an allocation send along each permutation over the links of the allocation, with at most one flow on a link. A permutation without such routes is a violation.',
      ),
      Flag.optional,
    ),
    adaptiveRouting: Flag.Boolean('adaptive-routing').pipe(
      Flag.withDescription(
        'Also check isolation under adaptive routing\nEvery shortest route between two nodes of a job must use only links of the allocation of the job.',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    rerun: Flag.Boolean('rerun').pipe(
      Flag.withDescription(
        'Also run the policy again on the inputs of the log\nThe decisions and claims of the policy, and the checksum of a generated workload, must equal the log.',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription(
        'Policy of the log for --rerun, as a file or a package\nNeeded if the policy of the log is not built in.',
      ),
      Flag.optional,
    ),
    metrics: Flag.Boolean('metrics').pipe(
      Flag.withDescription(
        'Measure the run in the same pass over the log\nPrints the figures of `cloister metrics` after the result of the audit.',
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
    'Check a log against every rule of the format and every claim\nThe auditor shares no code with the simulator.\nExit codes: 0 for a whole, sealed log without a violation; 1 for a violation or an untested claim; 2 for a corrupt or unreadable log; 3 for a log without a violation that is not whole.',
  ),
  Command.withExamples([
    { command: 'cloister audit run.ndjson.zst', description: 'Check a log' },
    { command: 'cloister audit run.ndjson --rerun', description: 'Check a log, and run its policy again' },
    { command: 'cloister audit run.ndjson --metrics', description: 'Check and measure a log in one pass' },
  ]),
)
