import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument, matricesFlag, maxQuestionsFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const explain = Command.make(
  'explain',
  {
    log: logArgument,
    job: Flag.String('job').pipe(Flag.withMetavar('ID'), Flag.withDescription('Id of the job in the log')),
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription("Location of the log's policy, if it is not built in"),
      Flag.optional,
    ),
    limit: Flag.Int('limit').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Rows of each list to show, the last ones; default: 20\n--json has all rows.'),
      Flag.optional,
    ),
    matrices: matricesFlag,
    maxQuestions: maxQuestionsFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../log/explain.ts')).explainJob),
).pipe(
  Command.withDescription(
    'Tell why a job waited\nShows its place in the queue, its reservations, the jobs that started before it, the reason of each failed attempt, and the release that ended its wait.\nReasons come from a log written with --refusals; otherwise the policy runs again.',
  ),
  Command.withExamples([
    { command: 'cloister explain run.ndjson --job 17', description: 'Tell why job 17 waited' },
    {
      command: 'cloister explain run.ndjson --job 17 --json',
      description: 'Print every reason, reservation and job for scripts',
    },
  ]),
)
