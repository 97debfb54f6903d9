import { type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import {
  type Grouping,
  type GroupMetrics,
  type JobQuery,
  metricList,
  type Metrics,
  MetricsFold,
  type NamedMetric,
  type Quartiles,
} from '@cloister/metrics'
import { attempt } from '@cloister/run/node'
import { Effect } from 'effect'
import { describeJobs, notPlacedLabels } from '../run/not-placed.ts'
import { warningOfOverruns } from '../run/prepare-run.ts'
import { remark } from '../terminal/output.ts'
import { count, decimal, durations, percent } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'
import { assumptionRows, type Assumptions, assumptionsOf } from './assumptions.ts'
import { named, readRecords, remarkOnPart } from './log-reading.ts'

/** Result of `cloister metrics` for one log. */
interface MeasuredLog {
  readonly result: Metrics
  readonly assumptions: Assumptions
  readonly groups: ReadonlyArray<GroupMetrics>
  /** First and last second of the part of a run in the log, or undefined for a log of a whole run. */
  readonly part: Header['part']
  /** Warning if the treatment of jobs that run beyond their walltimes decides the results, else undefined. */
  readonly warning: string | undefined
  /** Number of jobs that use only a part of their nodes, and get whole nodes. */
  readonly smallerThanNode: number
}

/** Measurement of a log. The caller adds every record of the log, in order. */
export class LogMeasurement {
  readonly #fold: MetricsFold
  #assumptions: Assumptions | undefined
  #warning: string | undefined
  #part: Header['part']
  #smallerThanNode = 0

  constructor(by?: Grouping, query?: JobQuery) {
    this.#fold = new MetricsFold({ by, query })
  }

  /** Adds the next record of the log. @throws InvalidLogError if the record contradicts earlier records */
  add(record: LogRecord): void {
    if (record.type === 'header') this.#begin(record)
    else if (record.type === 'submit' && record.smaller_than_node === true) this.#smallerThanNode++
    this.#fold.add(record)
  }

  #begin(header: Header): void {
    const machine = headerTopology(header)
    this.#assumptions ??= assumptionsOf(header, machine)
    this.#warning = warningOfOverruns(header.overruns, header.options.overrun, machine.nodes)
    this.#part = header.part
  }

  /** Returns the figures of all added records. @throws InvalidLogError if no header was added */
  result(): MeasuredLog {
    return {
      result: this.#fold.result(),
      // The header sets the assumptions; without a header `this.#fold.result()` throws.
      assumptions: this.#assumptions!,
      groups: this.#fold.groups(),
      part: this.#part,
      warning: this.#warning,
      smallerThanNode: this.#smallerThanNode,
    }
  }
}

/** Measures the log in a file. Prints a remark on a log with only a part of a run. */
export const measure = Effect.fnUntraced(function* (path: string, by?: Grouping, query?: JobQuery) {
  const measurement = new LogMeasurement(by, query)
  const outcome = yield* readRecords(path, (record) => measurement.add(record)).pipe(
    Effect.mapError((error) => named(path, error)),
  )
  const measured = yield* attempt(() => measurement.result())
  const ofPart = remarkOnPart(path, measured)
  if (ofPart !== undefined) yield* remark(ofPart)
  return { path, outcome, ...measured }
})

/**
 * Returns four tables with a column for each run, headed by the name of the run's log. The first table has the jobs
 * without a placement, the assumptions, and all metrics that are single values or quartiles. The further tables have
 * waits by size, samples of utilization, and node-time by cause. All values of a row have the same unit.
 */
export function metricsTable(
  logs: ReadonlyArray<string>,
  runs: ReadonlyArray<Metrics & { readonly assumptions: Assumptions }>,
): string {
  const main = table(
    ['', ...logs],
    [
      ...notPlacedLabels.flatMap(([name, label]) =>
        runs.every(({ notPlaced }) => notPlaced[name].jobs === 0)
          ? []
          : [
              [
                label.toUpperCase(),
                ...runs.map(({ notPlaced, jobs }) => describeJobs(notPlaced[name], jobs.submitted)),
              ],
            ],
      ),
      ['policy', ...runs.map(({ policy }) => policy)],
      ...assumptionRows(runs.map(({ assumptions }) => assumptions)).map(([label, values]) => [label, ...values]),
      ...metricList.flatMap((metric) => {
        const show = texts[metric.unit]
        const values = runs.map((run) => metric.of(run) as never)
        if (show === undefined || (metric.isOccasional && values.every((value) => value === null))) return []
        return [[metric.label, ...show(values)]]
      }),
    ],
  )
  const sizes = table(
    ['mean wait by nodes', ...logs],
    runs[0].wait.bySize.map(({ sizes }, i) => [sizes, ...durations(runs.map((run) => run.wait.bySize[i].mean))]),
  )
  const samples = table(
    ['utilization at starts and ends', ...logs],
    bins.map(([bin, name]) => [name, ...runs.map((run) => percent(shareOfSamples(run, bin)))]),
  )
  const nodeTime = table(
    ['node-time by cause', ...logs],
    nodeTimeUses.map(([use, name]) => [name, ...runs.map((run) => percent(run.nodeTime?.[use] ?? null, 2))]),
  )
  return [main, sizes, samples, nodeTime].join('\n\n')
}

/** Formatters of metric values, by the unit of the metric. A metric of another unit has no row in the first table. */
const texts: { readonly [Unit in NamedMetric['unit']]?: (values: ReadonlyArray<never>) => ReadonlyArray<string> } = {
  count: each((value: number) => count(value)),
  share: each((value: number) => percent(value, 2)),
  seconds: durations,
  ratio: each((value: number) => decimal(value, 1)),
  quartiles: each(
    ({ q1, median, q3 }: Quartiles) => [q1, median, q3].map((share) => (share * 100).toFixed(1)).join(' / ') + ' %',
  ),
}

function each<Value>(show: (value: Value) => string): (values: ReadonlyArray<Value | null>) => ReadonlyArray<string> {
  return (values) => values.map((value) => (value === null ? '-' : show(value)))
}

/** Uses of nodes, and the labels of the uses in tables. */
export const nodeTimeUses = [
  ['busy', 'busy'],
  ['beyondRequest', 'beyond the request'],
  ['down', 'down'],
  ['noJob', 'idle, no job waits'],
  ['tooFewNodes', 'idle, too few for every waiting job'],
  ['fragmented', 'idle, enough for a waiting job'],
] as const

const bins = [
  ['98', '98 % and more'],
  ['95', '95-98 %'],
  ['90', '90-95 %'],
  ['80', '80-90 %'],
  ['60', '60-80 %'],
  ['0', 'less than 60 %'],
] as const

function shareOfSamples({ instantaneous }: Metrics, bin: keyof Metrics['instantaneous']): number | null {
  const samples = Object.values(instantaneous).reduce((sum, each) => sum + each, 0)
  return samples === 0 ? null : instantaneous[bin] / samples
}
