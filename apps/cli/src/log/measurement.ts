import { type Header, headerTopology, type LogRecord, RunTable } from '@cloister/eventlog'
import {
  type Grouping,
  type GroupMetrics,
  JobColumns,
  type JobNumber,
  type JobQuery,
  metricList,
  type Metrics,
  MetricsFold,
  type NamedMetric,
  type Quartiles,
  selectJobs,
  sortJobs,
} from '@cloister/metrics'
import { attempt } from '@cloister/run'
import { Effect } from 'effect'
import type { WorstJob } from '../results/metrics.ts'
import type { Assumptions } from '../results/runs.ts'
import { describeJobs, notPlacedLabels } from '../run/not-placed.ts'
import { remark, visibleOnOneLine } from '../terminal/output.ts'
import { count, decimal, durations, percent } from '../terminal/quantities.ts'
import { shareRemark } from '../topology/taper.ts'
import { table } from '../terminal/table.ts'
import { assumptionRows, assumptionsOf, warningOfOverruns } from './assumptions.ts'
import { named, readRecords, remarkOnPart } from './log-reading.ts'

/** Result of `cloister metrics` for one log. */
interface MeasuredLog {
  readonly result: Metrics
  readonly assumptions: Assumptions
  readonly groups: ReadonlyArray<GroupMetrics>
  /** The matching jobs with the highest values of a field, the highest first; empty without a field. */
  readonly worst: ReadonlyArray<WorstJob>
  /** Id of the started job with the longest wait; undefined if no job waited. */
  readonly longestWaiter: string | undefined
  /** First and last second of the part of a run in the log, or undefined for a log of a whole run. */
  readonly part: Header['part']
  /** Warning if the treatment of jobs that run beyond their walltimes decides the results, else undefined. */
  readonly warning: string | undefined
  /** Remark on a policy that claims share bandwidth, else undefined. */
  readonly bandwidth: string | undefined
  /** Number of jobs that use only a part of their nodes, and get whole nodes. */
  readonly smallerThanNode: number
}

/** Figures besides the metrics of the whole log. */
export interface MeasurementChoice {
  /** Label that groups the jobs. */
  readonly by?: Grouping | undefined
  /** Jobs of the groups and of `worst`. */
  readonly query?: JobQuery | undefined
  /** Field by which `worst` lists jobs. */
  readonly worst?: JobNumber | undefined
}

/** Number of jobs in `worst`. */
const LISTED = 10
/** Fields of the jobs in `worst`, besides the field by which they are listed. */
const shownFields: ReadonlyArray<JobNumber> = ['size', 'start', 'leaves', 'extraleaves', 'pods', 'hops', 'spread']

/** Measurement of a log. The caller adds every record of the log, in order. */
export class LogMeasurement {
  readonly #fold: MetricsFold
  readonly #choice: MeasurementChoice
  #assumptions: Assumptions | undefined
  #warning: string | undefined
  #bandwidth: string | undefined
  #part: Header['part']
  #smallerThanNode = 0

  constructor(choice: MeasurementChoice = {}) {
    const { by, query, worst } = choice
    this.#choice = choice
    this.#fold = new MetricsFold({ by, query, ...(worst && { table: new RunTable({ details: true }) }) })
  }

  /** Adds the next record of the log. @throws InvalidLogError if the record contradicts earlier records */
  add(record: LogRecord): void {
    if (record.type === 'header') this.#begin(record)
    else if (record.type === 'submit' && record.smaller_than_node === true) this.#smallerThanNode++
    this.#fold.add(record)
  }

  #begin(header: Header): void {
    const machine = headerTopology(header)
    this.#assumptions ??= assumptionsOf(header, machine)
    this.#warning = warningOfOverruns(header.overruns, header.options.overrun, machine.nodes)
    const { name, claims } = header.policy
    const scenario = claims.speedup_scenarios ? header.options.scenario : undefined
    if (claims.share_bandwidth !== undefined)
      this.#bandwidth = shareRemark(visibleOnOneLine(name), claims.share_bandwidth, scenario)
    this.#part = header.part
  }

  /** Returns the figures of all added records. @throws InvalidLogError if no header was added */
  result(): MeasuredLog {
    const result = this.#fold.result()
    return {
      result,
      // The header sets the assumptions; without a header `this.#fold.result()` throws.
      assumptions: this.#assumptions!,
      groups: this.#fold.groups(),
      worst: this.#worst(),
      longestWaiter: this.#longestWaiter(result.wait.max),
      part: this.#part,
      warning: this.#warning,
      bandwidth: this.#bandwidth,
      smallerThanNode: this.#smallerThanNode,
    }
  }

  #longestWaiter(wait: number | null): string | undefined {
    const { table } = this.#fold
    const waitedSo = (row: number): boolean =>
      table.of.waited[row] / 1000 === wait && ['running', 'finished', 'killed'].includes(table.stateOf(row))
    const [first] = wait === null || wait === 0 ? [] : table.rows(waitedSo)
    return first === undefined ? undefined : table.idOf(first)
  }

  #worst(): ReadonlyArray<WorstJob> {
    const { worst, query = [] } = this.#choice
    if (worst === undefined) return []
    const columns = new JobColumns(this.#fold.table)
    const rows = selectJobs(columns, query).filter((row) => !Number.isNaN(columns.number(worst, row)))
    return Array.from(sortJobs(columns, rows, worst, true).subarray(0, LISTED), (row) => {
      const values = [worst, ...shownFields].map((field) => [field, columns.number(field, row)] as const)
      return {
        job: columns.text('job', row),
        ...Object.fromEntries(values.map(([field, value]) => [field, Number.isNaN(value) ? null : value])),
      }
    })
  }
}

/** Measures the log in a file. Prints a remark on a log with only a part of a run. */
export const measure = Effect.fnUntraced(function* (path: string, choice: MeasurementChoice = {}) {
  const measurement = new LogMeasurement(choice)
  const outcome = yield* readRecords(path, (record) => measurement.add(record)).pipe(
    Effect.mapError((error) => named(path, error)),
  )
  const measured = yield* attempt(() => measurement.result())
  const ofPart = remarkOnPart(path, measured)
  if (ofPart !== undefined) yield* remark(ofPart)
  return { path, outcome, ...measured }
})

/** Returns a table of the jobs with the highest values of a field. @param title first heading */
export function worstTable(title: string, jobs: ReadonlyArray<WorstJob>): string {
  const fields = Object.keys(jobs[0] ?? { job: '' }).filter((name) => name !== 'job') as ReadonlyArray<JobNumber>
  const shown = (value: number | null | undefined): string =>
    value === null || value === undefined ? '-' : Number.isInteger(value) ? count(value) : decimal(value, 2)
  return table(
    [title, ...fields],
    jobs.map((job) => [job.job, ...fields.map((field) => shown(job[field]))]),
  )
}

/**
 * Returns four tables with a column for each run, headed by the name of the run's log. The first table has the jobs
 * without a placement, the assumptions, and all metrics that are single values or quartiles. The further tables have
 * waits by size, samples of utilization, and node-time by cause. All values of a row have the same unit.
 */
export function metricsTable(
  logs: ReadonlyArray<string>,
  runs: ReadonlyArray<Metrics & { readonly assumptions: Assumptions; readonly longestWaiter?: string | undefined }>,
): string {
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
        const cells = show(values)
        if (metric.name !== 'wait.max') return [[metric.label, ...cells]]
        const withJobs = runs.map(
          ({ longestWaiter: job }, at) => cells[at] + (job === undefined ? '' : ` (job ${job})`),
        )
        return [[metric.label, ...withJobs]]
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
  ratio: each((value: number) => decimal(value, value < 10 ? 2 : 1)),
  leaves: each((value: number) => decimal(value, Number.isInteger(value) ? 0 : 2)),
  quartiles: each(
    ({ q1, median, q3 }: Quartiles) => [q1, median, q3].map((share) => (share * 100).toFixed(1)).join(' / ') + ' %',
  ),
}

function each<Value>(show: (value: Value) => string): (values: ReadonlyArray<Value | null>) => ReadonlyArray<string> {
  return (values) => values.map((value) => (value === null ? '-' : show(value)))
}

/** Uses of nodes, and the labels of the uses in tables. */
export const nodeTimeUses = [
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
