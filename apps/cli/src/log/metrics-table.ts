import type { Metrics } from '@cloister/metrics'
import { count, decimal, duration, percent } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'

/** One run a column, under the name of its log. */
export function metricsTable(logs: ReadonlyArray<string>, runs: ReadonlyArray<Metrics>): string {
  const row = (name: string, value: (run: Metrics) => string): string[] => [name, ...runs.map(value)]
  const main = table(
    ['', ...logs],
    [
      row('policy', (run) => run.policy),
      row('workload', (run) => run.workload),
      row('topology', (run) => run.topology),
      row('jobs submitted', (run) => count(run.jobs.submitted)),
      row('  started', (run) => count(run.jobs.started)),
      row('  finished', (run) => count(run.jobs.finished)),
      row('  rejected', (run) => count(run.jobs.rejected)),
      row('  killed', (run) => count(run.jobs.killed)),
      row('  cancelled', (run) => count(run.jobs.cancelled)),
      row('utilization, steady state', (run) => percent(run.utilization.steady, 2)),
      row('utilization, whole run', (run) => percent(run.utilization.overall, 2)),
      row('  each minute, quartiles', ({ utilization: { perMinute } }) =>
        perMinute === null
          ? '-'
          : [perMinute.q1, perMinute.median, perMinute.q3].map((share) => (share * 100).toFixed(1)).join(' / ') + ' %',
      ),
      row('idle while jobs wait', (run) => percent(run.fragmentation.external, 2)),
      row('  while the first would fit', (run) => percent(run.fragmentation.placement, 2)),
      row('allocated beyond request', (run) => percent(run.fragmentation.internal, 2)),
      row('makespan', (run) => duration(run.makespan)),
      row('turnaround, mean', (run) => duration(run.turnaround.mean)),
      row('  over 100 nodes', (run) => duration(run.turnaround.large)),
      row('wait, mean', (run) => duration(run.wait.mean)),
      row('  median', (run) => duration(run.wait.median)),
      row('  longest', (run) => duration(run.wait.max)),
      row('slowdown, mean', (run) => decimal(run.slowdown.mean, 1)),
      row('  bounded', (run) => decimal(run.slowdown.bounded, 1)),
      row('started by backfilling', (run) => percent(run.backfilled)),
    ],
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
