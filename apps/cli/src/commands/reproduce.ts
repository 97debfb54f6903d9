import { reproduceAll } from '../reproduce/reproduce.ts'
import { reproductions } from '@cloister/reproduce'
import { Argument, Command, Flag } from 'effect/cli'
import { integerFlag, jsonFlag, textFlag, type Options } from './flags.ts'
import { auditFlag, experimentFlags } from './experiment-flags.ts'

const flags = {
  names: Argument.String('name').pipe(
    Argument.withDescription(
      `list, or the names of experiments\nExperiments: ${reproductions.map(({ name }) => name).join(', ')}.`,
    ),
    Argument.variadic({ min: 1 }),
  ),
  out: textFlag(
    'out',
    'DIR',
    'Folder for charts and results, default: reproduced\nA later reproduction takes the results of finished runs from the folder.',
  ).pipe(Flag.withDefault('reproduced')),
  processes: integerFlag(
    'processes',
    'N',
    'Processes for each measured time, default: 3\nThe measured time is the median of the N processes.',
  ).pipe(Flag.withDefault(3)),
  reservation: Flag.Literals('reservation', ['movable', 'fixed']).pipe(
    Flag.withDescription(
      'Reservation of EASY in every run: movable or fixed\nDefault: the assumption of the experiment about the scheduler of its paper.',
    ),
    Flag.optional,
  ),
  traces: textFlag(
    'traces',
    'NAME,...',
    'Use only these job logs, separated by commas\nThe names are those of the tables of results. A part of the job logs gives a first impression of an experiment that takes hours.',
  ).pipe(Flag.optional),
  firstJobs: integerFlag('first-jobs', 'N', 'Use only the first N jobs of each job log').pipe(Flag.optional),
  printQueue: Flag.Boolean('print-queue').pipe(
    Flag.withDescription('Print the queue options of the experiments, and run nothing'),
    Flag.withDefault(false),
  ),
  ...experimentFlags,
  audit: Flag.optional(auditFlag),
  json: jsonFlag,
}

export const reproduce = Command.make('reproduce', flags, (options) => reproduceAll(options)).pipe(
  Command.withDescription("Run a paper's experiment, and compare with the published values"),
  Command.withExamples([
    { command: 'cloister reproduce list', description: 'List the experiments' },
    {
      command: 'cloister reproduce jigsaw-fig6 --trace-dir logs',
      description: "Reproduce the Jigsaw paper's utilization as table and chart",
    },
    {
      command: 'cloister reproduce jigsaw-fig8 --traces Atlas --first-jobs 2000',
      description: 'Try an experiment within a minute, on the first jobs of one log',
    },
  ]),
)
