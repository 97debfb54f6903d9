import { plotFiles } from '../plot/plot.ts'
import { jobNumbers } from '@cloister/metrics'
import { Argument, Command, Flag } from 'effect/cli'
import { plotKinds } from '../plot/kinds.ts'
import { forceFlag, jsonFlag, textFlag, type Options } from './flags.ts'

const flags = {
  kind: Argument.Literals('kind', plotKinds).pipe(
    Argument.withDescription(
      'Kind of picture\nutilization: busy nodes over time. node-time: node-time by use, over time for one log, as bars for several logs. by-size: a figure of jobs by size. ecdf: the distribution of a figure of jobs. compare: a metric of the results of a sweep, with confidence intervals.',
    ),
  ),
  files: Argument.String('file').pipe(
    Argument.withDescription('Event logs; for compare, files of results of `cloister sweep`'),
    Argument.variadic({ min: 1 }),
  ),
  of: textFlag(
    'of',
    'FIGURE',
    `Figure or metric to draw\nFor by-size and ecdf: ${jobNumbers.join(', ')}; default: wait. For compare: a metric such as wait.mean; default: utilization.steady.`,
  ).pipe(Flag.optional),
  where: textFlag(
    'where',
    'QUERY',
    "For by-size and ecdf: query for the jobs to draw\nExample: 'size>256 user=alice'. The queries are those of `cloister metrics --where`.",
  ).pipe(Flag.optional),
  out: textFlag('out', 'FILE', 'SVG file to write, default: KIND.svg').pipe(Flag.optional),
  csv: textFlag('csv', 'FILE', 'CSV file for the numbers of the picture').pipe(Flag.optional),
  width: Flag.Int('width').pipe(Flag.withDescription('Width in pixels, default: 760'), Flag.withDefault(760)),
  height: Flag.Int('height').pipe(Flag.withDescription('Height in pixels, default: 340'), Flag.withDefault(340)),
  force: forceFlag,
  json: jsonFlag,
}

export const plot = Command.make('plot', flags, (options) => plotFiles(options)).pipe(
  Command.withDescription('Draw runs as SVG for a paper'),
  Command.withExamples([
    { command: 'cloister plot node-time run.ndjson', description: 'Draw the use of all nodes over time' },
    {
      command: 'cloister plot by-size baseline.ndjson jigsaw.ndjson --of slowdown --csv slowdown.csv',
      description: 'Draw slowdown by size of two runs, and write the numbers',
    },
    {
      command: 'cloister plot compare experiment.results.ndjson --of wait.mean',
      description: 'Draw means over seeds, with 95 % confidence intervals',
    },
  ]),
)
