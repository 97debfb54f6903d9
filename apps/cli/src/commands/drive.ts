import { queueForms } from '@cloister/run'
import { Command, Flag } from 'effect/cli'
import { clusterFlags, continuedLogFlag } from './cluster-flags.ts'
import { jsonFlag, policyConfigFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'
import { untilSignal } from '../terminal/signals.ts'

const targetFlags = {
  partition: Flag.String('partition').pipe(
    Flag.withMetavar('NAME'),
    Flag.withDescription(
      'Slurm partition to place jobs of\nThe jobs are the held jobs of the partition with AdminComment=cloister.',
    ),
  ),
  ...clusterFlags,
  json: jsonFlag,
}

const slurm = Command.make(
  'slurm',
  {
    ...targetFlags,
    out: continuedLogFlag,
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription(
        'Placement policy: a built-in name, a package or a file\n`cloister policy list` lists the built-in and installed policies.',
      ),
    ),
    policyConfig: policyConfigFlag,
    queue: Flag.String('queue').pipe(
      Flag.withMetavar('QUEUE'),
      Flag.withDescription(
        `Queue discipline and queue order, default: easy:50\n${queueForms}. ,kill is not allowed on a real machine.`,
      ),
      Flag.withDefault('easy:50'),
    ),
    policyTimeout: Flag.Finite('policy-timeout').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription('Longest time for one answer of the policy in seconds, default: 10'),
      Flag.withDefault(10),
    ),
    interval: Flag.Finite('interval').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription('Seconds between two queries of Slurm, default: 2'),
      Flag.withDefault(2),
    ),
    startWithin: Flag.Finite('start-within').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription(
        'Longest time to the start of a released job in seconds, default: 60\nIf Slurm does not start the job within S seconds, the controller places the job again.',
      ),
      Flag.withDefault(60),
    ),
    commandSeconds: Flag.Finite('command-seconds').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription(
        'Longest time for one call of scontrol in seconds, default: 10\nA controller that continues a log first waits S seconds for late changes of the previous controller.',
      ),
      Flag.withDefault(10),
    ),
    lease: Flag.String('lease').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'Lease file of the one active controller, on a shared file system\nDefault: the name of the log with .lease.',
      ),
      Flag.optional,
    ),
    leaseSeconds: Flag.Finite('lease-seconds').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription('Seconds until a lease without renewal ends, default: 60'),
      Flag.withDefault(60),
    ),
    opensmRoutes: Flag.String('opensm-routes').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'File of forwarding tables to write for OpenSM on this host\nThe tables route each job over the links of its allocation. OpenSM reads FILE if started with -R file,no_fallback -U FILE. Needs --topology ib:FILE and a policy that allocates links.',
      ),
      Flag.optional,
    ),
    opensmPidFile: Flag.String('opensm-pid-file').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'File with the process id of OpenSM\nAfter each change of the forwarding tables OpenSM gets a SIGHUP, and reads the tables again.',
      ),
      Flag.optional,
    ),
    routesWithin: Flag.Finite('routes-within').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription(
        'Longest time until switches have the routes of a job in s, default: 30\nThe controller reads the routes of the switches by dump_fts, and reports late switches. A job stays held until the switches have the routes of the job.',
      ),
      Flag.withDefault(30),
    ),
    dryRun: Flag.Boolean('dry-run').pipe(
      Flag.withDescription('Query Slurm once, print the commands and run none of them'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
  },
  onDemand(async () => (await import('../drive/drive-slurm.ts')).driveSlurm, untilSignal),
).pipe(
  Command.withDescription('Start the held jobs of a Slurm partition on nodes chosen by a policy'),
  Command.withExamples([
    {
      command:
        'cloister drive slurm --partition batch --topology slurm:topology.conf --policy jigsaw --out driven.ndjson --dry-run',
      description: 'Print the commands for the jobs that wait now, and run none of them',
    },
    {
      command:
        'cloister drive slurm --partition batch --topology slurm:topology.conf --policy jigsaw --out driven.ndjson',
      description: 'Place the jobs of a partition; after a stop the same command appends to the log',
    },
    {
      command:
        'cloister drive slurm --partition batch --topology ib:fabric.txt --policy jigsaw --out driven.ndjson --opensm-routes /etc/opensm/lfts --opensm-pid-file /run/opensm.pid',
      description: 'Also route each job over its own links before the start of the job',
    },
  ]),
)

const watchdog = Command.make(
  'watchdog',
  {
    ...targetFlags,
    lease: Flag.String('lease').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('Lease file that the controller renews'),
    ),
    after: Flag.Finite('after').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription('Seconds without renewal until held jobs go to Slurm, default: 300'),
      Flag.withDefault(300),
    ),
  },
  onDemand(async () => (await import('../drive/drive-slurm.ts')).watchController, untilSignal),
).pipe(
  Command.withDescription('Hand held jobs back to Slurm if no controller renews the lease'),
  Command.withExamples([
    {
      command: 'cloister drive watchdog --partition batch --topology slurm:topology.conf --lease driven.ndjson.lease',
      description: 'Watch the lease of the controller, as a service on another host',
    },
  ]),
)

export const drive = Command.make('drive').pipe(
  Command.withDescription('Place the jobs of a real machine under Slurm'),
  Command.withSubcommands([slurm, watchdog]),
)
