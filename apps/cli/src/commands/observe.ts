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
      Flag.withDescription('Seconds between two looks; default: 30'),
      Flag.withDefault(30),
    ),
    partition: Flag.String('partition').pipe(
      Flag.withMetavar('NAMES'),
      Flag.withDescription('Only jobs and nodes of these partitions, separated by commas'),
      Flag.optional,
    ),
    shadow: Flag.String('shadow').pipe(
      Flag.withMetavar('NAMES'),
      Flag.withDescription(
        'Policies to ask about everything that happens, separated by commas; their answers go to FILE.shadow.ndjson',
      ),
      Flag.optional,
    ),
    rest: Flag.String('rest').pipe(
      Flag.withMetavar('URL'),
      Flag.withDescription('Ask slurmrestd in place of commands: http://host:port, or unix:/path of its socket'),
      Flag.optional,
    ),
    restTokenFile: Flag.String('rest-token-file').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'A file with the token for slurmrestd, as scontrol token prints it; read before each question',
      ),
      Flag.optional,
    ),
    restUser: Flag.String('rest-user').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription('Whose token it is; default: who runs this'),
      Flag.optional,
    ),
    anonymise: anonymiseFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../observe/observe-slurm.ts')).observeSlurm, untilSignal),
).pipe(
  Command.withDescription('Write what a cluster under Slurm does as an event log, while it happens; it only reads'),
  Command.withExamples([
    {
      command: 'cloister observe slurm --topology slurm:topology.conf --out live.ndjson',
      description: 'Until it is stopped; the same command continues the log',
    },
    {
      command: 'cloister observe slurm --topology slurm:topology.conf --out live.ndjson --shadow jigsaw,laas',
      description: 'And what two policies would have decided',
    },
  ]),
)

export const observe = Command.make('observe').pipe(
  Command.withDescription('Watch real machines'),
  Command.withSubcommands([slurm]),
)
