import { topologySpecs } from '@cloister/topology'
import { Command, Flag } from 'effect/cli'
import { workloadFlags } from '../run/run-flags.ts'
import { anonymiseFlag, jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

const slurm = Command.make(
  'slurm',
  {
    jobs: Flag.String('jobs').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('The accounting, as sacct -P or --json prints it, with NodeList (.gz, .zst too)'),
    ),
    events: Flag.String('events').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'Events of nodes, as sacctmgr show event -P format=NodeName,TimeStart,TimeEnd,State prints them',
      ),
      Flag.optional,
    ),
    topology: Flag.String('topology').pipe(
      Flag.withMetavar('TOPOLOGY'),
      Flag.withDescription(
        `The machine, with the names of its nodes: ${topologySpecs.map(({ spec }) => spec).join(' ')}`,
      ),
    ),
    shared: Flag.Literals('shared', ['refuse', 'merge', 'skip']).pipe(
      Flag.withDescription(
        'What becomes of jobs that were on a node at the same time: refuse, which is the default; merge makes one of jobs of which every two overlap on the same nodes, and refuses others; skip leaves out the later ones',
      ),
      Flag.withDefault('refuse' as const),
    ),
    skipBadLines: workloadFlags.skipBadLines,
    arrivesWhen: workloadFlags.arrivesWhen,
    timeZone: workloadFlags.timeZone,
    anonymise: anonymiseFlag,
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('The event log to write, compressed if FILE ends in .zst'),
    ),
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite FILE where it exists'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../import/import-slurm.ts')).importSlurm),
).pipe(
  Command.withDescription('Write what a cluster under Slurm really did as an event log'),
  Command.withExamples([
    {
      command: 'cloister import slurm --jobs sacct.psv --topology slurm:topology.conf --out real.ndjson',
      description: 'From accounting and topology',
    },
    {
      command:
        'cloister import slurm --jobs sacct.psv --topology ib:fabric.txt --events events.psv --shared merge --out real.ndjson.zst',
      description: 'With nodes that were down, on a machine whose jobs share nodes',
    },
  ]),
)

export const importCommand = Command.make('import').pipe(
  Command.withDescription('Make event logs of what real machines did'),
  Command.withSubcommands([slurm]),
)
