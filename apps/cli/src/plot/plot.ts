import { csvOf, type Picture } from '@cloister/viewer/pictures'
import { OptionError } from '@cloister/run'
import { Effect, Option } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { OptionConflictError } from '../errors/errors.ts'
import { Files } from '../files/files.ts'
import { checkOutputs } from '../files/outputs.ts'
import { print } from '../terminal/output.ts'
import { drawResults } from './compare-results.ts'
import { drawJobs } from './jobs-of-logs.ts'
import type { PlotKind } from './kinds.ts'
import { drawOverTime } from './logs-over-time.ts'

export interface PlotOptions {
  readonly kind: PlotKind
  readonly files: ReadonlyArray<string>
  readonly of: Option.Option<string>
  readonly where: Option.Option<string>
  readonly out: Option.Option<string>
  readonly csv: Option.Option<string>
  readonly width: number
  readonly height: number
  readonly force: boolean
  readonly json: boolean
}

/** Smallest and largest width and height of a picture, in pixels. */
const SIDES = { least: 120, most: 10_000 }

export const plotFiles = Effect.fn(function* (options: PlotOptions) {
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
    if (value < SIDES.least || value > SIDES.most)
      return yield* new OptionError({ option, reason: `found ${value}, expected ${SIDES.least} to ${SIDES.most}` })
  const isOfJobs = kind === 'by-size' || kind === 'ecdf'
  if (Option.isSome(of) && !isOfJobs && kind !== 'compare')
    return yield* new OptionConflictError({ options: ['--of'], reason: 'is only for by-size, ecdf and compare' })
  if (Option.isSome(where) && !isOfJobs)
    return yield* new OptionConflictError({ options: ['--where'], reason: 'is only for by-size and ecdf' })
  if (Option.isSome(out) && Option.isSome(csv) && out.value === csv.value)
    return yield* new OptionConflictError({
      options: ['--out', '--csv'],
      reason: 'name the same file; give two different names',
    })
})
