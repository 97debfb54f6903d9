import { reproductions } from '@cloister/reproduce'
import { Argument, Command, Flag } from 'effect/cli'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'
import { auditFlag, experimentFlags } from './experiment-flags.ts'

export const reproduce = Command.make(
  'reproduce',
  {
    names: Argument.String('name').pipe(
      Argument.withDescription(`list, or what to make again: ${reproductions.map(({ name }) => name).join(', ')}`),
      Argument.variadic({ min: 1 }),
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('DIR'),
      Flag.withDescription('Folder for charts and for the results of runs, which later reproductions take up'),
      Flag.withDefault('reproduced'),
    ),
    processes: Flag.Int('processes').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Processes per time measured; their median counts'),
      Flag.withDefault(3),
    ),
    reservation: Flag.Literals('reservation', ['movable', 'fixed']).pipe(
      Flag.withDescription(
        "What the reservation of EASY's head is in every run, in place of what the paper's are taken to be",
      ),
      Flag.optional,
    ),
    traces: Flag.String('traces').pipe(
      Flag.withMetavar('NAME,...'),
      Flag.withDescription('Only these job logs, by their names in the tables: a taste, where the whole takes hours'),
      Flag.optional,
    ),
    firstJobs: Flag.Int('first-jobs').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Only the first N jobs of each job log'),
      Flag.optional,
    ),
    printQueue: Flag.Boolean('print-queue').pipe(
      Flag.withDescription('Run nothing: print the queue discipline of what is named, as options of simulate'),
      Flag.withDefault(false),
    ),
    ...experimentFlags,
    audit: Flag.optional(auditFlag),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../reproduce/reproduce.ts')).reproduceAll),
).pipe(
  Command.withDescription("Run a paper's experiment again, and show its values beside ours"),
  Command.withExamples([
    { command: 'cloister reproduce list', description: 'What can be made again' },
    {
      command: 'cloister reproduce jigsaw-fig6 --trace-dir logs',
      description: "The Jigsaw paper's utilization, as a table and a chart",
    },
    {
      command: 'cloister reproduce jigsaw-fig8 --traces Atlas --first-jobs 2000',
      description: 'In a minute, with the first jobs of one log: is all in place?',
    },
  ]),
)
