import { compareLogFiles } from '../log/diff.ts'
import { Argument, Command, Flag } from 'effect/cli'
import { integerFlag, jsonFlag, type Options } from './flags.ts'

const flags = {
  a: Argument.String('a').pipe(Argument.withDescription('Event log, plain or .zst')),
  b: Argument.String('b').pipe(Argument.withDescription('Another event log of the same jobs')),
  top: integerFlag(
    'top',
    'N',
    'Number of jobs to list at each end, default: 5\nLists the N jobs whose wait shrank most from a to b, and the N jobs whose wait grew most.',
  ).pipe(Flag.withDefault(5)),
  json: jsonFlag,
}

export const diff = Command.make('diff', flags, (options) => compareLogFiles(options)).pipe(
  Command.withDescription(
    'Compare two runs of the same jobs\nShows the first decision that differs, and the jobs whose wait changed most.',
  ),
  Command.withExamples([
    {
      command: 'cloister diff baseline.ndjson jigsaw.ndjson',
      description: 'List the jobs that wait longer or shorter under Jigsaw',
    },
  ]),
)
