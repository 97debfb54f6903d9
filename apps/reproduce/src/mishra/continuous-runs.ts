import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { type Outcomes, plan, runAll } from '../experiment/outcomes.ts'
import type { RunResult } from '../experiment/runs.ts'
import { locateAll, Traces } from '../experiment/traces.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { allKnown } from '../report/known-values.ts'
import { percent } from '../report/quantities.ts'
import type { Report } from '../report/report.ts'
import { mean, most, ratio } from '../report/statistics.ts'
import * as paper from './paper.ts'

const others = paper.algorithms.slice(1)
/** Hours, over all jobs. */
const figures = {
  execution: ({ metrics, totals }: RunResult) =>
    hours(((metrics.turnaround.mean ?? 0) - (metrics.wait.mean ?? 0)) * totals.finished),
  wait: ({ metrics, totals }: RunResult) => hours((metrics.wait.mean ?? 0) * totals.started),
  turnaround: ({ metrics }: RunResult) => hours(metrics.turnaround.mean ?? 0),
  /** As a share of the machine's: in a comparison the machine is the same. */
  nodeHours: ({ metrics }: RunResult) => hours((metrics.utilization.overall ?? 0) * (metrics.makespan ?? 0)),
}
type Figure = keyof typeof figures

export const table3: Experiment = Effect.gen(function* () {
  const machines = [...paper.logs, ...(yield* smallMachine)]
  const runs = yield* runWays(
    machines,
    (['RHVD', 'RD'] as const).map((pattern) => ({ name: pattern, communication: paper.communication(pattern, 90) })),
  )
  const table = (title: string, figure: Figure): Report['tables'][number] => ({
    title,
    heading: ['log', 'pattern', ...paper.algorithms.map(({ name }) => name)],
    rows: runs.logs.flatMap((log) =>
      (['RHVD', 'RD'] as const).map((pattern) => [
        log,
        pattern,
        ...paper.algorithms.map(({ name }) => shown(runs.value(figure, log, pattern, name))),
      ]),
    ),
  })
  return {
    tables: [table('Execution in hours', 'execution'), table('Waiting in hours', 'wait')],
    comparisons: paper.logs.flatMap(({ name }) =>
      (['RHVD', 'RD'] as const).flatMap((pattern) => inTable3(runs, name, pattern)),
    ),
    charts: [],
  }
})

/** Theta once more, on the topology file, where that is in the trace folder. */
const smallMachine = Effect.gen(function* () {
  const { name, of, file } = paper.smallTopology
  const path = yield* (yield* Traces).findFile(file)
  return path === undefined
    ? []
    : paper.logs.filter((log) => log.name === of).map((log): Machine => ({ ...log, name, topology: `slurm:${path}` }))
})

function inTable3(runs: Runs, log: paper.Log['name'], pattern: 'RHVD' | 'RD'): ReadonlyArray<Comparison> {
  const row = paper.table3[log][pattern]
  const savings = (figure: 'execution' | 'wait'): ReadonlyArray<Comparison> =>
    others.map(({ name }) =>
      compare(
        'Table 3',
        `${figure} saved by ${name.toLowerCase()}, ${log}, ${pattern}`,
        'share',
        1 - row[figure][name] / row[figure].Default,
        runs.saved(figure, log, pattern, name),
      ),
    )
  return [
    compare(
      'Table 3',
      `hours of execution, ${log}, Default`,
      'hours',
      row.execution.Default,
      runs.value('execution', log, pattern, 'Default'),
    ),
    ...savings('execution'),
    ...savings('wait'),
    state(
      '6.1',
      `balanced and adaptive take less time than default and greedy: ${log}, ${pattern}`,
      runs.every(
        log,
        pattern,
        (value) => Math.max(value('Balanced'), value('Adaptive')) < Math.min(value('Default'), value('Greedy')),
      ),
    ),
  ]
}

export const fig6: Experiment = Effect.gen(function* () {
  const runs = yield* runWays(paper.logs, paper.sets)
  const tables = runs.logs.map((log) => ({
    title: `${log}: execution saved`,
    heading: ['set', ...others.map(({ name }) => name)],
    rows: paper.sets.map((set) => [
      set.name,
      ...others.map(({ name }) => share(runs.saved('execution', log, set.name, name))),
    ]),
  }))
  return {
    tables,
    comparisons: [
      ...paper.logs.flatMap(({ name }) => inFigure6(runs, name)),
      ...paper.logs.flatMap(({ name }) => inSection62(runs, name)),
    ],
    charts: [],
  }
})

function inFigure6(runs: Runs, log: paper.Log['name']): ReadonlyArray<Comparison> {
  return paper.sets.map(({ name: set }, at) =>
    compare(
      '6.2',
      `execution saved, ${log === 'Theta' ? 'mean of the three' : 'the best of the three'}, ${log}, set ${set}`,
      'share',
      paper.improvements[log][at],
      summary(runs, log, set),
    ),
  )
}

function summary(runs: Runs, log: paper.Log['name'], set: string): number | undefined {
  const saved = allKnown(others.map(({ name }) => runs.saved('execution', log, set, name)))
  return saved && (log === 'Theta' ? mean(saved) : most(saved))
}

function inSection62(runs: Runs, log: paper.Log['name']): ReadonlyArray<Comparison> {
  const known = allKnown(paper.sets.map(({ name }) => summary(runs, log, name)))
  const [a, b, c, d, e] = known ?? []
  return [
    state(
      '6.2',
      `more is saved the more jobs communicate, A < B < C and D < E: ${log}`,
      known && a < b && b < c && d < e,
    ),
    state(
      '6.2',
      `halving with doubling saves more than RD and binomial, B > D and C > E: ${log}`,
      known && b > d && c > e,
    ),
  ]
}

export const fig9: Experiment = Effect.gen(function* () {
  const runs = yield* runWays(
    paper.logs.slice(0, 1),
    paper.shares.map((percentOfJobs) => ({
      name: String(percentOfJobs),
      communication: paper.communication('RHVD', percentOfJobs),
    })),
  )
  const table = (title: string, figure: Figure): Report['tables'][number] => ({
    title,
    heading: ['jobs that communicate', ...others.map(({ name }) => name)],
    rows:
      runs.logs.length === 0
        ? []
        : paper.shares.map((each) => [
            `${each} %`,
            ...others.map(({ name }) => share(runs.saved(figure, 'Intrepid', String(each), name))),
          ]),
  })
  return {
    tables: [table('Turnaround saved', 'turnaround'), table('Node-hours saved', 'nodeHours')],
    comparisons: ([30, 90] as const).flatMap((each) =>
      (['turnaround', 'nodeHours'] as const).map((figure) =>
        compare(
          '6.5',
          `${figure === 'turnaround' ? 'turnaround' : 'node-hours'} saved by adaptive, ${each} % communicate`,
          'share',
          paper.adaptiveSaves[each][figure],
          runs.saved(figure, 'Intrepid', String(each), 'Adaptive'),
        ),
      ),
    ),
    charts: [],
  }
})

/** A log, under a name of its own where the machine is another. */
type Machine = Omit<paper.Log, 'name'> & { readonly name: string }

/** Continuous runs, by log, way of communicating and algorithm. */
class Runs {
  readonly logs: ReadonlyArray<string>
  readonly #outcomes: Outcomes

  constructor(logs: ReadonlyArray<string>, outcomes: Outcomes) {
    this.logs = logs
    this.#outcomes = outcomes
  }

  value(figure: Figure, log: string, way: string, algorithm: paper.Algorithm): number | undefined {
    const result = this.#outcomes.get(`${log}, ${way}`, algorithm)
    return result === undefined ? undefined : figures[figure](result)
  }

  /** Share of what the default takes. */
  saved(figure: Figure, log: string, way: string, algorithm: paper.Algorithm): number | undefined {
    const taken = ratio(this.value(figure, log, way, algorithm), this.value(figure, log, way, 'Default'))
    return taken === undefined ? undefined : 1 - taken
  }

  /** Whether something holds of the executions; undefined where one is not known. */
  every(
    log: string,
    way: string,
    test: (value: (algorithm: paper.Algorithm) => number) => boolean,
  ): boolean | undefined {
    const values = new Map(paper.algorithms.map(({ name }) => [name, this.value('execution', log, way, name)]))
    return [...values.values()].includes(undefined) ? undefined : test((algorithm) => values.get(algorithm)!)
  }
}

const runWays = Effect.fnUntraced(function* (
  logs: ReadonlyArray<Machine>,
  ways: ReadonlyArray<{ readonly name: string; readonly communication: string }>,
) {
  const located = yield* locateAll(logs)
  const planned = located.flatMap((log) =>
    ways.flatMap((way) =>
      paper.algorithms.map((scheme) => {
        const spec = { ...scheme.spec, communication: way.communication }
        return plan({ ...log, name: `${log.name}, ${way.name}`, queue: paper.queue }, { ...scheme, spec })
      }),
    ),
  )
  return new Runs(
    located.map(({ name }) => name),
    yield* runAll(planned),
  )
})

function hours(seconds: number): number {
  return seconds / 3600
}

function shown(value: number | undefined): string {
  return value === undefined ? '-' : value.toFixed(0)
}

function share(value: number | undefined): string {
  return value === undefined ? '-' : percent(value)
}
