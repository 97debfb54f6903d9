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
      Flag.withDescription('Accounting with NodeList, from sacct -P or sacct --json\nThe file is plain, .gz or .zst.'),
    ),
    events: Flag.String('events').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'Failures and repairs of nodes\nOutput of sacctmgr show event -P format=NodeName,TimeStart,TimeEnd,State.',
      ),
      Flag.optional,
    ),
    topology: Flag.String('topology').pipe(
      Flag.withMetavar('TOPOLOGY'),
      Flag.withDescription(
        `Topology of the machine, with the names of the nodes\nForms: ${topologySpecs.map(({ spec }) => spec).join(' ')}.`,
      ),
    ),
    shared: Flag.Literals('shared', ['refuse', 'merge', 'skip']).pipe(
      Flag.withDescription(
        'Treatment of jobs that share a node, default: refuse\nrefuse: end with an error. merge: make one job of the jobs of a group if every two jobs of the group overlap on the same nodes; end with an error for other jobs. skip: leave out the later jobs.',
      ),
      Flag.withDefault('refuse' as const),
    ),
    skipBadLines: workloadFlags.skipBadLines,
    arrivesWhen: workloadFlags.arrivesWhen,
    timeZone: workloadFlags.timeZone,
    anonymise: anonymiseFlag,
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('Event log to write, compressed if the name ends in .zst'),
    ),
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite FILE if FILE exists'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../import/import-slurm.ts')).importSlurm),
).pipe(
  Command.withDescription('Write the history of a cluster under Slurm as an event log'),
  Command.withExamples([
    {
      command: 'cloister import slurm --jobs sacct.psv --topology slurm:topology.conf --out real.ndjson',
      description: 'Import accounting and topology',
    },
    {
      command:
        'cloister import slurm --jobs sacct.psv --topology ib:fabric.txt --events events.psv --shared merge --out real.ndjson.zst',
      description: 'Import failures of nodes, and jobs that share nodes',
    },
  ]),
)

export const importCommand = Command.make('import').pipe(
  Command.withDescription('Write the history of a real machine as an event log'),
  Command.withSubcommands([slurm]),
)
