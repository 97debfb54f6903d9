import { csvOf, drawFigure, type Extent, type Look, vegaLiteOf } from '@cloister/figures'
import { jobNumbers } from '@cloister/metrics'
import { attempt } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { checkOutputs } from '../files/outputs.ts'
import { rangesOf } from '../plot/axis-ranges.ts'
import { emptyDocument } from '../plot/document.ts'
import { type KindName, kindNames, kinds, kindsThatTake } from '../plot/kinds.ts'
import { encoded, formatOf, writePicture } from '../plot/picture-files.ts'
import type { KindOptions } from '../plot/request.ts'
import { print } from '../terminal/output.ts'
import { forceFlag, jsonFlag, numberFlag, onFlag, type Options, refuseIf, textFlag } from './flags.ts'

/** Returns the line of help of an option that only some kinds take, with further lines. */
function helpOf(option: keyof KindOptions, line: string, more = ''): string {
  return `${line}\nFor ${kindsThatTake(option)}.${more === '' ? '' : ` ${more}`}`
}

const kindFlags = {
  of: textFlag(
    'of',
    'FIGURE',
    helpOf(
      'of',
      'Figure or metric to draw',
      `For by-size and ecdf one of ${jobNumbers.join(', ')}; default: wait. For compare a metric such as wait.mean; default: utilization.steady.`,
    ),
  ).pipe(Flag.optional),
  where: textFlag(
    'where',
    'QUERY',
    helpOf(
      'where',
      'Query for the jobs to draw; for compare, for the runs',
      "Jobs: 'size>256 user=alice', the queries of `cloister metrics --where`. Runs: 'policy=jigsaw|laas seed=', options of the runs; seed= is a run without a seed.",
    ),
  ).pipe(Flag.optional),
  at: numberFlag('at', 'T', helpOf('at', 'Moment to draw, in seconds')).pipe(Flag.optional),
  by: textFlag(
    'by',
    'OPTION,...',
    helpOf('by', 'Options of the runs whose values have separate colours', 'Examples: policy, or policy,bandwidth.'),
  ).pipe(Flag.optional),
  beside: textFlag(
    'beside',
    'FILE',
    helpOf(
      'beside',
      'Values of another source, such as a paper, beside the runs',
      'A CSV file with the columns `runs` (with --by also `series`) and a column named after the source; or a file of results of a sweep.',
    ),
  ).pipe(Flag.optional),
  marks: Flag.Literals('marks', ['points', 'bars']).pipe(
    Flag.withDescription(helpOf('marks', 'Marks of the means, default: points')),
    Flag.optional,
  ),
  scale: Flag.Literals('scale', ['log', 'linear']).pipe(
    Flag.withDescription(helpOf('scale', 'Scale of the axis of the figure, default: log')),
    Flag.optional,
  ),
  names: textFlag(
    'names',
    'NAME,...',
    helpOf(
      'names',
      'Names of the runs in the picture, separated by commas',
      'Default: the names of the files. For compare the names of the series of --by, or of the rows.',
    ),
  ).pipe(Flag.optional),
  'row-names': textFlag(
    'row-names',
    'NAME,...',
    helpOf('row-names', 'Names of the rows beside the series of --by, separated by commas'),
  ).pipe(Flag.optional),
  'x-range': textFlag(
    'x-range',
    'FROM:TO',
    helpOf(
      'x-range',
      'Range of the horizontal axis',
      'Times are lengths such as 90 (seconds), 30min, 3h or 1d12h; shares are 0.5 or 50%.',
    ),
  ).pipe(Flag.optional),
  'y-range': textFlag('y-range', 'FROM:TO', helpOf('y-range', 'Range of the vertical axis')).pipe(Flag.optional),
  time: Flag.Literals('time', ['relative', 'clock']).pipe(
    Flag.withDescription(
      helpOf(
        'time',
        'Times from the start of the log, or clock times in UTC\nDefault: relative.',
        'Clock times need a log whose header has an epoch.',
      ),
    ),
    Flag.optional,
  ),
  policy: textFlag(
    'policy',
    'NAME',
    helpOf(
      'policy',
      'Policy to ask, default: the policy of the log',
      'For the log of a real machine the default is baseline, which takes any idle nodes.',
    ),
  ).pipe(Flag.optional),
  panels: onFlag('panels', helpOf('panels', 'Draw a panel for each log, with the same axes')),
  patterns: onFlag(
    'patterns',
    helpOf('patterns', 'Draw patterns and dashes beside the colours, for prints without colour'),
  ),
} as const

const flags = {
  kind: Argument.Literals('kind', kindNames).pipe(
    Argument.withDescription(`Kind of picture\n${kindNames.map((name) => `${name}: ${kinds[name].about}.`).join(' ')}`),
  ),
  files: Argument.String('file').pipe(
    Argument.withDescription('Event logs; for compare, files of results of `cloister sweep`'),
    Argument.variadic({ min: 1 }),
  ),
  ...kindFlags,
  out: textFlag(
    'out',
    'FILE',
    'File to write: .svg, .pdf or .png; default: KIND.svg\nPDF needs the package pdfkit, and PNG (300 dots per inch) needs @resvg/resvg-js, installed in the working directory.',
  ).pipe(Flag.optional),
  csv: textFlag('csv', 'FILE', 'CSV file for the numbers of the picture').pipe(Flag.optional),
  vega: textFlag('vega', 'FILE', 'Vega-Lite specification of the picture, with its numbers').pipe(Flag.optional),
  width: Flag.Int('width').pipe(Flag.withDescription('Width in pixels, default: 760'), Flag.optional),
  height: Flag.Int('height').pipe(
    Flag.withDescription('Height in pixels, default: 340, or 3/5 of --width-mm'),
    Flag.optional,
  ),
  widthMm: numberFlag(
    'width-mm',
    'MM',
    'Width in mm, for a paper, instead of --width\nA column has 84 mm in the format of ACM, and 88 mm in the format of IEEE.',
  ).pipe(Flag.optional),
  heightMm: numberFlag('height-mm', 'MM', 'Height in mm, instead of --height').pipe(Flag.optional),
  typePt: numberFlag('type-pt', 'PT', 'Size of the type in points, default: 9, with --width-mm 8').pipe(Flag.optional),
  font: textFlag(
    'font',
    'FILE',
    'TrueType or OpenType font for PDF and PNG\nDefault: Helvetica in PDF, and a font of the system in PNG.',
  ).pipe(Flag.optional),
  force: forceFlag,
  json: jsonFlag,
}

export const plot = Command.make('plot', flags, (options) => plotFiles(options)).pipe(
  Command.withDescription('Draw runs as SVG, PDF or PNG for a paper'),
  Command.withExamples([
    { command: 'cloister plot node-time run.ndjson', description: 'Draw the use of all nodes over time' },
    {
      command: 'cloister plot by-size baseline.ndjson jigsaw.ndjson --of slowdown --csv slowdown.csv',
      description: 'Draw slowdown by size of two runs, and write the numbers',
    },
    {
      command: 'cloister plot ecdf a.ndjson b.ndjson --names A,B --width-mm 84 --type-pt 8 --out ecdf.pdf',
      description: 'Draw waits for a column of a paper',
    },
    {
      command: 'cloister plot compare experiment.results.ndjson --of wait.mean',
      description: 'Draw means over seeds, with 95 % confidence intervals',
    },
  ]),
)

type PlotOptions = Options<typeof flags>

const plotFiles = Effect.fn(function* (options: PlotOptions) {
  const { kind, files, csv, vega, force, json } = options
  const chosen = chosenOf(options)
  yield* checkKindOptions(kind, chosen)
  yield* refuseIf(
    kinds[kind].input === 'one log' && files.length > 1,
    `${kind} draws one log, found ${files.length} files`,
  )
  const asked = yield* extentOf(options)
  const path = Option.getOrElse(options.out, () => `${kind}.svg`)
  const font = Option.getOrUndefined(options.font)
  const disk = yield* Files
  const outputs = [path, ...Option.toArray(csv), ...Option.toArray(vega)]
  const inputs = [
    ...files,
    ...(chosen.beside === undefined ? [] : [chosen.beside]),
    ...(font === undefined ? [] : [font]),
  ]
  yield* attempt(() => checkOutputs(disk, outputs, { force, inputs }))
  const format = yield* formatOf(path)
  yield* refuseIf(font !== undefined && format === '.svg', '--font is only for PDF and PNG: an SVG names its fonts')
  const { figure, conclude } = yield* kinds[kind].figure({ ...chosen, files, extent: asked.extent })
  const extent = asked.withPanels(figure.panels.length)
  const look: Look = { ...(yield* rangesOf(figure, chosen)), hasPatterns: chosen.patterns }
  const picture = yield* encoded(format, drawFigure(yield* emptyDocument, extent, figure, look), extent, font)
  const existing = force ? 'overwrite' : 'refuse'
  yield* writePicture(path, picture, existing)
  if (Option.isSome(csv)) yield* writePicture(csv.value, csvOf(figure.data), existing)
  if (Option.isSome(vega))
    yield* writePicture(vega.value, `${JSON.stringify(vegaLiteOf(figure, extent, look), undefined, 1)}\n`, existing)
  yield* print('plot', json, { kind, files: outputs, rows: figure.data.length }, () => outputs.join('\n'))
  yield* conclude
})

function chosenOf(options: PlotOptions): KindOptions {
  const { panels, patterns } = options
  return {
    of: Option.getOrUndefined(options.of),
    where: Option.getOrUndefined(options.where),
    at: Option.getOrUndefined(options.at),
    by: Option.getOrUndefined(options.by),
    beside: Option.getOrUndefined(options.beside),
    marks: Option.getOrUndefined(options.marks),
    scale: Option.getOrUndefined(options.scale),
    names: Option.getOrUndefined(options.names),
    'row-names': Option.getOrUndefined(options['row-names']),
    'x-range': Option.getOrUndefined(options['x-range']),
    'y-range': Option.getOrUndefined(options['y-range']),
    time: Option.getOrUndefined(options.time),
    policy: Option.getOrUndefined(options.policy),
    panels,
    patterns,
  }
}

/** Fails for an option that the kind does not take. */
const checkKindOptions = Effect.fnUntraced(function* (kind: KindName, chosen: KindOptions) {
  const takes: ReadonlyArray<string> = kinds[kind].takes
  for (const [option, value] of Object.entries(chosen) as ReadonlyArray<[keyof KindOptions, unknown]>)
    yield* refuseIf(
      value !== undefined && value !== false && !takes.includes(option),
      `--${option} is only for ${kindsThatTake(option)}`,
    )
})

/** Smallest and largest width and height of a picture, in pixels and in mm, and size of the type in points. */
const SIDES = { least: 120, most: 10_000 }
const MILLIMETRES = { least: 30, most: 1000 }
const TYPE = { least: 4, most: 40 }
/** CSS pixels of a millimetre and of a point. */
const [PER_MM, PER_POINT] = [96 / 25.4, 96 / 72]

const extentOf = Effect.fnUntraced(function* (options: PlotOptions) {
  const { width, height, widthMm, heightMm, typePt } = options
  for (const [option, value, { least, most }] of [
    ['width', width, SIDES],
    ['height', height, SIDES],
    ['width-mm', widthMm, MILLIMETRES],
    ['height-mm', heightMm, MILLIMETRES],
    ['type-pt', typePt, TYPE],
  ] as const)
    yield* refuseIf(
      Option.exists(value, (given) => !(given >= least && given <= most)),
      `--${option}: found ${Option.getOrElse(value, () => 0)}, expected ${least} to ${most}`,
    )
  yield* refuseIf(Option.isSome(width) && Option.isSome(widthMm), '--width and --width-mm exclude each other')
  yield* refuseIf(Option.isSome(height) && Option.isSome(heightMm), '--height and --height-mm exclude each other')
  const isInMillimetres = Option.isSome(widthMm) || Option.isSome(heightMm)
  const across = Option.match(widthMm, {
    onSome: (mm) => mm * PER_MM,
    onNone: () => Option.getOrElse(width, () => 760),
  })
  const down = Option.match(heightMm, {
    onSome: (mm) => mm * PER_MM,
    onNone: () => Option.getOrElse(height, () => (Option.isSome(widthMm) ? across * 0.6 : 340)),
  })
  const points = Option.getOrElse(typePt, () => (Option.isSome(widthMm) ? 8 : 9))
  const extent: Extent = { width: across, height: down, type: points * PER_POINT, isInMillimetres }
  const hasHeight = Option.isSome(height) || Option.isSome(heightMm)
  /** Without a given height, each further panel adds 3/5 of the default height. */
  const withPanels = (panels: number): Extent =>
    hasHeight ? extent : { ...extent, height: down * (0.4 + 0.6 * panels) }
  return { extent, withPanels }
})
