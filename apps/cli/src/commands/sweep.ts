import { Argument, Command, Flag } from 'effect/cli'
import { engineNames } from '@cloister/sweep'
import { experimentFlags, workersFlag } from './experiment-flags.ts'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'
import { untilSignal } from '../terminal/signals.ts'

const experimentArgument = Argument.String('experiment').pipe(
  Argument.withDescription(
    'Experiment, as JSON: {"cells":[{"trace":…,"topology":…,"policy":[…],…}]}\nThe README of the package cloister describes the fields.',
  ),
)

const leaseFlag = Flag.Finite('lease').pipe(
  Flag.withMetavar('S'),
  Flag.withDescription(
    'Seconds without a heartbeat until a worker counts as gone, default: 120\nAll workers of a sweep need the same value.',
  ),
  Flag.withDefault(120),
)

const fromFlag = Flag.String('from').pipe(
  Flag.withMetavar('DIR'),
  Flag.withDescription(
    'Folder of the shards, or a file of results\nDefault: the folder with the name of the experiment and .sweep.',
  ),
  Flag.optional,
)

const auditFlag = experimentFlags.audit.pipe(
  Flag.withDescription('Read the results of audited runs (--no-audit: of runs without audit)'),
)

const merge = Command.make(
  'merge',
  {
    experiment: experimentArgument,
    from: fromFlag,
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'File for the results\nDefault: the file in the working directory with the name of the experiment and .results.ndjson.',
      ),
      Flag.optional,
    ),
    parquet: Flag.String('parquet').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'Parquet file to write: a row for each run, a column for each metric\nNeeds the package @duckdb/node-api.',
      ),
      Flag.optional,
    ),
    audit: auditFlag,
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite the file of --out if the file exists'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../sweep/merge.ts')).mergeSweep),
).pipe(
  Command.withDescription(
    'Join the results of all shards in the order of the experiment\nThe file has the same bytes as the results of a sweep in one process.',
  ),
)

const status = Command.make(
  'status',
  { experiment: experimentArgument, from: fromFlag, audit: auditFlag, lease: leaseFlag, json: jsonFlag },
  onDemand(async () => (await import('../sweep/status.ts')).showStatus),
).pipe(
  Command.withDescription(
    'Show the progress of the shards of an experiment\nPrints the number of done, running, stale and failed cells, the reasons of failures, and the time left.',
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
        'Page to write\nDefault: the file in the working directory with the name of the experiment and .report.html.',
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
      Flag.withDescription(
        'Policy that all other policies are compared with\nDefault: baseline, or the first policy of an experiment without baseline.',
      ),
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
  onDemand(async () => (await import('../sweep/report.ts')).reportSweep),
).pipe(
  Command.withDescription(
    'Write a page with the results of a sweep\nThe page has means and confidence intervals over seeds, differences by pairs, pictures, and a table of all runs.',
  ),
)

export const sweep = Command.make(
  'sweep',
  {
    experiment: experimentArgument,
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription(
        'File for the results, or folder of the shards\nDefault: the name of the experiment with .results.ndjson, or with .sweep for shards, in the working directory.',
      ),
      Flag.optional,
    ),
    resume: Flag.Boolean('resume').pipe(
      Flag.withDescription('Keep the results in the file of --out, and run the missing cells'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    ...experimentFlags,
    workers: Flag.optional(workersFlag),
    shard: Flag.String('shard').pipe(
      Flag.withMetavar('I/N'),
      Flag.withDescription(
        'Run part I of N, counted from 1, beside other processes\nThe processes share the folder of --out. Default: the part by $SLURM_ARRAY_TASK_ID, $JOB_COMPLETION_INDEX, $HQ_TASK_ID or $PMI_RANK. Without these variables the command runs the whole experiment.',
      ),
      Flag.optional,
    ),
    claim: Flag.Boolean('claim').pipe(
      Flag.withDescription(
        'Take cells one by one, also of other shards and of killed workers\nOnly for the shards of a sweep.',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    postgres: Flag.String('postgres').pipe(
      Flag.withMetavar('URL'),
      Flag.withDescription(
        'Take cells from a queue in this Postgres database\nWorkers on any host share the queue. $PGPASSWORD is the password if URL has no password. Needs the package @cloister/sweep-postgres.',
      ),
      Flag.optional,
    ),
    lease: leaseFlag,
    retry: Flag.Boolean('retry').pipe(
      Flag.withDescription('Also run failed cells again\nOnly for the shards of a sweep.'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    verify: Flag.String('verify').pipe(
      Flag.withMetavar('P%'),
      Flag.withDescription(
        'Run this share of the finished cells again, and compare the results\nOnly for the shards of a sweep.',
      ),
      Flag.optional,
    ),
    emit: Flag.Literals('emit', engineNames).pipe(
      Flag.withDescription(
        'Print a script that runs the shards under a workflow engine\nThe command first runs a sample of cells, and computes the size of the shards from their times.',
      ),
      Flag.optional,
    ),
    shards: Flag.Int('shards').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription(
        'Number of shards for --emit\nDefault: so many that a shard takes about a quarter of an hour.',
      ),
      Flag.optional,
    ),
    sample: Flag.Int('sample').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Number of cells that --emit runs to estimate times, default: 3'),
      Flag.withDefault(3),
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../sweep/sweep.ts')).runSweep, untilSignal),
).pipe(
  Command.withDescription(
    'Run an experiment: many runs, measured and audited\nAn experiment file names traces, machines, policies, queues, scenarios and seeds. The runs use all processors of one machine, or many machines if the sweep is divided into shards.',
  ),
  Command.withExamples([
    { command: 'cloister sweep experiment.json', description: 'Write experiment.results.ndjson, and print a table' },
    { command: 'cloister sweep experiment.json --resume', description: 'Continue the sweep after a kill' },
    {
      command: 'cloister sweep experiment.json --shard 3/8 --claim',
      description: 'Run a shard in one of eight processes on any hosts',
    },
    {
      command: 'cloister sweep experiment.json --emit slurm > sweep.sh',
      description: 'Write a script for sbatch, a job array of all cells',
    },
  ]),
  Command.withSubcommands([merge, status, report]),
)
