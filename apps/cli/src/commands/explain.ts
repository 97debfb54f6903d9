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
      Flag.withDescription(
        'Policy of the log, as a file or a package\nNeeded if the policy of the log is not built in.',
      ),
      Flag.optional,
    ),
    limit: Flag.Int('limit').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription(
        'Number of rows of each list to print, default: 20\nThe rows are the last N rows of the list. --json prints all rows.',
      ),
      Flag.optional,
    ),
    matrices: matricesFlag,
    maxQuestions: maxQuestionsFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../log/explain.ts')).explainJob),
).pipe(
  Command.withDescription(
    'Tell why a job waited\nShows the places of the job in the queue, the reservations of the job, and the jobs from behind that started earlier. Shows the reason of each failed attempt, and the release that ended the wait.\nA log written by `cloister simulate --refusals` has the reasons. For a log without reasons the policy runs again.',
  ),
  Command.withExamples([
    { command: 'cloister explain run.ndjson --job 17', description: 'Tell why job 17 waited' },
    {
      command: 'cloister explain run.ndjson --job 17 --json',
      description: 'Print every reason, reservation and job for scripts',
    },
  ]),
)
