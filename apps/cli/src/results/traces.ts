import { byName, list, named, number, of, oneOf, orNull, orUndefined, struct, text, tuple, union } from './kinds.ts'
import { SmallerThanNode } from './runs.ts'

const Contradictions = named(
  'Contradictions',
  "Account of the rows of Slurm's accounting with fields that contradict each other; `rows` is their number.",
  {
    rows: number(),
    kinds: byName(
      number(),
      'Number of rows by contradiction, such as `End before Start`. A row may have several contradictions.',
    ),
    firstLine: orUndefined(
      number('Line of the first row with a contradiction, from 1; undefined without contradictions.'),
    ),
  },
)

const NodeSharing = named(
  'NodeSharing',
  'Account of the jobs that used a node at the same time as another job; `jobs` is their number.',
  {
    jobs: number(),
    first: orUndefined(
      struct(
        { jobs: tuple([text(), text()]), node: text() },
        "Ids of the first two jobs in time that shared a node, and the node's name; undefined if no jobs shared nodes.",
      ),
    ),
  },
)

const AccountingFacts = named('AccountingFacts', "Facts of a file of Slurm's accounting besides its jobs.", {
  lacks: list(
    struct({ field: text(), gives: text() }),
    'Fields that the file lacks, each with the information that the field would give.',
  ),
  command: text('Command of Slurm that prints a file with all fields.'),
  gpuJobs: orUndefined(
    number('Number of jobs with graphics processors; undefined if the file does not state graphics processors.'),
  ),
  nodeSharing: orUndefined(
    of(
      NodeSharing,
      'Account of the jobs that shared nodes; undefined if the file has no lists of nodes or too many names of nodes, or if the option `countsNodeSharing` is false.',
    ),
  ),
  contradictions: Contradictions,
})

const HistogramBin = named(
  'HistogramBin',
  'Bin of a histogram: `jobs` is the number of jobs with a value of at least `from` and below `to`. The bounds are powers of two; the bin of values below 1 begins at 0.',
  { from: number(), to: number(), jobs: number() },
)

const Distribution = named(
  'Distribution',
  'Distribution of a quantity, such as the size, over the jobs of a workload.',
  {
    min: number(),
    median: number('Middle value in order; for an even number of values, the lower of the two middle values.'),
    mean: number(),
    max: number(),
    histogram: list(HistogramBin),
  },
)

const Load = named('Load', 'Work that the jobs of a workload submit, in node-hours (size times run time).', {
  perHour: list(number(), 'Node-hours of the jobs that are submitted in each hour, from the first submit on.'),
  mean: number(
    'Node-hours of all jobs per hour from first to last submit: the number of nodes that the jobs could keep busy.',
  ),
  max: number(),
  share: orUndefined(
    number('`mean` divided by the number of nodes of the machine; undefined if the caller gives no number of nodes.'),
  ),
})

/** Results of commands with `--json`, by command. */
export const tracesResults = {
  'trace info': struct({
    name: text(),
    filter: text(),
    sha256: text(),
    jobs: number(),
    span: number('Time from the first submit to the last submit, in seconds; 0 for a workload without jobs.'),
    size: orUndefined(
      of(
        Distribution,
        'Distributions of sizes, run times and walltimes over the jobs; undefined if no job has such a value.',
      ),
    ),
    runTime: orUndefined(Distribution),
    walltime: orUndefined(Distribution),
    estimates: struct({ known: number(), overrun: number('Number of jobs with a run time above the walltime.') }),
    nodeHours: number('Sum of size times run time over all jobs, in node-hours.'),
    load: orUndefined(of(Load, 'Work that the jobs submit in each hour; undefined if all jobs arrive at one instant.')),
    arrivals: text(),
    read: number(),
    skipped: byName(number()),
    roundedSizes: number(),
    smallerThanNode: SmallerThanNode,
    differingSizes: struct({ jobs: number(), taken: oneOf(['allocated', 'requested']) }),
    unknownStatuses: number(),
    badLines: number(),
    longLines: number(),
    nodeProcs: orNull(union([oneOf(['uneven']), number()])),
    accounting: orNull(AccountingFacts),
  }),
  'import slurm': struct({
    started: number(),
    finished: number(),
    killed: number(),
    startsOnDown: number(
      "Number of starts on nodes that were down by Slurm's node events; the log has an up record before each such start.",
    ),
    rows: number(),
    jobs: number(),
    leftOut: byName(number(), 'Number of omitted runs for each reason, such as `runs without NodeList`.'),
    shared: struct(
      { runs: number(), left: number(), first: orUndefined(text()) },
      '`runs`: number of runs that shared a node with another run. `left`: number of runs in the log that remain of these runs after merging or skipping. `first`: text about the first two runs on one node; undefined if no runs shared a node.',
    ),
    unknownEvents: number("Number of events in Slurm's node events about nodes that the topology lacks."),
    smallerThanNode: of(
      SmallerThanNode,
      'Numbers about jobs that use only a part of the processors of their nodes. In the log these jobs hold whole nodes.',
    ),
    badLines: number('Lines without a valid job that were left out.'),
    steps: number('Steps of jobs that were left out.'),
    contradictions: of(Contradictions, 'Rows with contradictory fields.'),
    unknownNode: orNull(text()),
    log: struct({ file: text(), bytes: number() }),
  }),
}
