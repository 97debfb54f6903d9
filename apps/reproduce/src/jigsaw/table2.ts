import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { type Outcomes, plan, runAll } from '../experiment/outcomes.ts'
import { Traces } from '../experiment/traces.ts'
import { type Comparison, compare } from '../report/comparison.ts'
import { count, percent } from '../report/quantities.ts'
import { sum } from '../report/statistics.ts'
import * as paper from './paper.ts'

const binNames = ['98 % and more', '95 to 97 %', '90 to 94 %', '80 to 89 %', '60 to 79 %', 'under 60 %']

/**
 * Queue disciplines of the runs for Table 2. The Jigsaw paper's Table 2 seems to come from first come, first served
 * (FCFS), its simulator's state before backfilling was added (section 5.3): every row has 79 samples fewer than two for
 * each job, and in our runs under Jigsaw 79 jobs run at the last start with FCFS, but 15 jobs with EASY.
 */
const queues = [
  { name: 'FCFS', queue: 'fcfs' },
  { name: 'EASY', queue: paper.queue },
] as const

/** For each scheme of our runs, the row of the Jigsaw paper's Table 2 beside which the scheme stands. */
const rowOfPaper: ReadonlyArray<readonly [scheme: string, row: string]> = [
  ['LaaS', 'LaaS'],
  ['Jigsaw', 'Jigsaw'],
  ['TA', 'TA'],
  ['TA 2017', 'TA'],
  ['Jigsaw, uplinks for all', 'Jigsaw'],
  ['LaaS, uplinks for all', 'LaaS'],
  ['TA 2017, whole pods', 'TA'],
  ['TA, fewest free first', 'TA'],
]

export const table2: Experiment = Effect.gen(function* () {
  const { locate } = yield* Traces
  const thunder = paper.traces.find(({ name }) => name === 'Thunder')!
  const located = yield* locate(thunder)
  const compared = [...paper.schemes, ...paper.readings].filter(({ name }) =>
    rowOfPaper.some(([scheme]) => scheme === name),
  )
  const outcomes = yield* runAll(
    located === undefined
      ? []
      : queues.flatMap((each) =>
          compared.map((scheme) => plan({ topology: thunder.topology, located, ...each }, scheme)),
        ),
  )
  const rows = Object.entries(paper.table2).flatMap(([row, counts]) => [
    ...textRow(`${row}, paper`, counts),
    ...rowOfPaper
      .filter(([, its]) => its === row)
      .flatMap(([scheme]) =>
        queues.flatMap(({ name }) => textRow(`${scheme}, ${name}`, samples(outcomes, name, scheme))),
      ),
  ])
  return {
    tables: [{ title: 'Samples by whole percents', heading: ['', ...binNames], rows }],
    comparisons: comparisons(outcomes, 'FCFS'),
    charts: [],
  }
})

function samples(outcomes: Outcomes, queue: string, scheme: string): ReadonlyArray<number> | undefined {
  const percents = outcomes.get(queue, scheme)?.instantaneousPercents
  if (percents === undefined) return undefined
  return paper.table2Bins.map((from, bin) =>
    sum(percents.slice(from, bin === 0 ? undefined : paper.table2Bins[bin - 1])),
  )
}

function shares(counts: ReadonlyArray<number>): ReadonlyArray<number> {
  return counts.map((each) => each / sum(counts))
}

function textRow(name: string, counts: ReadonlyArray<number> | undefined): ReadonlyArray<ReadonlyArray<string>> {
  return counts === undefined
    ? []
    : [[name, ...shares(counts).map((share, bin) => `${percent(share)} (${count(counts[bin])})`)]]
}

function comparisons(outcomes: Outcomes, queue: string): ReadonlyArray<Comparison> {
  return rowOfPaper.flatMap(([scheme, row]) => {
    const [theirs, found] = [shares(paper.table2[row]), samples(outcomes, queue, scheme)]
    const ours = found === undefined ? undefined : shares(found)
    const where = `${scheme}, ${queue}`
    return [
      ...binNames.map((name, bin) =>
        compare('Table 2', `samples at ${name}: ${where}`, 'share', theirs[bin], ours?.[bin]),
      ),
      compare(
        '6.1',
        `samples under 80 %: ${where}`,
        'share',
        theirs[4] + theirs[5],
        ours === undefined ? undefined : ours[4] + ours[5],
      ),
      compare(
        'Table 2',
        `samples in all: ${where}`,
        'count',
        sum(paper.table2[row]),
        found === undefined ? undefined : sum(found),
      ),
    ]
  })
}
