import { Effect } from 'effect'
import { adjustedRunTime } from '@cloister/communication'
import type { Job, Workload } from '@cloister/workload'
import type { Experiment } from '../experiment/experiment.ts'
import { locateAll, Traces } from '../experiment/traces.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import type { Report } from '../report/report.ts'
import { least, mean, most } from '../report/statistics.ts'
import * as paper from './paper.ts'
import { CombalRuns, type Outcome, type Way } from './runs.ts'
import { programsOf } from './workload.ts'

const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const ways: ReadonlyArray<Exclude<Way, 'Default'>> = ['TopoMatch', 'uCombal', 'uCombal, ratio', 'Combal']

/**
 * Reading of the Combal slides' ratio of costs. A job's cost, with contention (`effective`) or without (`plain`), is
 * divided by the job's cost in the default run, or by the cost of Slurm's placement in the state at the job's start.
 */
interface Reading {
  readonly cost: 'effective' | 'plain'
  readonly old: 'default run' | 'same state'
}
const readings: ReadonlyArray<Reading> = [
  { cost: 'effective', old: 'default run' },
  { cost: 'effective', old: 'same state' },
  { cost: 'plain', old: 'default run' },
  { cost: 'plain', old: 'same state' },
]

type Figure = 'execution' | 'wait' | 'interSwitch' | 'intraSwitch'

/** Outcomes of runs, by algorithm: one outcome for each of `seeds`. */
type Found = ReadonlyMap<Way, ReadonlyArray<Outcome>>

interface LogRuns {
  /** Runs with the log's run times, which measure costs and bytes. */
  readonly first: Found
  /** Runs with run times adjusted by costs, in the order of `readings`. */
  readonly again: ReadonlyArray<Found>
}

function firstRuns(log: paper.Log, jobs: ReadonlyArray<Job>, runs: CombalRuns): Found {
  return new Map(
    (['Default', ...ways] as const).map((way) => [
      way,
      seeds.map((seed) => runs.run(way, programsOf(jobs, log, seed))),
    ]),
  )
}

/**
 * Like the Combal slides, runs every algorithm with the log's run times to measure costs, and then, for each reading,
 * with run times adjusted by these costs. `Default` runs only with the log's run times.
 */
function allRuns(log: paper.Log, jobs: ReadonlyArray<Job>): LogRuns {
  const runs = new CombalRuns(log.topology)
  const first = firstRuns(log, jobs, runs)
  const again = readings.map(
    (reading): Found =>
      new Map([
        ['Default', first.get('Default')!],
        ...ways.map(
          (way) =>
            [
              way,
              seeds.map((seed, at) => runAgain(runs, way, programsOf(jobs, log, seed), first, at, reading)),
            ] as const,
        ),
      ]),
  )
  return { first, again }
}

function runAgain(
  runs: CombalRuns,
  way: Way,
  workload: Workload,
  first: Found,
  at: number,
  { cost, old }: Reading,
): Outcome {
  const byDefault = first.get('Default')![at].costs
  const { costs } = first.get(way)![at]
  const shares = new Map(workload.jobs.map(({ id, communication }) => [id, communication?.share ?? 0]))
  return runs.run(way, workload, (job, time) => {
    const found = costs.get(job)
    const before = old === 'default run' ? byDefault.get(job)?.here : found?.byDefault
    if (found === undefined || before === undefined) return time
    return adjustedRunTime(time, shares.get(job)!, found.here[cost], before[cost])
  })
}

const logsAtHand = Effect.gen(function* () {
  const traces = yield* Traces
  const located = yield* locateAll(paper.logs)
  return yield* Effect.forEach(located, (log) => Effect.map(traces.jobs(log.located), (jobs) => ({ log, jobs })))
})

export const table: Experiment = Effect.gen(function* () {
  const logs = (yield* logsAtHand).map(({ log, jobs }) => ({ name: log.name, found: allRuns(log, jobs).again }))
  return {
    tables: [
      ...readings.flatMap((reading, at) =>
        (['execution', 'wait'] as const).map((figure) => ({
          title: `Hours of ${figure}; cost ${reading.cost}, old cost of the ${reading.old}; mean and range of ${seeds.length} draws`,
          heading: ['log', 'Default', ...ways],
          rows: logs.map(({ name, found }) => [
            name,
            ...(['Default', ...ways] as const).map((way) => spread(found[at].get(way)!.map((each) => each[figure]))),
          ]),
        })),
      ),
      {
        title: 'Where the slides contradict themselves',
        heading: ['figure', 'they say', 'but'],
        rows: paper.inconsistencies,
      },
    ],
    comparisons: paper.hours.flatMap((row) => inTable(row, logs.find(({ name }) => name === row.log)?.found)),
    charts: [],
  }
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
  const byDefault = found.get('Default')!
  return mean(found.get(way)!.map((each, at) => 1 - each[figure] / byDefault[at][figure]))
}

export const switches: Experiment = Effect.gen(function* () {
  const logs = (yield* logsAtHand).map(({ log, jobs }) => ({
    name: log.name,
    found: firstRuns(log, jobs, new CombalRuns(log.topology)),
  }))
  const tables: Report['tables'] = (['interSwitch', 'intraSwitch'] as const).map((figure) => ({
    title: `Bytes ${figure === 'interSwitch' ? 'between' : 'inside'} switches, against Default; mean and range of ${seeds.length} draws`,
    heading: ['log', ...ways],
    rows: logs.map(({ name, found }) => [
      name,
      ...ways.map((way) => {
        const base = found.get('Default')!
        return spread(found.get(way)!.map((each, at) => each[figure] / base[at][figure]))
      }),
    ]),
  }))
  const theta = logs.find(({ name }) => name === 'Theta')?.found
  return {
    tables,
    comparisons: (['uCombal', 'Combal'] as const).flatMap((way) => [
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
    charts: [],
  }
})

function spread(values: ReadonlyArray<number>): string {
  return `${shown(mean(values))} (${shown(least(values))}-${shown(most(values))})`
}

function shown(value: number): string {
  return value < 10 ? value.toFixed(3) : value.toFixed(0)
}
