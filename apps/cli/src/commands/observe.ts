import { Command, Flag } from 'effect/cli'
import { clusterFlags, continuedLogFlag } from './cluster-flags.ts'
import { anonymiseFlag, jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'
import { untilSignal } from '../terminal/signals.ts'

const slurm = Command.make(
  'slurm',
  {
    out: continuedLogFlag,
    ...clusterFlags,
    interval: Flag.Finite('interval').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription('Seconds between two queries of Slurm, default: 30'),
      Flag.withDefault(30),
    ),
    partition: Flag.String('partition').pipe(
      Flag.withMetavar('NAMES'),
      Flag.withDescription('Partitions to observe, separated by commas\nDefault: all partitions.'),
      Flag.optional,
    ),
    shadow: Flag.String('shadow').pipe(
      Flag.withMetavar('NAMES'),
      Flag.withDescription(
        'Policies to ask about every event, separated by commas\nThe answers of the policies go to FILE.shadow.ndjson, where FILE is the value of --out.',
      ),
      Flag.optional,
    ),
    rest: Flag.String('rest').pipe(
      Flag.withMetavar('URL'),
      Flag.withDescription(
        'Query slurmrestd instead of the commands of Slurm\nURL is http://host:port, or unix:/path with the path of the socket of slurmrestd.',
      ),
      Flag.optional,
    ),
    restTokenFile: Flag.String('rest-token-file').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'File with a token for slurmrestd, made by scontrol token\nThe command reads the file before each query.',
      ),
      Flag.optional,
    ),
    restUser: Flag.String('rest-user').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription('User of the token of slurmrestd, default: the user of this process'),
      Flag.optional,
    ),
    anonymise: anonymiseFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../observe/observe-slurm.ts')).observeSlurm, untilSignal),
).pipe(
  Command.withDescription(
    'Write the events of a cluster under Slurm as they happen\nThe command only reads from Slurm, and changes nothing there.',
  ),
  Command.withExamples([
    {
      command: 'cloister observe slurm --topology slurm:topology.conf --out live.ndjson',
      description: 'Observe until a signal; after a stop the same command appends to the log',
    },
    {
      command: 'cloister observe slurm --topology slurm:topology.conf --out live.ndjson --shadow jigsaw,laas',
      description: 'Also record the decisions that Jigsaw and LaaS would take',
    },
  ]),
)

export const observe = Command.make('observe').pipe(
  Command.withDescription('Write the events of a real machine as they happen'),
  Command.withSubcommands([slurm]),
)
