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
        'Also route N random permutations of the nodes of every allocation over its own links, with at most one flow on each',
      ),
      Flag.optional,
    ),
    adaptiveRouting: Flag.Boolean('adaptive-routing').pipe(
      Flag.withDescription(
        'Also hold every allocation to isolated-under-adaptive-routing: all shortest routes between its nodes are on its own links',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    rerun: Flag.Boolean('rerun').pipe(
      Flag.withDescription(
        "Also run the policy again on the log's inputs: its decisions and claims, and the checksum of a workload made by a rule, must be those of the log",
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription("With --rerun: where the log's policy is, if it is not built in"),
      Flag.optional,
    ),
    metrics: Flag.Boolean('metrics').pipe(
      Flag.withDescription(
        'Also measure the run, as cloister metrics does, in the same reading of the log: both take little longer than the audit alone',
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
    'Check a log against everything it must be, independently of what wrote it. Exits with 0 only for a whole, sealed log without a fault; 1 for a violation or a claim never tested; 2 for a corrupt or unreadable log; 3 for one that is clean as far as it goes, but not whole',
  ),
  Command.withExamples([
    { command: 'cloister audit run.ndjson.zst', description: 'What was checked, how often, and what is wrong' },
    { command: 'cloister audit run.ndjson --rerun', description: 'And whether the policy decides so' },
    { command: 'cloister audit run.ndjson --metrics', description: 'And the figures of the run, from one reading' },
  ]),
)
