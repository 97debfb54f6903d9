import { bytes, count, decimal } from '../terminal/quantities.ts'
import { paragraphs, table } from '../terminal/table.ts'
import { type BenchGroupName, benchGroupNames } from './cases.ts'
import type { BenchFigures, BenchReport, TimeRatio } from '../results/bench.ts'

/** Returns the tables of all groups. @param other path of `--compare`: the tables then have ratios instead of times */
export function describeReport({ node, processor, runs, results }: BenchReport, other: string | undefined): string {
  const ofGroup = (name: BenchGroupName): ReadonlyArray<BenchFigures> => results.filter(({ group }) => group === name)
  const tables = benchGroupNames
    .filter((name) => ofGroup(name).length > 0)
    .map((name) => {
      const figures = ofGroup(name)
      const hasGrowth = name === 'growth' && figures.every(({ warm }) => warm !== undefined)
      const tableOf = other !== undefined ? ratiosTable : hasGrowth ? growthTable : figuresTable
      return `${name}\n${tableOf(figures)}`
    })
  return paragraphs([
    ...tables,
    `${meaning(runs, other)} Without other options: EASY(50), exact estimates, all jobs at time 0; Node ${node}, ${processor}.`,
  ])
}

function meaning(runs: number, other: string | undefined): string {
  if (other === undefined) return `Each figure is the median of ${runs} processes.`
  const interval = runs < 6 ? 'the least and the largest ratio' : 'the 95 % confidence interval of the median'
  return `Cold times of this program divided by cold times of ${other}: median of ${runs} pairs, and ${interval}.`
}

/** Returns the first columns of a table: the case of each row. */
function casesOf(results: ReadonlyArray<BenchFigures>): ReadonlyArray<readonly [string, ReadonlyArray<string>]> {
  const column = (name: 'trace' | 'topology' | 'policy' | 'options') =>
    [name, results.map((each) => each[name])] as const
  const named = [column('trace'), column('topology'), column('policy')]
  return results.some(({ options }) => options !== '') ? [...named, column('options')] : named
}

function tableWith(
  results: ReadonlyArray<BenchFigures>,
  heading: ReadonlyArray<string>,
  cells: (each: BenchFigures) => ReadonlyArray<string>,
): string {
  const cases = casesOf(results)
  const rows = results.map((each, row) => [...cases.map(([, column]) => column[row]), ...cells(each)])
  return table([...cases.map(([name]) => name), ...heading], rows)
}

const micros = (value: number): string => `${decimal(value, 1)} µs`

const figuresHeading = [
  'jobs',
  'cold',
  'with log',
  'warm',
  'with log',
  'process',
  'with log',
  'metrics',
  'audit',
  'seek',
  'memory',
]

function figuresTable(results: ReadonlyArray<BenchFigures>): string {
  return tableWith(results, figuresHeading, ({ cold: { withoutLog, withLog }, warm, reading }) => [
    count(withLog.jobs),
    micros(withoutLog.microsecondsPerJob),
    micros(withLog.microsecondsPerJob),
    warm === undefined ? 'none' : micros(warm.withoutLog),
    warm === undefined ? 'none' : micros(warm.withLog),
    ...[withoutLog.processSeconds, withLog.processSeconds, reading.metrics, reading.audit, reading.seek].map(
      (seconds) => `${decimal(seconds, 2)} s`,
    ),
    bytes(Math.max(withoutLog.peakMemoryBytes, withLog.peakMemoryBytes)),
  ])
}

/** Returns the times of simulations with a log, per job and per node of a job, and the factors between the machines. */
function growthTable(results: ReadonlyArray<BenchFigures>): string {
  const timesOf = ({ cold, warm }: BenchFigures): readonly [cold: number, warm: number] => [
    cold.withLog.microsecondsPerJob,
    warm!.withLog,
  ]
  const factor = (of: 0 | 1): string => {
    const perNode = results.map((each) => timesOf(each)[of] / each.nodesPerJob)
    return decimal(Math.max(...perNode) / Math.min(...perNode), 2)
  }
  const times = tableWith(results, ['jobs', 'nodes a job', 'cold', 'a node', 'warm', 'a node'], (each) => [
    count(each.cold.withLog.jobs),
    decimal(each.nodesPerJob, 1),
    ...timesOf(each).flatMap((time) => [micros(time), `${decimal(time / each.nodesPerJob, 2)} µs`]),
  ])
  return `${times}\nAll times are with log. The largest time a node is ${factor(0)} times the smallest (cold), and ${factor(1)} times the smallest (warm).`
}

function ratiosTable(results: ReadonlyArray<BenchFigures>): string {
  return tableWith(results, ['cold', 'with log', 'metrics', 'audit', 'seek'], ({ ratios }) =>
    [ratios!.withoutLog, ratios!.withLog, ratios!.metrics, ratios!.audit, ratios!.seek].map(describeRatio),
  )
}

function describeRatio({ median, from, to }: TimeRatio): string {
  return `${decimal(median, 2)} (${decimal(from, 2)} to ${decimal(to, 2)})`
}
