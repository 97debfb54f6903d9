import { Argument, Command, Flag } from 'effect/cli'
import { engineNames } from '../emit/engine-names.ts'
import { experimentFlags, workersFlag } from './experiment-flags.ts'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'
import { untilSignal } from '../terminal/signals.ts'

const experimentArgument = Argument.String('experiment').pipe(
  Argument.withDescription('A JSON file: {"cells":[{"trace":…,"topology":…,"policy":[…],…}]}, see the README'),
)

const leaseFlag = Flag.Finite('lease').pipe(
  Flag.withMetavar('S'),
  Flag.withDescription(
    'Seconds without a sign after which a worker counts as gone; the same for all workers; default: 120',
  ),
  Flag.withDefault(120),
)

const fromFlag = Flag.String('from').pipe(
  Flag.withMetavar('DIR'),
  Flag.withDescription(
    'The folder of the shards, or a file of results; default: the name of the experiment with .sweep',
  ),
  Flag.optional,
)

const auditFlag = experimentFlags.audit.pipe(
  Flag.withDescription('The results with an audit (--no-audit: those of a sweep without)'),
)

const merge = Command.make(
  'merge',
  {
    experiment: experimentArgument,
    from: fromFlag,
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'Where the results go; default: the name of the experiment with .results.ndjson, in the working directory',
      ),
      Flag.optional,
    ),
    parquet: Flag.String('parquet').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('A table too, a row a run with every metric; needs @duckdb/node-api'),
      Flag.optional,
    ),
    audit: auditFlag,
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite FILE where it exists'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../shards/merge.ts')).mergeSweep),
).pipe(
  Command.withDescription(
    'Put the results of all shards together, in the order of the experiment: the same, to the byte, as those of one machine',
  ),
)

const status = Command.make(
  'status',
  { experiment: experimentArgument, from: fromFlag, audit: auditFlag, lease: leaseFlag, json: jsonFlag },
  onDemand(async () => (await import('../shards/status.ts')).showStatus),
).pipe(
  Command.withDescription(
    'Where the shards of an experiment are: what is done, running, stale, failed and why, and the time left',
  ),
)

const report = Command.make(
  'report',
  {
    experiment: experimentArgument,
    from: fromFlag,
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('The page; default: the name of the experiment with .report.html, in the working directory'),
      Flag.optional,
    ),
    figures: Flag.String('figures').pipe(
      Flag.withMetavar('DIR'),
      Flag.withDescription('A folder for the pictures as files of their own, in SVG'),
      Flag.optional,
    ),
    baseline: Flag.String('baseline').pipe(
      Flag.withMetavar('POLICY'),
      Flag.withDescription('The policy that the others are compared with; default: baseline, or the first one'),
      Flag.optional,
    ),
    audit: auditFlag,
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite files that exist'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../sweep-report/report.ts')).reportSweep),
).pipe(
  Command.withDescription(
    'A page of what a sweep came to: means and intervals over seeds, differences by pairs, pictures, every run',
  ),
)

export const sweep = Command.make(
  'sweep',
  {
    experiment: experimentArgument,
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'Where results go, a line of JSON each; default: the name of the experiment with .results.ndjson, in the working directory. Of shards the folder that they share; default: with .sweep',
      ),
      Flag.optional,
    ),
    resume: Flag.Boolean('resume').pipe(
      Flag.withDescription('Keep the results that FILE holds, and run what is missing'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    ...experimentFlags,
    workers: Flag.optional(workersFlag),
    shard: Flag.String('shard').pipe(
      Flag.withMetavar('I/N'),
      Flag.withDescription(
        'Run part I of N, from 1, beside other processes that share a folder; else as $SLURM_ARRAY_TASK_ID, $JOB_COMPLETION_INDEX, $HQ_TASK_ID or $PMI_RANK say; none: all of it',
      ),
      Flag.optional,
    ),
    claim: Flag.Boolean('claim').pipe(
      Flag.withDescription('Of shards: take cells one by one, those of slower and of killed workers too'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    postgres: Flag.String('postgres').pipe(
      Flag.withMetavar('URL'),
      Flag.withDescription(
        'Take cells from a queue in this Postgres database, beside other workers on any hosts; $PGPASSWORD is the password where the URL has none; needs @cloister/sweep-postgres',
      ),
      Flag.optional,
    ),
    lease: leaseFlag,
    retry: Flag.Boolean('retry').pipe(
      Flag.withDescription('Of shards: run the cells again that failed, and no others'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    verify: Flag.String('verify').pipe(
      Flag.withMetavar('P%'),
      Flag.withDescription('Of shards: run this share of the cells that are done once more, and compare'),
      Flag.optional,
    ),
    emit: Flag.Literals('emit', engineNames).pipe(
      Flag.withDescription(
        'Print the script by which this engine runs the shards, sized by a sample of cells that is run first',
      ),
      Flag.optional,
    ),
    shards: Flag.Int('shards').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Of --emit: how many shards; default: a quarter of an hour each'),
      Flag.optional,
    ),
    sample: Flag.Int('sample').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Of --emit: how many cells are run to measure; default: 3'),
      Flag.withDefault(3),
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../sweep/sweep.ts')).runSweep, untilSignal),
).pipe(
  Command.withDescription(
    'Run an experiment: every combination of traces, machines, policies, queues, scenarios and seeds that a file names, measured and audited, on all processors, or on many machines as shards',
  ),
  Command.withExamples([
    { command: 'cloister sweep experiment.json', description: 'Results in experiment.results.ndjson, and a table' },
    { command: 'cloister sweep experiment.json --resume', description: 'Go on after a kill' },
    {
      command: 'cloister sweep experiment.json --shard 3/8 --claim',
      description: 'One of eight processes, on any hosts',
    },
    { command: 'cloister sweep experiment.json --emit slurm > sweep.sh', description: 'A job array of all cells' },
  ]),
  Command.withSubcommands([merge, status, report]),
)
