import { Effect } from 'effect'
import { named, type Outcomes, plan, runOn, withoutFirst } from '../experiment/planned-runs.ts'
import type { Experiment } from '../experiment/reproduction.ts'
import { locateAll, Runs, Traces } from '../experiment/services.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { count, least, most, orDash, percent, sum } from '../report/numbers.ts'
import { crossTable, reportOf } from '../report/report.ts'
import * as paper from './paper.ts'

export const table1: Experiment = Effect.gen(function* () {
  const traces = yield* Traces
  const measured = new Map<string, Characteristics>()
  const all = [...paper.traces, ...paper.benchTraces]
  for (const { name, located } of yield* locateAll(all)) {
    const jobs = yield* traces.jobs({ trace: located.trace, filter: located.filter })
    const [sizes, times] = [jobs.map(({ size }) => size), jobs.map(({ runTime }) => runTime / 1000)]
    measured.set(name, {
      jobs: jobs.length,
      smallest: least(sizes),
      largest: most(sizes),
      shortest: least(times),
      longest: most(times),
    })
  }
  const rows = [...measured].map(([name, { jobs, largest, shortest, longest }]) => [
    name,
    count(jobs),
    count(largest),
    `${count(shortest)} to ${count(longest)} s`,
  ])
  return reportOf(
    [{ title: 'Traces', heading: ['trace', 'jobs', 'largest', 'run times'], rows }],
    all.flatMap((trace) => ofTrace(trace, measured.get(trace.name))),
  )
})

interface Characteristics {
  readonly jobs: number
  readonly smallest: number
  readonly largest: number
  readonly shortest: number
  readonly longest: number
}

function ofTrace({ name, table1 }: paper.Trace, found: Characteristics | undefined): ReadonlyArray<Comparison> {
  return [
    compare('Table 1', `jobs, ${name}`, 'count', table1.jobs, found?.jobs),
    compare('Table 1', `nodes of the largest job, ${name}`, 'count', table1.largest, found?.largest),
    compare('Table 1', `shortest run time in s, ${name}`, 'count', table1.shortest, found?.shortest),
    compare('Table 1', `longest run time in s, ${name}`, 'count', table1.longest, found?.longest),
    state('Table 1', `there are jobs of a single node: ${name}`, found && found.smallest === 1),
  ]
}

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
  ['Jigsaw bench', 'Jigsaw'],
  ['LaaS bench', 'LaaS'],
]

/**
 * Runs without the first jobs of the log show how much the samples depend on small changes: another start time of one
 * job changes the placements of all later jobs.
 */
const fewer = [1, 2, 3, 4]
const withFewer = ['Jigsaw', 'Jigsaw bench', 'LaaS', 'LaaS bench', 'TA, fewest free first']

export const table2: Experiment = Effect.gen(function* () {
  const compared = named([...paper.schemes, ...paper.readings, ...paper.bench], ...rowOfPaper.map(([scheme]) => scheme))
  const { outcomes } = yield* runOn(named(paper.traces, 'Thunder'), (thunder) => [
    ...queues.flatMap(({ name, queue }) => compared.map((scheme) => plan({ ...thunder, name }, queue, scheme))),
    ...fewer.flatMap((jobs) =>
      named(compared, ...withFewer).map((scheme) =>
        withoutFirst(plan({ ...thunder, name: `FCFS without ${jobs}` }, 'fcfs', scheme), jobs),
      ),
    ),
  ])
  const rows = Object.entries(paper.table2).flatMap(([row, counts]) => [
    ...textRow(`${row}, paper`, counts),
    ...rowOfPaper
      .filter(([, its]) => its === row)
      .flatMap(([scheme]) =>
        queues.flatMap(({ name }) => textRow(`${scheme}, ${name}`, samples(outcomes, name, scheme))),
      ),
  ])
  return reportOf(
    [
      { title: 'Samples by whole percents, cut off', heading: ['', ...binNames], rows },
      {
        title: `Least and most samples under FCFS: the whole log, and the log without its first ${fewer.join(', ')} jobs`,
        heading: ['', ...binNames],
        rows: withFewer.flatMap((scheme) => spreadRow(outcomes, scheme)),
      },
    ],
    ofSamples(outcomes, 'FCFS'),
  )
})

/** Returns the numbers of samples of a run by the bins of Table 2; undefined without the run. */
export function samples(outcomes: Outcomes, queue: string, scheme: string): ReadonlyArray<number> | undefined {
  const percents = outcomes.get(queue, scheme)?.instantaneousPercents
  if (percents === undefined) return undefined
  return paper.table2Bins.map((from, bin) =>
    sum(percents.slice(from, bin === 0 ? undefined : paper.table2Bins[bin - 1])),
  )
}

function spreadRow(outcomes: Outcomes, scheme: string): ReadonlyArray<ReadonlyArray<string>> {
  const runs = ['FCFS', ...fewer.map((jobs) => `FCFS without ${jobs}`)].flatMap((run) => {
    const counts = samples(outcomes, run, scheme)
    return counts === undefined ? [] : [shares(counts)]
  })
  const range = (bin: number): string => {
    const found = runs.map((run) => run[bin])
    return `${percent(least(found)).replace(' %', '')} to ${percent(most(found))}`
  }
  return runs.length === 0 ? [] : [[scheme, ...binNames.map((_, bin) => range(bin))]]
}

/** Returns each number as a share of the sum of the numbers. */
export function shares(counts: ReadonlyArray<number>): ReadonlyArray<number> {
  return counts.map((each) => each / sum(counts))
}

function textRow(name: string, counts: ReadonlyArray<number> | undefined): ReadonlyArray<ReadonlyArray<string>> {
  return counts === undefined
    ? []
    : [[name, ...shares(counts).map((share, bin) => `${percent(share)} (${count(counts[bin])})`)]]
}

function ofSamples(outcomes: Outcomes, queue: string): ReadonlyArray<Comparison> {
  return rowOfPaper.flatMap(([scheme, row]) => {
    const [theirs, found] = [shares(paper.table2[row]), samples(outcomes, queue, scheme)]
    const ours = found && shares(found)
    const where = `${scheme}, ${queue}`
    return [
      ...binNames.map((name, bin) =>
        compare('Table 2', `samples at ${name}: ${where}`, 'share', theirs[bin], ours?.[bin]),
      ),
      compare('6.1', `samples under 80 %: ${where}`, 'share', theirs[4] + theirs[5], ours && ours[4] + ours[5]),
      compare('Table 2', `samples in all: ${where}`, 'count', sum(paper.table2[row]), found && sum(found)),
    ]
  })
}

export const table3: Experiment = Effect.gen(function* () {
  const { time } = yield* Runs
  const seconds = new Map<string, number>()
  const traces = paper.table3Traces.map((name) => paper.traces.find((each) => each.name === name)!)
  for (const trace of yield* locateAll(traces))
    for (const scheme of paper.schemes)
      seconds.set(`${trace.name} ${scheme.name}`, yield* time(plan(trace, paper.queue, scheme).spec))
  const schemes = paper.schemes.map(({ name }) => name)
  return reportOf(
    [
      crossTable('Time in the scheduler per job', '', schemes, paper.table3Traces, (scheme, trace) =>
        orDash(seconds.get(`${trace} ${scheme}`), (each) => `${(each * 1e6).toFixed(1)} µs`),
      ),
    ],
    Object.entries(paper.table3).flatMap(([scheme, values]) =>
      paper.table3Traces.map((trace, index) =>
        compare(
          'Table 3',
          `scheduling a job under ${scheme}, ${trace}`,
          'seconds',
          values[index],
          seconds.get(`${trace} ${scheme}`),
        ),
      ),
    ),
  )
})
