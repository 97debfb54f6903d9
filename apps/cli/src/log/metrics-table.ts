import { metricList, type Metrics, type NamedMetric, type Quartiles } from '@cloister/metrics'
import { type Assumptions, assumptionRows } from './assumptions.ts'
import { describeJobs, notPlacedLabels } from '../run/not-placed.ts'
import { count, decimal, durations, percent } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'

/** Metrics of a run, with the assumptions of the run. */
export type MeasuredLog = Metrics & { readonly assumptions: Assumptions }

/**
 * Returns four tables with a column for each run, headed by the name of the run's log. The first table has the jobs
 * without a placement, the assumptions, and all metrics that are single values or quartiles. The further tables have
 * waits by size, samples of utilization, and node-time by cause. All values of a row have the same unit.
 */
export function metricsTable(logs: ReadonlyArray<string>, runs: ReadonlyArray<MeasuredLog>): string {
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

const nodeTimeUses = [
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
