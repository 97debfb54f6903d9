import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument, matricesFlag, maxQuestionsFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const explain = Command.make(
  'explain',
  {
    log: logArgument,
    job: Flag.String('job').pipe(Flag.withMetavar('ID'), Flag.withDescription('The job, as the log names it')),
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription("Where the log's policy is, if it is not built in"),
      Flag.optional,
    ),
    limit: Flag.Int('limit').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('How many rows of each list to show, the last ones; default: 20. --json has them all'),
      Flag.optional,
    ),
    matrices: matricesFlag,
    maxQuestions: maxQuestionsFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../log/explain.ts')).explainJob),
).pipe(
  Command.withDescription(
    'Tell why a job waited: where it stood in the queue, its reservations, who started before it, why it did not start each time that it was tried, and what freed it. Reasons are in the log where it was made with --refusals; else the policy is run again to find them',
  ),
  Command.withExamples([
    { command: 'cloister explain run.ndjson --job 17', description: 'Why job 17 waited' },
    {
      command: 'cloister explain run.ndjson --job 17 --json',
      description: 'Every reason, reservation and job, for scripts',
    },
  ]),
)
