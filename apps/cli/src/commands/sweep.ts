import { Argument, Command, Flag } from 'effect/cli'
import { engineNames } from '../emit/engine-names.ts'
import { experimentFlags, workersFlag } from './experiment-flags.ts'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'
import { untilSignal } from '../terminal/signals.ts'

const experimentArgument = Argument.String('experiment').pipe(
  Argument.withDescription(
    'Experiment, as JSON: {"cells":[{"trace":…,"topology":…,"policy":[…],…}]}\nREADME.md describes the fields.',
  ),
)

const leaseFlag = Flag.Finite('lease').pipe(
  Flag.withMetavar('S'),
  Flag.withDescription(
    'Seconds without a sign of life until a worker counts as gone\nThe same for all workers; default: 120.',
  ),
  Flag.withDefault(120),
)

const fromFlag = Flag.String('from').pipe(
  Flag.withMetavar('DIR'),
  Flag.withDescription('Folder of the shards, or a file of results\nDefault: the name of the experiment with .sweep.'),
  Flag.optional,
)

const auditFlag = experimentFlags.audit.pipe(
  Flag.withDescription('Take the results with an audit (--no-audit: without)'),
)

const merge = Command.make(
  'merge',
  {
    experiment: experimentArgument,
    from: fromFlag,
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'File for the results\nDefault: the name of the experiment with .results.ndjson, in the working directory.',
      ),
      Flag.optional,
    ),
    parquet: Flag.String('parquet').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('Table with a row for each run and a column for each metric\nNeeds @duckdb/node-api.'),
      Flag.optional,
    ),
    audit: auditFlag,
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite FILE if it exists'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../shards/merge.ts')).mergeSweep),
).pipe(
  Command.withDescription(
    'Join the results of all shards in the order of the experiment\nThe file equals that of one machine to the byte.',
  ),
)

const status = Command.make(
  'status',
  { experiment: experimentArgument, from: fromFlag, audit: auditFlag, lease: leaseFlag, json: jsonFlag },
  onDemand(async () => (await import('../shards/status.ts')).showStatus),
).pipe(
  Command.withDescription(
    'Show the progress of the shards of an experiment\nCells done, running, stale and failed with their reasons, and the time left.',
  ),
)

const report = Command.make(
  'report',
  {
    experiment: experimentArgument,
    from: fromFlag,
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'Page to write\nDefault: the name of the experiment with .report.html, in the working directory.',
      ),
      Flag.optional,
    ),
    figures: Flag.String('figures').pipe(
      Flag.withMetavar('DIR'),
      Flag.withDescription('Folder for the pictures as SVG files'),
      Flag.optional,
    ),
    baseline: Flag.String('baseline').pipe(
      Flag.withMetavar('POLICY'),
      Flag.withDescription('Policy to compare the others with\nDefault: baseline, or the first policy.'),
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
    'Write a page with the results of a sweep\nMeans and intervals over seeds, differences by pairs, pictures, every run.',
  ),
)

export const sweep = Command.make(
  'sweep',
  {
    experiment: experimentArgument,
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'File for the results, or folder of the shards\nDefault: the name of the experiment with .results.ndjson, in the working directory; for shards with .sweep.',
      ),
      Flag.optional,
    ),
    resume: Flag.Boolean('resume').pipe(
      Flag.withDescription('Keep the results in FILE, and run the missing cells'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    ...experimentFlags,
    workers: Flag.optional(workersFlag),
    shard: Flag.String('shard').pipe(
      Flag.withMetavar('I/N'),
      Flag.withDescription(
        'Run part I of N, counted from 1, beside other processes\nThe processes share a folder. Default: $SLURM_ARRAY_TASK_ID, $JOB_COMPLETION_INDEX, $HQ_TASK_ID or $PMI_RANK; else the whole experiment.',
      ),
      Flag.optional,
    ),
    claim: Flag.Boolean('claim').pipe(
      Flag.withDescription('Take cells one by one, also those of slow and killed workers\nOnly with shards.'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    postgres: Flag.String('postgres').pipe(
      Flag.withMetavar('URL'),
      Flag.withDescription(
        'Take cells from a queue in this Postgres database\nWorkers on any host share it. $PGPASSWORD is the password if URL has none. Needs @cloister/sweep-postgres.',
      ),
      Flag.optional,
    ),
    lease: leaseFlag,
    retry: Flag.Boolean('retry').pipe(
      Flag.withDescription('Run failed cells again, too\nOnly with shards.'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    verify: Flag.String('verify').pipe(
      Flag.withMetavar('P%'),
      Flag.withDescription('Run this share of the finished cells again, and compare\nOnly with shards.'),
      Flag.optional,
    ),
    emit: Flag.Literals('emit', engineNames).pipe(
      Flag.withDescription(
        'Print a script for this engine that runs the shards\nA sample of cells runs first, to size the shards.',
      ),
      Flag.optional,
    ),
    shards: Flag.Int('shards').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Number of shards of --emit, default: a quarter of an hour each'),
      Flag.optional,
    ),
    sample: Flag.Int('sample').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Cells that --emit runs to measure, default: 3'),
      Flag.withDefault(3),
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../sweep/sweep.ts')).runSweep, untilSignal),
).pipe(
  Command.withDescription(
    'Run an experiment: many runs, measured and audited\nAn experiment file names traces, machines, policies, queues, scenarios and seeds. Runs use all processors, or many machines as shards.',
  ),
  Command.withExamples([
    { command: 'cloister sweep experiment.json', description: 'Write experiment.results.ndjson, and print a table' },
    { command: 'cloister sweep experiment.json --resume', description: 'Continue after a kill' },
    {
      command: 'cloister sweep experiment.json --shard 3/8 --claim',
      description: 'Run as one of eight processes on any hosts',
    },
    {
      command: 'cloister sweep experiment.json --emit slurm > sweep.sh',
      description: 'Write a job array of all cells',
    },
  ]),
  Command.withSubcommands([merge, status, report]),
)
