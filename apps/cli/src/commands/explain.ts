import { explainJob } from '../log/explain.ts'
import { Command, Flag } from 'effect/cli'
import { integerFlag, jsonFlag, logArgument, matricesFlag, maxQuestionsFlag, textFlag, type Options } from './flags.ts'

const flags = {
  log: logArgument,
  job: textFlag('job', 'ID', 'Id of the job in the log'),
  policy: textFlag(
    'policy',
    'NAME',
    'Policy of the log, as a file or a package\nNeeded if the policy of the log is not built in.',
  ).pipe(Flag.optional),
  limit: integerFlag(
    'limit',
    'N',
    'Number of rows of each list to print, default: 20\nThe rows are the last N rows of the list. --json prints all rows.',
  ).pipe(Flag.optional),
  matrices: matricesFlag,
  maxQuestions: maxQuestionsFlag,
  json: jsonFlag,
}

export const explain = Command.make('explain', flags, (options) => explainJob(options)).pipe(
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
