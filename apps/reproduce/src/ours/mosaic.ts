import { Effect } from 'effect'
import {
  changed,
  type Figure,
  makespan,
  named,
  type OnMachine,
  plan,
  type Planned,
  runOn,
  type Scheme,
  steady,
  turnaround,
} from '../experiment/planned-runs.ts'
import { type Discipline, type Experiment, ours, textbookEasy } from '../experiment/reproduction.ts'
import type { PaperTrace } from '../experiment/services.ts'
import * as paper from '../jigsaw/paper.ts'
import { dropped, onEachWorkload, plannedOnWorkloads, withInterval } from './workloads.ts'
import { compare } from '../report/comparison.ts'
import { finePercent, mean, orDash, threeDigits } from '../report/numbers.ts'
import { barGroup, crossTable, reportOf, seriesOf, utilizationAxis } from '../report/report.ts'

const policies: ReadonlyArray<Scheme> = [
  ...named(paper.schemes, 'Baseline', 'LC+S', 'Jigsaw', 'LaaS'),
  { name: 'Mosaic', spec: { policy: 'mosaic' } },
]
const names = policies.map(({ name }) => name)
const three = ['Baseline', 'Jigsaw', 'Mosaic']
const few = named(paper.traces, 'Synth-16', 'Thunder', 'Atlas')

/** Plans the runs of every scheme on every workload of a trace. */
const onWorkloads = (trace: OnMachine, schemes: ReadonlyArray<Scheme>): ReadonlyArray<Planned> =>
  plannedOnWorkloads(trace, ours.queue, schemes)

/** Returns schemes of the policies `of` under a queue discipline. @param more suffix of the schemes' names */
function schemesUnder(
  { queue: _queue, ...discipline }: Discipline,
  more: string,
  of: ReadonlyArray<string> = names,
): ReadonlyArray<Scheme> {
  return named(policies, ...of).map(({ name, spec }) => ({ name: `${name}${more}`, spec: { ...spec, ...discipline } }))
}

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
  { name: 'plain EASY', more: '', discipline: textbookEasy },
  { name: 'the largest job of the window first and --replan', more: ', ours', discipline: ours },
]

export const utilization: Experiment = Effect.gen(function* () {
  const found = yield* runOn(named(paper.traces, ...Object.keys(prototype)), (trace) =>
    disciplines.flatMap(({ more, discipline }) => onWorkloads(trace, schemesUnder(discipline, more))),
  )
  const values = (trace: string, scheme: string): ReadonlyArray<number> => onEachWorkload(found.outcomes, trace, scheme)
  const tables = disciplines.map(({ name, more }) =>
    crossTable(
      `Under ${name}: mean of ${dropped.length} workloads, and its interval of 95 %`,
      'utilization, steady state',
      found.names,
      names,
      (trace, policy) => withInterval(values(trace, `${policy}${more}`)),
    ),
  )
  const meanOf = (trace: string, policy: string): number | undefined => {
    const known = values(trace, `${policy}, ours`)
    return known.length === 0 ? undefined : mean(known)
  }
  const groups = found.names.map((trace) => barGroup(trace, names, (policy) => meanOf(trace, policy)))
  return reportOf(
    tables,
    found.names.map((trace) =>
      compare('', `a prototype's Mosaic, ${trace}`, 'share', prototype[trace], meanOf(trace, 'Mosaic')),
    ),
    [
      {
        file: 'mosaic.svg',
        chart: { series: seriesOf(names), panels: [{ title: '', groups }], axis: utilizationAxis },
      },
    ],
  )
})

const variants: ReadonlyArray<{ readonly name: string; readonly without: ReadonlyArray<string> }> = [
  { name: 'all of it', without: [] },
  { name: 'no scattered fill', without: ['scattered-fill'] },
  { name: 'no nested sets', without: ['nested-sets'] },
  { name: 'no lifetimes', without: ['lifetimes'] },
  { name: "Jigsaw's shapes, by lifetimes", without: ['nested-sets', 'scattered-fill'] },
  { name: 'none of the three', without: ['lifetimes', 'nested-sets', 'scattered-fill'] },
]

export const ablation: Experiment = Effect.gen(function* () {
  const { queue: _queue, ...discipline } = ours
  const schemes = variants.map(({ name, without }): Scheme => {
    const policy = without.length === 0 ? 'mosaic' : { name: 'mosaic', config: { without } }
    return { name, spec: { policy, ...discipline } }
  })
  const found = yield* runOn(few, (trace) => onWorkloads(trace, schemes))
  const table = crossTable(
    'Mosaic without some of its parts: mean of the workloads of each trace, and its interval of 95 %',
    'utilization, steady state',
    schemes.map(({ name }) => name),
    found.names,
    (scheme, trace) => withInterval(onEachWorkload(found.outcomes, trace, scheme)),
  )
  return reportOf([table])
})

/** Logs that guided no choice in the design of Mosaic, each on a machine large enough for every job of the log. */
const logs: ReadonlyArray<PaperTrace> = [
  { name: 'KTH', source: { trace: 'kth' }, arrivals: 'zero', topology: 'radix:8' },
  { name: 'HPC2N', source: { trace: 'hpc2n' }, arrivals: 'zero', topology: 'radix:10' },
  { name: 'SDSC-BLUE', source: { trace: 'sdsc-blue' }, arrivals: 'zero', topology: 'radix:10' },
  { name: 'CEA-Curie', source: { trace: 'cea-curie' }, arrivals: 'zero', topology: 'radix:28' },
]

export const otherLogs: Experiment = Effect.gen(function* () {
  const schemes = [
    ...schemesUnder(textbookEasy, ', plain EASY', ['Baseline', 'Jigsaw']),
    ...schemesUnder(ours, ', ours', three),
  ]
  const found = yield* runOn(logs, (trace) => onWorkloads(trace, schemes))
  const table = crossTable(
    'All jobs at once: mean of the workloads of each log, and its interval of 95 %',
    'utilization, steady state',
    found.names,
    schemes.map(({ name }) => name),
    (trace, scheme) => withInterval(onEachWorkload(found.outcomes, trace, scheme)),
  )
  return reportOf([table])
})

const options: ReadonlyArray<{ readonly name: string; readonly discipline: Discipline }> = [
  { name: 'plain', discipline: textbookEasy },
  { name: 'fixed reservation', discipline: { ...textbookEasy, reservation: 'fixed' } },
  { name: 'largest first', discipline: { ...textbookEasy, windowOrder: 'largest' } },
  { name: 'smallest first', discipline: { ...textbookEasy, windowOrder: 'smallest' } },
  { name: 'shortest first', discipline: { ...textbookEasy, windowOrder: 'shortest' } },
  { name: 'replan', discipline: { ...textbookEasy, replan: true } },
  { name: 'largest first, replan', discipline: { ...textbookEasy, windowOrder: 'largest', replan: true } },
  {
    name: 'largest first, replan, moved by 20 nodes or more',
    discipline: { ...textbookEasy, windowOrder: 'largest', replan: true, moveMinNodes: 20 },
  },
]

export const queueOptions: Experiment = Effect.gen(function* () {
  const found = yield* runOn(few, (trace) =>
    options.flatMap(({ name, discipline }) =>
      schemesUnder(discipline, `, ${name}`, three).map((scheme) => plan(trace, discipline.queue, scheme)),
    ),
  )
  const columns = options.map(({ name }) => name)
  return reportOf(
    three.map((policy) =>
      crossTable(policy, 'utilization, steady state', found.names, columns, (trace, option) =>
        orDash(found.outcomes.value(steady, trace, `${policy}, ${option}`), finePercent),
      ),
    ),
  )
})

/** Kinds of the scheduler's estimates: exact run times, users' requests, or users' requests times `factor`. */
const estimates: ReadonlyArray<{
  readonly name: string
  readonly known: 'exact' | 'requested'
  readonly factor?: number
}> = [
  { name: 'exact', known: 'exact' },
  { name: "users'", known: 'requested' },
  { name: "users', twice", known: 'requested', factor: 2 },
  { name: "users', five times", known: 'requested', factor: 5 },
]

const figures: ReadonlyArray<readonly [name: string, of: Figure]> = [
  ['all', turnaround],
  ['over 100 nodes', ({ metrics }) => metrics.turnaround.large],
  ['makespan', makespan],
]

export const arrivals: Experiment = Effect.gen(function* () {
  const found = yield* runOn(paper.realArrivals, (trace) => estimates.flatMap((each) => plannedFor(trace, each)))
  const isolating = three.slice(1)
  return reportOf(
    found.names.map((trace) => ({
      title: `${trace}, relative to Baseline`,
      heading: ['estimates', ...isolating.flatMap((policy) => figures.map(([what]) => `${policy}: ${what}`))],
      rows: estimates.map(({ name }) => [
        name,
        ...isolating.flatMap((policy) =>
          figures.map(([, of]) =>
            orDash(found.outcomes.ratio(of, trace, `${policy}, ${name}`, 'None', `Baseline, ${name}`), threeDigits),
          ),
        ),
      ]),
    })),
  )
})

function plannedFor(trace: OnMachine, { name, known, factor }: (typeof estimates)[number]): ReadonlyArray<Planned> {
  return schemesUnder(ours, `, ${name}`, three).map((scheme) => {
    const planned = plan(trace, ours.queue, { ...scheme, spec: { ...scheme.spec, estimates: known } })
    if (factor === undefined) return planned
    const terms = [planned.spec.filter ?? '', `estimates=requested*${factor}`]
    return changed(planned, { filter: terms.filter((term) => term !== '').join(',') })
  })
}
