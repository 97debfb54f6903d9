import { metricList, type Metrics, type NamedMetric, type Quartiles } from '@cloister/metrics'
import { count, decimal, duration, percent } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'

/** One run a column, under the name of its log: every metric that is a single value or quartiles, then waits and samples by class. */
export function metricsTable(logs: ReadonlyArray<string>, runs: ReadonlyArray<Metrics>): string {
  const row = (name: string, value: (run: Metrics) => string): string[] => [name, ...runs.map(value)]
  const main = table(
    ['', ...logs],
    metricList.flatMap((metric) => {
      const show = texts[metric.unit]
      return show === undefined ? [] : [row(metric.label, (run) => textOf(metric, run, show))]
    }),
  )
  const sizes = table(
    ['mean wait by nodes', ...logs],
    runs[0].wait.bySize.map(({ sizes }, i) => row(sizes, (run) => duration(run.wait.bySize[i].mean))),
  )
  const samples = table(
    ['utilization at starts and ends', ...logs],
    bins.map(([bin, name]) => row(name, (run) => percent(shareOfSamples(run, bin)))),
  )
  return [main, sizes, samples].join('\n\n')
}

/** How values of a unit are shown; those of other units have tables of their own. */
const texts: { readonly [Unit in NamedMetric['unit']]?: (value: never) => string } = {
  name: (value: string) => value,
  count: (value: number) => count(value),
  share: (value: number) => percent(value, 2),
  seconds: (value: number) => duration(value),
  ratio: (value: number) => decimal(value, 1),
  quartiles: ({ q1, median, q3 }: Quartiles) =>
    [q1, median, q3].map((share) => (share * 100).toFixed(1)).join(' / ') + ' %',
}

function textOf(metric: NamedMetric, run: Metrics, show: (value: never) => string): string {
  const value = metric.of(run)
  return value === null ? '-' : show(value as never)
}

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
