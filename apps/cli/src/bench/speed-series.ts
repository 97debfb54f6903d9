// The file of `cloister bench --append`: times of many builds of Cloister, one case a line.
import { attempt } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { parseJsonText } from '@cloister/trace-io'
import { Clock, Effect, Option, Schema } from 'effect'
import { appendFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { refuseIf } from '../commands/flags.ts'
import { Problem } from '../errors/errors.ts'
import type { BenchFigures } from '../results/bench.ts'
import type { SpeedLine, Spread } from '../results/speed-series.ts'
import { remark } from '../terminal/output.ts'
import { middleOf, type Sample } from './timing.ts'

/** Build of Cloister whose times a series gets. `date` is the time of the commit in UTC. */
type TimedBuild = Pick<SpeedLine, 'commit' | 'date'>

/** Options `--append`, `--commit` and `--date`. */
export interface SeriesOptions {
  readonly append: Option.Option<string>
  readonly commit: Option.Option<string>
  readonly date: Option.Option<string>
}

/** Series of `--append`: the path, the build whose times are added, and the schema of a line. */
export interface Series {
  readonly path: string
  readonly build: TimedBuild
  readonly schema: Schema.Codec<SpeedLine>
}

/** Checks the options about a series, and the lines of an existing series, before the first process starts. */
export const seriesOf = Effect.fnUntraced(function* ({ append, commit, date }: SeriesOptions) {
  if (Option.isNone(append)) {
    const given = Option.isSome(commit) ? 'commit' : 'date'
    yield* refuseIf(Option.isSome(Option.orElse(commit, () => date)), `--${given}: needs --append FILE`)
    return undefined
  }
  if (Option.isNone(commit)) return yield* new Problem('--append: needs --commit NAME, the name of the timed build')
  const { SpeedLine: schema } = yield* Effect.promise(() => import('../results/speed-series.ts'))
  const now = new Date(yield* Clock.currentTimeMillis).toISOString()
  const build = { commit: commit.value, date: yield* attempt(() => (Option.isSome(date) ? dateOf(date.value) : now)) }
  const series: Series = { path: append.value, build, schema }
  yield* readSeries(series)
  return series
})

/** Returns the text of a series, or an empty text if the file does not exist. */
const readSeries = Effect.fnUntraced(function* ({ path, schema }: Series) {
  const { exists, readText } = yield* Files
  return yield* attempt(() => {
    const text = exists(path) ? readText(path) : ''
    checkSeries(schema, path, text)
    return text
  })
})

/** Appends lines to a series, and says so on standard error. */
export const appendTo = Effect.fnUntraced(function* (series: Series, lines: ReadonlyArray<SpeedLine>) {
  const text = yield* readSeries(series)
  const added = lines.map((line) => `${JSON.stringify(line)}\n`)
  const begin = text === '' || text.endsWith('\n') ? '' : '\n'
  // Unlike a new file with all lines, this keeps the lines that a second process appends at the same time.
  yield* attempt(() => appendFileSync(series.path, begin + added.join('')))
  yield* remark(`appended ${lines.length} lines to ${series.path}`)
})

/** Returns the mean number of running programs in the last minute, with two decimals. */
export function loadOfMachine(): number {
  return Math.round(loadavg()[0] * 100) / 100
}

const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/** Returns a date, or a time with its distance from UTC, in the spelling of a series. @throws Problem for other texts */
function dateOf(text: string): string {
  const milliseconds = DATE.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(milliseconds)) return new Date(milliseconds).toISOString()
  throw new Problem(
    `--date: found ${JSON.stringify(text)}, expected a date such as 2026-11-27 or 2026-11-27T18:33:00+01:00`,
  )
}

/** Checks every line of a series. @throws Problem with path, line and field of the first wrong value */
function checkSeries(schema: Schema.Codec<SpeedLine>, path: string, series: string): void {
  const decode = Schema.decodeUnknownSync(schema, { onExcessProperty: 'error' })
  const lines = series.replace(/\n$/, '').split('\n')
  for (const [index, line] of series === '' ? [] : lines.entries()) {
    let value: any
    try {
      value = parseJsonText(line)
      decode(value)
    } catch (error) {
      const [problem, at = ''] = (error as Error).message.split('\n  at ')
      const field = [...at.matchAll(/"([^"]+)"/g)].map(([, name]) => name)
      const found = field.reduce((part, name) => part?.[name], value)
      const told = [
        `${path}, line ${index + 1}`,
        ...field,
        found === undefined ? problem : `found ${JSON.stringify(found)}. ${problem}`,
      ]
      throw new Problem(`${told.join(': ')}; --append needs a file that cloister bench --append wrote`, path)
    }
  }
}

/** Returns a line of a series: the times of a case in all samples. */
export function lineOf(
  whole: Omit<SpeedLine, 'cold' | 'warm' | keyof BenchCaseNames>,
  { group, trace, topology, policy, options }: BenchCaseNames,
  samples: ReadonlyArray<Sample>,
): SpeedLine {
  const spread = (of: (sample: Sample) => number): Spread => spreadOf(samples.map(of))
  return {
    ...whole,
    group,
    trace,
    topology,
    policy,
    options,
    cold: {
      withoutLog: spread(({ cold }) => cold.withoutLog.microsecondsPerJob),
      withLog: spread(({ cold }) => cold.withLog.microsecondsPerJob),
    },
    ...(samples.every(({ warm }) => warm !== undefined) && {
      warm: { withoutLog: spread(({ warm }) => warm!.withoutLog), withLog: spread(({ warm }) => warm!.withLog) },
    }),
  }
}

type BenchCaseNames = Pick<BenchFigures, 'group' | 'trace' | 'topology' | 'policy' | 'options'>

function spreadOf(times: ReadonlyArray<number>): Spread {
  const sorted = times.map((time) => Math.round(time * 100) / 100).sort((a, b) => a - b)
  return { median: middleOf(sorted), least: sorted[0], largest: sorted.at(-1)! }
}
