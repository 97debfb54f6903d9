import { Effect } from 'effect'
import type { Experiment } from '../experiment/reproduction.ts'
import { loadAll, locateAll, type Records } from '../experiment/services.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { mean, most } from '../report/numbers.ts'
import { reportOf, type Table } from '../report/report.ts'
import * as paper from './paper.ts'
import { drawn, type Draws, drawsOf, type Figure, meanOver, mostSavedByJob } from './runs.ts'

const patterns = ['RHVD', 'RD'] as const
type TablePattern = (typeof patterns)[number]

/** Runs for a line of our Table 3: a log on a machine, with a communication pattern. */
interface Row {
  /** Name of the log, with the number of leaves if the machine is not the log's machine in the Mishra paper. */
  readonly name: string
  readonly log: paper.Log
  readonly pattern: TablePattern
  readonly draws: Draws
  /** For each draw, the largest share of its run time that a job saves; empty except on the log's own machine. */
  readonly most: ReadonlyArray<number>
}

export const table3: Experiment<Records> = Effect.gen(function* () {
  const logs = yield* loadAll(paper.logs)
  const found = yield* Effect.forEach(
    logs.flatMap((log) => machinesOf(log).flatMap((machine) => patterns.map((pattern) => ({ log, machine, pattern })))),
    Effect.fnUntraced(function* ({ log, machine: [name, topology], pattern }) {
      const runs = { located: log.located, reading: { ...paper.readingOf(log), topology }, mix: paper.alone(pattern) }
      const draws = yield* drawsOf(runs)
      if (draws === undefined) return []
      const most = name === log.name ? yield* mostSavedByJob(runs, log.jobs) : []
      return [{ name, log, pattern, draws, most }]
    }),
  )
  const rows: ReadonlyArray<Row> = found.flat()
  const own = (log: paper.Log['name'], pattern: TablePattern): Row | undefined =>
    rows.find((row) => row.name === log && row.pattern === pattern)
  return reportOf(
    [
      ...(['execution', 'wait'] as const).flatMap((figure) => [hoursOf(figure, rows), savedOf(figure, rows)]),
      savedOf('turnaround', rows),
    ],
    paper.logs.flatMap(({ name }) => {
      const [rhvd, rd] = patterns.map((pattern) => own(name, pattern))
      return [
        ...(['execution', 'wait'] as const).map((figure) =>
          compare(
            'Table 3',
            `hours of ${figure === 'wait' ? 'waiting' : figure}, ${name}, Default`,
            'hours',
            paper.table3[name].RHVD[figure].Default,
            rhvd?.draws.value(figure, 'Default'),
          ),
        ),
        ...inTable3(name, 'RHVD', rhvd?.draws),
        ...inTable3(name, 'RD', rd?.draws),
        ...inText(name, rhvd, rd),
      ]
    }),
  )
})

/** Returns a log's machines by name. Intrepid and Mira also run on the part of Cori with a single kind of nodes. */
function machinesOf({ name, topology }: paper.Log): ReadonlyArray<readonly [name: string, topology: string]> {
  return name === 'Theta'
    ? [[name, topology]]
    : [
        [name, topology],
        [`${name}, 27 leaves`, paper.machines.knl],
      ]
}

function hoursOf(figure: 'execution' | 'wait', rows: ReadonlyArray<Row>): Table {
  return {
    title: `Hours of ${figure}, mean of ${drawn}`,
    heading: ['log', 'pattern', ...paper.algorithms],
    rows: rows.map(({ name, pattern, draws }) => [
      name,
      pattern,
      ...paper.algorithms.map((algorithm) => draws.value(figure, algorithm).toFixed(0)),
    ]),
  }
}

function savedOf(figure: Figure, rows: ReadonlyArray<Row>): Table {
  return {
    title: `Saved of the ${figure}, mean of ${drawn}, least and most`,
    heading: ['log', 'pattern', ...paper.ours],
    rows: rows.map(({ name, pattern, draws }) => [name, pattern, ...draws.savedTexts(figure)]),
  }
}

function inTable3(log: paper.Log['name'], pattern: TablePattern, draws: Draws | undefined): ReadonlyArray<Comparison> {
  const stated = paper.table3[log][pattern]
  const execution = (algorithm: paper.Algorithm): number | undefined => draws?.value('execution', algorithm)
  return [
    ...(['execution', 'wait'] as const).flatMap((figure) =>
      paper.ours.map((algorithm) =>
        compare(
          'Table 3',
          `${figure} saved by ${algorithm.toLowerCase()}, ${log}, ${pattern}`,
          'share',
          1 - stated[figure][algorithm] / stated[figure].Default,
          draws && mean(draws.saved(figure, algorithm)),
        ),
      ),
    ),
    state(
      '6.1',
      `balanced and adaptive take less time than default and greedy: ${log}, ${pattern}`,
      draws &&
        Math.max(execution('Balanced')!, execution('Adaptive')!) <
          Math.min(execution('Default')!, execution('Greedy')!),
    ),
  ]
}

/** Compares a log's continuous runs with statements of the Mishra paper in sections 6.1, 6.3, 6.5 and 7. */
function inText(log: paper.Log['name'], rhvd: Row | undefined, rd: Row | undefined): ReadonlyArray<Comparison> {
  const rows = rhvd === undefined || rd === undefined ? undefined : [rhvd, rd]
  const both = rows?.map(({ draws }) => draws)
  const saved = (figure: Figure, algorithms: ReadonlyArray<paper.Algorithm> = paper.ours): number | undefined =>
    both && mean(both.map((draws) => meanOver(algorithms, draws, figure)))
  const ofMira = log === 'Mira' ? (['Balanced', 'Adaptive'] as const) : paper.ours
  return [
    state(
      '6.1',
      `halving with doubling saves more than RD under balanced: ${log}`,
      both && mean(both[0].saved('execution', 'Balanced')) > mean(both[1].saved('execution', 'Balanced')),
    ),
    compare('6.1', `wait saved, mean of all: ${log}`, 'share', paper.meanSaved[log].wait, saved('wait')),
    compare(
      '7',
      `execution saved, mean of ${ofMira.length === 2 ? 'balanced and adaptive' : 'all'}: ${log}`,
      'share',
      paper.meanSaved[log].execution,
      saved('execution', ofMira),
    ),
    compare(
      '6.3',
      `most execution saved by a job: ${log}`,
      'share',
      paper.mostSaved[log].continuous,
      rows && most(rows.map((row) => mean(row.most))),
    ),
    ...(log === 'Intrepid'
      ? []
      : [
          compare(
            '6.5',
            `turnaround saved, mean of all: ${log}`,
            'share',
            paper.turnaroundSaved[log],
            saved('turnaround'),
          ),
          compare(
            '6.5',
            `throughput gained at most: ${log}`,
            'share',
            { low: 0, high: paper.throughput[log] },
            both &&
              most(
                both.flatMap((draws) =>
                  paper.ours.map((algorithm) =>
                    mean(draws.saved('makespan', algorithm).map((share) => 1 / (1 - share) - 1)),
                  ),
                ),
              ),
          ),
        ]),
  ]
}

export const fig6: Experiment = Effect.gen(function* () {
  const found = yield* Effect.forEach(
    yield* locateAll(paper.logs),
    Effect.fnUntraced(function* ({ located, ...log }) {
      const sets = yield* Effect.forEach(paper.sets, (mix) =>
        drawsOf({ located, reading: { ...paper.readingOf(log), share: mix.share }, mix }),
      )
      return { name: log.name, sets: sets.every((draws) => draws !== undefined) ? sets : undefined }
    }),
  )
  return reportOf(
    found.map(({ name, sets }) => ({
      title: `${name}: execution saved, mean of ${drawn}, least and most`,
      heading: ['set', ...paper.ours],
      rows: sets === undefined ? [] : paper.sets.map((set, at) => [set.name, ...sets[at].savedTexts('execution')]),
    })),
    paper.logs.flatMap(({ name }) => inSection62(name, found.find((log) => log.name === name)?.sets)),
  )
})

function inSection62(log: paper.Log['name'], sets: ReadonlyArray<Draws> | undefined): ReadonlyArray<Comparison> {
  const found = sets?.map((draws) => {
    const saved = paper.ours.map((algorithm) => mean(draws.saved('execution', algorithm)))
    return log === 'Theta' ? mean(saved) : most(saved)
  })
  const [a, b, c, d, e] = found ?? []
  return [
    ...paper.sets.map(({ name }, at) =>
      compare(
        '6.2',
        `execution saved, ${log === 'Theta' ? 'mean of the three' : 'the best of the three'}, ${log}, set ${name}`,
        'share',
        paper.improvements[log][at],
        found?.[at],
      ),
    ),
    state(
      '6.2',
      `more is saved the more jobs communicate, A < B < C and D < E: ${log}`,
      found && a < b && b < c && d < e,
    ),
    state(
      '6.2',
      `halving with doubling saves more than RD and binomial, B > D and C > E: ${log}`,
      found && b > d && c > e,
    ),
  ]
}

export const fig9: Experiment = Effect.gen(function* () {
  const logs = yield* locateAll(paper.logs.filter(({ name }) => name === 'Intrepid'))
  const runs = logs.flatMap(({ located, ...log }) =>
    paper.shares.map((percent) =>
      Effect.map(
        drawsOf({ located, reading: paper.readingOf(log), mix: paper.alone('RHVD'), communicating: percent }),
        (draws) => (draws === undefined ? [] : [{ percent, draws }]),
      ),
    ),
  )
  const found = (yield* Effect.all(runs)).flat()
  const table = (title: string, figure: Figure): Table => ({
    title: `${title}, mean of ${drawn}, least and most`,
    heading: ['jobs that communicate', ...paper.ours],
    rows: found.map(({ percent, draws }) => [`${percent} %`, ...draws.savedTexts(figure)]),
  })
  return reportOf(
    [table('Turnaround saved', 'turnaround'), table('Node-hours saved', 'nodeHours')],
    ([30, 90] as const).flatMap((percent) =>
      (['turnaround', 'nodeHours'] as const).map((figure) => {
        const draws = found.find((each) => each.percent === percent)?.draws
        return compare(
          '6.5',
          `${figure === 'turnaround' ? 'turnaround' : 'node-hours'} saved by adaptive, ${percent} % communicate`,
          'share',
          paper.adaptiveSaves[percent][figure],
          draws && mean(draws.saved(figure, 'Adaptive')),
        )
      }),
    ),
  )
})
