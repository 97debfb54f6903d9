import { Effect } from 'effect'
import type { Experiment } from '../experiment/reproduction.ts'
import { loadAll, type Records, Runs } from '../experiment/services.ts'
import { compare, type Comparison, state } from '../report/comparison.ts'
import { least, mean, most, threeDigits } from '../report/numbers.ts'
import { reportOf } from '../report/report.ts'
import * as paper from './paper.ts'
import { bytesOf, hoursOf, type LoadedLog, matricesOf, type Reading, sizesOf, specOf, type Way } from './runs.ts'

const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const ways: ReadonlyArray<Exclude<Way, 'Default'>> = ['TopoMatch', 'uCombal', 'uCombal, ratio', 'Combal']
const all: ReadonlyArray<Way> = ['Default', ...ways]

const readings: ReadonlyArray<Reading> = [
  { cost: 'effective', old: 'default run' },
  { cost: 'effective', old: 'same state' },
  { cost: 'plain', old: 'default run' },
  { cost: 'plain', old: 'same state' },
]

type Figure = 'execution' | 'wait' | 'interSwitch' | 'intraSwitch'

/** Figures of runs, by algorithm: sums in hours, or bytes, for each of `seeds`. */
type Found = ReadonlyMap<Way, ReadonlyArray<Readonly<Partial<Record<Figure, number>>>>>

/**
 * Runs a log under every algorithm and every reading, in the order of `readings`. `Default` has the log's run times.
 * Returns undefined if a run failed.
 */
const allRuns = Effect.fnUntraced(function* (log: LoadedLog) {
  const { run } = yield* Runs
  const runsOf = (way: Way, reading: Reading | undefined): ReadonlyArray<ReturnType<typeof specOf>> =>
    seeds.map((seed) => specOf(log, way, matricesOf(sizesOf(log.jobs), seed), reading))
  const cells = [
    { way: 'Default' as Way, at: -1, specs: runsOf('Default', undefined) },
    ...readings.flatMap((reading, at) => ways.map((way) => ({ way, at, specs: runsOf(way, reading) }))),
  ]
  const results = (yield* run(cells.flatMap(({ specs }) => specs))).filter((result) => result !== undefined)
  if (results.length < cells.length * seeds.length) return undefined
  const hours = cells.map((cell, nth) => ({
    ...cell,
    hours: results.slice(nth * seeds.length, (nth + 1) * seeds.length).map(hoursOf),
  }))
  return readings.map(
    (_, reading): Found =>
      new Map(hours.filter(({ at }) => at === -1 || at === reading).map(({ way, hours: each }) => [way, each])),
  )
})

export const table: Experiment = Effect.gen(function* () {
  const made = yield* Effect.forEach(yield* loadAll(paper.logs), (log) =>
    Effect.map(allRuns(log), (found) => (found === undefined ? [] : [{ name: log.name, found }])),
  )
  const logs = made.flat()
  const tables = readings.flatMap((reading, at) =>
    (['execution', 'wait'] as const).map((figure) => ({
      title: `Hours of ${figure}; cost ${reading.cost}, old cost of the ${reading.old}; mean and range of ${seeds.length} draws`,
      heading: ['log', 'Default', ...ways],
      rows: logs.map(({ name, found }) => [
        name,
        ...all.map((way) => spread(found[at].get(way)!.map((each) => each[figure]!))),
      ]),
    })),
  )
  const contradictions = {
    title: 'Where the slides contradict themselves',
    heading: ['figure', 'they say', 'but'],
    rows: paper.inconsistencies,
  }
  return reportOf(
    [...tables, contradictions],
    paper.hours.flatMap((row) => inTable(row, logs.find(({ name }) => name === row.log)?.found)),
  )
})

function inTable(
  { log, figure, values }: (typeof paper.hours)[number],
  found: ReadonlyArray<Found> | undefined,
): ReadonlyArray<Comparison> {
  return readings.flatMap(({ cost, old }, at) =>
    paper.algorithms.map((way) =>
      compare(
        log,
        `${figure} saved by ${way}; cost ${cost}, old cost of the ${old}`,
        'share',
        1 - values[way] / values.Default,
        found && saved(found[at], way, figure),
      ),
    ),
  )
}

function saved(found: Found, way: Way, figure: Figure): number {
  return mean(relative(found, way, figure).map((share) => 1 - share))
}

/** Returns for each draw an algorithm's figure over the default's figure. */
function relative(found: Found, way: Way, figure: Figure): ReadonlyArray<number> {
  const byDefault = found.get('Default')!
  return found.get(way)!.map((each, at) => each[figure]! / byDefault[at][figure]!)
}

export const switches: Experiment<Records> = Effect.gen(function* () {
  const logs = yield* Effect.forEach(
    yield* loadAll(paper.logs),
    Effect.fnUntraced(function* (log) {
      const found = yield* Effect.forEach(
        all,
        Effect.fnUntraced(function* (way) {
          const bytes = yield* Effect.forEach(seeds, (seed) => {
            const matrices = matricesOf(sizesOf(log.jobs), seed)
            return bytesOf(specOf(log, way, matrices, undefined), matrices)
          })
          return [way, bytes] as const
        }),
      )
      return { name: log.name, found: new Map(found) }
    }),
  )
  const tables = (['interSwitch', 'intraSwitch'] as const).map((figure) => ({
    title: `Bytes ${figure === 'interSwitch' ? 'between' : 'inside'} switches, against Default; mean and range of ${seeds.length} draws`,
    heading: ['log', ...ways],
    rows: logs.map(({ name, found }) => [name, ...ways.map((way) => spread(relative(found, way, figure)))]),
  }))
  const theta = logs.find(({ name }) => name === 'Theta')?.found
  return reportOf(
    tables,
    (['uCombal', 'Combal'] as const).flatMap((way) => [
      state(
        'Theta',
        `fewer bytes are sent between switches than under the default: ${way}`,
        theta && saved(theta, way, 'interSwitch') > 0,
      ),
      state(
        'Theta',
        `more bytes are sent inside switches than under the default: ${way}`,
        theta && saved(theta, way, 'intraSwitch') < 0,
      ),
    ]),
  )
})

function spread(values: ReadonlyArray<number>): string {
  return `${shown(mean(values))} (${shown(least(values))}-${shown(most(values))})`
}

function shown(value: number): string {
  return value < 10 ? threeDigits(value) : value.toFixed(0)
}
