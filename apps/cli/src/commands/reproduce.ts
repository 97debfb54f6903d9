import { reproductions } from '@cloister/reproduce'
import { Argument, Command, Flag } from 'effect/cli'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'
import { auditFlag, experimentFlags } from './experiment-flags.ts'

export const reproduce = Command.make(
  'reproduce',
  {
    names: Argument.String('name').pipe(
      Argument.withDescription(
        `list, or the names of experiments\nExperiments: ${reproductions.map(({ name }) => name).join(', ')}.`,
      ),
      Argument.variadic({ min: 1 }),
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('DIR'),
      Flag.withDescription(
        'Folder for charts and results, default: reproduced\nA later reproduction takes the results of finished runs from the folder.',
      ),
      Flag.withDefault('reproduced'),
    ),
    processes: Flag.Int('processes').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription(
        'Processes for each measured time, default: 3\nThe measured time is the median of the N processes.',
      ),
      Flag.withDefault(3),
    ),
    reservation: Flag.Literals('reservation', ['movable', 'fixed']).pipe(
      Flag.withDescription(
        'Reservation of EASY in every run: movable or fixed\nDefault: the assumption of the experiment about the scheduler of its paper.',
      ),
      Flag.optional,
    ),
    traces: Flag.String('traces').pipe(
      Flag.withMetavar('NAME,...'),
      Flag.withDescription(
        'Use only these job logs, separated by commas\nThe names are those of the tables of results. A part of the job logs gives a first impression of an experiment that takes hours.',
      ),
      Flag.optional,
    ),
    firstJobs: Flag.Int('first-jobs').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Use only the first N jobs of each job log'),
      Flag.optional,
    ),
    printQueue: Flag.Boolean('print-queue').pipe(
      Flag.withDescription('Print the queue options of the experiments, and run nothing'),
      Flag.withDefault(false),
    ),
    ...experimentFlags,
    audit: Flag.optional(auditFlag),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../reproduce/reproduce.ts')).reproduceAll),
).pipe(
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
