import { jobNumbers } from '@cloister/metrics'
import { attempt, Files } from '@cloister/run/node'
import { csvOf, type Picture } from '@cloister/viewer/pictures'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { checkOutputs } from '../files/outputs.ts'
import { drawJobs, drawOverTime, drawResults } from '../plot/pictures.ts'
import { print } from '../terminal/output.ts'
import { forceFlag, jsonFlag, type Options, refuseIf, textFlag } from './flags.ts'

const flags = {
  kind: Argument.Literals('kind', ['utilization', 'node-time', 'by-size', 'ecdf', 'compare']).pipe(
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

type PlotOptions = Options<typeof flags>

/** Smallest and largest width and height of a picture, in pixels. */
const SIDES = { least: 120, most: 10_000 }

const plotFiles = Effect.fn(function* (options: PlotOptions) {
  const { kind, files, out, csv, force, json } = options
  yield* checkOptions(options)
  const disk = yield* Files
  const path = Option.getOrElse(out, () => `${kind}.svg`)
  const outputs = [path, ...Option.toArray(csv)]
  yield* attempt(() => checkOutputs(disk, outputs, { force, inputs: files }))
  const picture = yield* drawn(options)
  const existing = force ? 'overwrite' : 'refuse'
  yield* attempt(() => {
    disk.writeText(path, picture.svg, existing)
    if (Option.isSome(csv)) disk.writeText(csv.value, csvOf(picture.data), existing)
  })
  yield* print(json, { kind, files: outputs, rows: picture.data.length }, () => outputs.join('\n'))
})

const drawn = Effect.fnUntraced(function* ({ kind, files, of, where, width, height }: PlotOptions) {
  const extent = { width, height }
  switch (kind) {
    case 'utilization':
    case 'node-time':
      return yield* drawOverTime(kind, files, extent)
    case 'by-size':
    case 'ecdf':
      return yield* drawJobs(
        kind,
        files,
        Option.getOrElse(of, () => 'wait'),
        Option.getOrElse(where, () => ''),
        extent,
      )
    case 'compare': {
      const figure = Option.getOrElse(of, () => 'utilization.steady')
      return yield* drawResults(files, figure, extent)
    }
  }
}) satisfies (options: PlotOptions) => Effect.Effect<Picture, unknown, unknown>

const checkOptions = Effect.fnUntraced(function* ({ kind, of, where, out, csv, width, height }: PlotOptions) {
  for (const [option, value] of [
    ['width', width],
    ['height', height],
  ] as const)
    yield* refuseIf(
      value < SIDES.least || value > SIDES.most,
      `--${option}: found ${value}, expected ${SIDES.least} to ${SIDES.most}`,
    )
  const isOfJobs = kind === 'by-size' || kind === 'ecdf'
  const hasUnusedFigure = Option.isSome(of) && !isOfJobs && kind !== 'compare'
  yield* refuseIf(hasUnusedFigure, '--of is only for by-size, ecdf and compare')
  yield* refuseIf(Option.isSome(where) && !isOfJobs, '--where is only for by-size and ecdf')
  const isSameFile = Option.isSome(out) && Option.isSome(csv) && out.value === csv.value
  yield* refuseIf(isSameFile, '--out and --csv name the same file; give two different names')
})
