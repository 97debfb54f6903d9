import { jobNumbers } from '@cloister/metrics'
import { Argument, Command, Flag } from 'effect/cli'
import { plotKinds } from '../plot/kinds.ts'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const plot = Command.make(
  'plot',
  {
    kind: Argument.Literals('kind', plotKinds).pipe(
      Argument.withDescription(
        'utilization: nodes used over time; lost: node-time by cause, of one log over time; by-size and ecdf: a figure of jobs; compare: a metric of the results of a sweep, with intervals',
      ),
    ),
    files: Argument.String('file').pipe(
      Argument.withDescription('Event logs, or for compare results of cloister sweep'),
      Argument.variadic({ min: 1 }),
    ),
    of: Flag.String('of').pipe(
      Flag.withMetavar('FIGURE'),
      Flag.withDescription(
        `Of by-size and ecdf: ${jobNumbers.join(', ')}, default wait; of compare: a metric such as utilization.steady, the default, or wait.mean`,
      ),
      Flag.optional,
    ),
    where: Flag.String('where').pipe(
      Flag.withMetavar('QUERY'),
      Flag.withDescription("Of by-size and ecdf: which jobs, such as 'size>256 user=alice'; as for metrics"),
      Flag.optional,
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('Where the picture goes, as SVG; default: the kind with .svg, in the working directory'),
      Flag.optional,
    ),
    csv: Flag.String('csv').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('Also the numbers that are drawn'),
      Flag.optional,
    ),
    width: Flag.Int('width').pipe(Flag.withDescription('Pixels; default: 760'), Flag.withDefault(760)),
    height: Flag.Int('height').pipe(Flag.withDescription('Pixels; default: 340'), Flag.withDefault(340)),
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite files that exist'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../plot/plot.ts')).plotFiles),
).pipe(
  Command.withDescription('Draw runs as SVG for a paper, without a browser'),
  Command.withExamples([
    { command: 'cloister plot lost run.ndjson', description: 'What became of the machine over time, by cause' },
    {
      command: 'cloister plot by-size baseline.ndjson jigsaw.ndjson --of slowdown --csv slowdown.csv',
      description: 'Slowdown by size of two runs beside each other, and the numbers',
    },
    {
      command: 'cloister plot compare experiment.results.ndjson --of wait.mean',
      description: 'Means over seeds with their 95 % confidence intervals',
    },
  ]),
)
