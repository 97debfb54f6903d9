import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { type Outcomes, runAll } from '../experiment/outcomes.ts'
import { locateAll } from '../experiment/traces.ts'
import * as paper from '../jigsaw/paper.ts'
import { series } from '../jigsaw/series.ts'
import { compare } from '../report/comparison.ts'
import type { Report } from '../report/report.ts'
import { mean } from '../report/statistics.ts'
import { ours, plain, schemesUnder } from './schemes.ts'
import { dropped, onWorkloads, steady, withInterval } from './workloads.ts'

const names: ReadonlyArray<string> = ['Synth-16', 'Synth-22', 'Synth-28', 'Thunder', 'Atlas']

/**
 * Utilization in steady state under a prototype of Mosaic that shares no code with this project, as shares: the mean of
 * four workloads of each trace. Thunder has the mean of two workloads, because a mistake of the prototype, mended
 * later, made its other results on Thunder invalid. See the README of the policy Mosaic.
 */
const prototype: Readonly<Record<string, number>> = {
  'Synth-16': 0.9757,
  'Synth-22': 0.98,
  'Synth-28': 0.9824,
  Thunder: 0.9621,
  Atlas: 0.9444,
}

const disciplines = [
  { name: 'plain EASY', more: '', discipline: plain },
  { name: 'the largest job of the window first and --replan', more: ', ours', discipline: ours },
]

export const utilization: Experiment = Effect.gen(function* () {
  const located = yield* locateAll(paper.traces.filter(({ name }) => names.includes(name)))
  const planned = located.flatMap((trace) =>
    disciplines.flatMap(({ more, discipline }) =>
      onWorkloads({ ...trace, queue: discipline.queue }, schemesUnder(discipline, more)),
    ),
  )
  return reportOf(
    yield* runAll(planned),
    located.map(({ name }) => name),
  )
})

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
