import { queueForms } from '@cloister/run'
import { Command, Flag } from 'effect/cli'
import { clusterFlags, continuedLogFlag } from './cluster-flags.ts'
import { jsonFlag, policyConfigFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'
import { untilSignal } from '../terminal/signals.ts'

const targetFlags = {
  partition: Flag.String('partition').pipe(
    Flag.withMetavar('NAME'),
    Flag.withDescription('The partition whose held jobs are placed, those with AdminComment=cloister'),
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
      Flag.withDescription('The placement policy: a built-in one, a package, or a file (see cloister policy list)'),
    ),
    policyConfig: policyConfigFlag,
    queue: Flag.String('queue').pipe(
      Flag.withMetavar('QUEUE'),
      Flag.withDescription(`Queue discipline, without kill: ${queueForms}; default: easy:50`),
      Flag.withDefault('easy:50'),
    ),
    policyTimeout: Flag.Finite('policy-timeout').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription('Seconds that the policy may take for an answer; default: 10'),
      Flag.withDefault(10),
    ),
    interval: Flag.Finite('interval').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription('Seconds between two looks; default: 2'),
      Flag.withDefault(2),
    ),
    startWithin: Flag.Finite('start-within').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription(
        'Seconds in which Slurm has to start a job that was released, or it is placed anew; default: 60',
      ),
      Flag.withDefault(60),
    ),
    commandSeconds: Flag.Finite('command-seconds').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription(
        'Seconds that scontrol has for a change; who goes on with a log waits as long for what its predecessor began; default: 10',
      ),
      Flag.withDefault(10),
    ),
    lease: Flag.String('lease').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'Of the one controller that may act, on a file system that all hosts share; default: FILE.lease beside the log',
      ),
      Flag.optional,
    ),
    leaseSeconds: Flag.Finite('lease-seconds').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription('How long the lease lasts without being renewed; default: 60'),
      Flag.withDefault(60),
    ),
    opensmRoutes: Flag.String('opensm-routes').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'Route each job over its own links: the forwarding tables that OpenSM on this host reads (-R file,no_fallback -U FILE). Needs --topology ib:FILE and a policy that gives links away',
      ),
      Flag.optional,
    ),
    opensmPidFile: Flag.String('opensm-pid-file').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('Holds the process id of OpenSM, which is told by SIGHUP to read its files again'),
      Flag.optional,
    ),
    routesWithin: Flag.Finite('routes-within').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription(
        'Seconds in which the switches should have the routes of a job (dump_fts says so); later ones are reported. The job stays held until they have; default: 30',
      ),
      Flag.withDefault(30),
    ),
    dryRun: Flag.Boolean('dry-run').pipe(
      Flag.withDescription('Look once, print the commands that would be given, and do and write nothing'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
  },
  onDemand(async () => (await import('../drive/drive-slurm.ts')).driveSlurm, untilSignal),
).pipe(
  Command.withDescription('Place the jobs of a partition by a policy: it tells Slurm where to start which held job'),
  Command.withExamples([
    {
      command:
        'cloister drive slurm --partition batch --topology slurm:topology.conf --policy jigsaw --out driven.ndjson --dry-run',
      description: 'What it would do now',
    },
    {
      command:
        'cloister drive slurm --partition batch --topology slurm:topology.conf --policy jigsaw --out driven.ndjson',
      description: 'Until it is stopped; the same command goes on',
    },
    {
      command:
        'cloister drive slurm --partition batch --topology ib:fabric.txt --policy jigsaw --out driven.ndjson --opensm-routes /etc/opensm/lfts --opensm-pid-file /run/opensm.pid',
      description: 'And has each job routed on its own links before it starts',
    },
  ]),
)

const watchdog = Command.make(
  'watchdog',
  {
    ...targetFlags,
    lease: Flag.String('lease').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('The lease that the controller renews'),
    ),
    after: Flag.Finite('after').pipe(
      Flag.withMetavar('S'),
      Flag.withDescription('Seconds without a renewal after which held jobs are left to Slurm; default: 300'),
      Flag.withDefault(300),
    ),
  },
  onDemand(async () => (await import('../drive/drive-slurm.ts')).watchController, untilSignal),
).pipe(
  Command.withDescription(
    'Leave the held jobs of a partition to Slurm where no controller has renewed its lease for a while',
  ),
  Command.withExamples([
    {
      command: 'cloister drive watchdog --partition batch --topology slurm:topology.conf --lease driven.ndjson.lease',
      description: 'As a service of its own, best on another host',
    },
  ]),
)

export const drive = Command.make('drive').pipe(
  Command.withDescription('Decide for real machines'),
  Command.withSubcommands([slurm, watchdog]),
)
