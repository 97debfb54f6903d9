import { queueForms } from '@cloister/run'
import { Command, Flag } from 'effect/cli'
import { clusterFlags, continuedLogFlag } from './cluster-flags.ts'
import { jsonFlag, policyConfigFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'
import { untilSignal } from '../terminal/signals.ts'

const targetFlags = {
  partition: Flag.String('partition').pipe(
    Flag.withMetavar('NAME'),
    Flag.withDescription('Partition whose held jobs with AdminComment=cloister are placed'),
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
        'Placement policy: a built-in one, a package or a file\n`cloister policy list` lists the built-in and installed ones.',
      ),
    ),
    policyConfig: policyConfigFlag,
    queue: Flag.String('queue').pipe(
      Flag.withMetavar('QUEUE'),
      Flag.withDescription(
        `Queue discipline and queue order, default: easy:50\n${queueForms}. A real machine has no ,kill.`,
      ),
      Flag.withDefault('easy:50'),
    ),
    policyTimeout: Flag.Finite('policy-timeout').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription('Seconds that the policy has for an answer, default: 10'),
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
        'Seconds that Slurm has to start a released job, default: 60\nAfter this time the job is placed again.',
      ),
      Flag.withDefault(60),
    ),
    commandSeconds: Flag.Finite('command-seconds').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription(
        'Seconds that scontrol has for a change, default: 10\nA controller that continues a log waits as long for the changes of its predecessor.',
      ),
      Flag.withDefault(10),
    ),
    lease: Flag.String('lease').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'Lease of the one active controller, on a shared file system\nDefault: FILE.lease beside the log.',
      ),
      Flag.optional,
    ),
    leaseSeconds: Flag.Finite('lease-seconds').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription('Seconds that the lease lasts without renewal, default: 60'),
      Flag.withDefault(60),
    ),
    opensmRoutes: Flag.String('opensm-routes').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'Forwarding tables to write for OpenSM on this host\nRoutes each job over its own links. OpenSM reads the file under -R file,no_fallback -U FILE. Needs --topology ib:FILE and a policy that allocates links.',
      ),
      Flag.optional,
    ),
    opensmPidFile: Flag.String('opensm-pid-file').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'File with the process id of OpenSM\nOpenSM gets a SIGHUP after each change, and reads its files again.',
      ),
      Flag.optional,
    ),
    routesWithin: Flag.Finite('routes-within').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription(
        'Seconds that switches have for the routes of a job, default: 30\nThe controller reads them by dump_fts, and reports late ones. A job stays held until its routes are there.',
      ),
      Flag.withDefault(30),
    ),
    dryRun: Flag.Boolean('dry-run').pipe(
      Flag.withDescription('Query Slurm once and print the commands, without a change'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
  },
  onDemand(async () => (await import('../drive/drive-slurm.ts')).driveSlurm, untilSignal),
).pipe(
  Command.withDescription('Decide which held jobs of a partition start, and on which nodes'),
  Command.withExamples([
    {
      command:
        'cloister drive slurm --partition batch --topology slurm:topology.conf --policy jigsaw --out driven.ndjson --dry-run',
      description: 'Show the commands without a change',
    },
    {
      command:
        'cloister drive slurm --partition batch --topology slurm:topology.conf --policy jigsaw --out driven.ndjson',
      description: 'Drive a partition; the same command continues the log after a stop',
    },
    {
      command:
        'cloister drive slurm --partition batch --topology ib:fabric.txt --policy jigsaw --out driven.ndjson --opensm-routes /etc/opensm/lfts --opensm-pid-file /run/opensm.pid',
      description: 'Route each job over its own links before it starts, too',
    },
  ]),
)

const watchdog = Command.make(
  'watchdog',
  {
    ...targetFlags,
    lease: Flag.String('lease').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('Lease that the controller renews'),
    ),
    after: Flag.Finite('after').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription('Seconds without renewal until jobs go back to Slurm, default: 300'),
      Flag.withDefault(300),
    ),
  },
  onDemand(async () => (await import('../drive/drive-slurm.ts')).watchController, untilSignal),
).pipe(
  Command.withDescription('Hand held jobs back to Slurm if no controller renews its lease'),
  Command.withExamples([
    {
      command: 'cloister drive watchdog --partition batch --topology slurm:topology.conf --lease driven.ndjson.lease',
      description: 'Run as a service on another host than the controller',
    },
  ]),
)

export const drive = Command.make('drive').pipe(
  Command.withDescription('Place the jobs of a real machine under Slurm'),
  Command.withSubcommands([slurm, watchdog]),
)
