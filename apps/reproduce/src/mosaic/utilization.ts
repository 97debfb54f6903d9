import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { type Outcomes, plan, type Planned, runAll } from '../experiment/outcomes.ts'
import { locateAll } from '../experiment/traces.ts'
import * as paper from '../jigsaw/paper.ts'
import { series } from '../jigsaw/series.ts'
import { compare } from '../report/comparison.ts'
import type { Report } from '../report/report.ts'
import { mean } from '../report/statistics.ts'
import { ours, plain, schemesUnder } from './schemes.ts'

const names: ReadonlyArray<string> = ['Synth-16', 'Synth-22', 'Synth-28', 'Thunder', 'Atlas']

/** Each trace as it is, and without its first jobs: other orders of the same load. */
const dropped = [0, 10, 20, 30, 40]

/** What a prototype that shares no code with the project had for Mosaic, the mean of four runs. */
const prototype: Readonly<Record<string, number>> = {
  'Synth-16': 0.9757,
  'Synth-22': 0.98,
  'Synth-28': 0.9824,
  Thunder: 0.9617,
  Atlas: 0.9444,
}

const disciplines = [
  { name: 'plain EASY', more: '', discipline: plain },
  { name: 'the largest of the window first, plans anew', more: ', ours', discipline: ours },
]

export const utilization: Experiment = Effect.gen(function* () {
  const located = yield* locateAll(paper.traces.filter(({ name }) => names.includes(name)))
  const planned = located.flatMap((trace) =>
    dropped.flatMap((jobs) => disciplines.flatMap(({ more, discipline }) => plannedFor(trace, jobs, more, discipline))),
  )
  return reportOf(
    yield* runAll(planned),
    located.map(({ name }) => name),
  )
})

function plannedFor(
  trace: Parameters<typeof plan>[0] | Omit<Parameters<typeof plan>[0], 'queue'>,
  jobs: number,
  more: string,
  discipline: typeof ours,
): ReadonlyArray<Planned> {
  return schemesUnder(discipline, more).map((scheme) => {
    const planned = plan({ ...trace, name: workload(trace.name, jobs), queue: discipline.queue }, scheme)
    return jobs === 0 ? planned : { ...planned, spec: { ...planned.spec, resample: `drop-first:${jobs}` } }
  })
}

function workload(trace: string, jobs: number): string {
  return `${trace} without its first ${jobs} jobs`
}

function steady(outcomes: Outcomes, trace: string, scheme: string): ReadonlyArray<number> {
  return dropped.flatMap((jobs) => outcomes.get(workload(trace, jobs), scheme)?.metrics.utilization.steady ?? [])
}

/** Student's t for 95 % of both sides, by degrees of freedom. */
const student = [Infinity, 12.71, 4.303, 3.182, 2.776]

/** The mean, and half of its interval of 95 %. */
function withInterval(values: ReadonlyArray<number>): string {
  if (values.length === 0) return '-'
  const middle = mean(values)
  if (values.length === 1) return `${(100 * middle).toFixed(2)} %`
  const variance = values.reduce((sum, value) => sum + (value - middle) * (value - middle), 0) / (values.length - 1)
  const half = student[values.length - 1] * Math.sqrt(variance / values.length)
  return `${(100 * middle).toFixed(2)} ± ${(100 * half).toFixed(2)} %`
}

function reportOf(outcomes: Outcomes, traces: ReadonlyArray<string>): Report {
  const tables = disciplines.map(({ name, more, discipline }) => {
    const schemes = schemesUnder(discipline, more)
    return {
      title: `Under ${name}: mean of ${dropped.length} workloads, and its interval of 95 %`,
      heading: ['utilization, steady state', ...schemes.map((scheme) => scheme.name.replace(more, ''))],
      rows: traces.map((trace) => [
        trace,
        ...schemes.map((scheme) => withInterval(steady(outcomes, trace, scheme.name))),
      ]),
    }
  })
  const comparisons = traces.flatMap((trace) => {
    const found = steady(outcomes, trace, 'Mosaic, ours')
    return prototype[trace] === undefined
      ? []
      : [
          compare(
            '',
            `a prototype's Mosaic, ${trace}`,
            'share',
            prototype[trace],
            found.length === 0 ? null : mean(found),
          ),
        ]
  })
  const shown = schemesUnder(ours, ', ours')
  const chart = {
    series: series(schemesUnder(ours)),
    panels: [
      {
        title: '',
        groups: traces.map((trace) => ({
          name: trace,
          bars: shown.map(({ name }) => {
            const values = steady(outcomes, trace, name)
            return values.length === 0 ? null : { value: mean(values) }
          }),
        })),
      },
    ],
    axis: { label: 'Average system utilization', from: 0.8, to: 1, step: 0.05, unit: 'share' as const, digits: 0 },
  }
  return { tables, comparisons, charts: [{ file: 'mosaic.svg', chart }] }
}
