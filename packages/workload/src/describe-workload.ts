import { columnOf } from './jobs.ts'
import type { Workload } from './workload.ts'

/**
 * Bin of a histogram: `jobs` is the number of jobs with a value of at least `from` and below `to`. The bounds are
 * powers of two; the bin of values below 1 begins at 0.
 */
export interface HistogramBin {
  readonly from: number
  readonly to: number
  readonly jobs: number
}

/** Distribution of a quantity, such as the size, over the jobs of a workload. */
export interface Distribution {
  readonly min: number
  /** Middle value in order; for an even number of values, the lower of the two middle values. */
  readonly median: number
  readonly mean: number
  readonly max: number
  readonly histogram: ReadonlyArray<HistogramBin>
}

/** Summary of a workload, for the output of `cloister trace info`. Times are in seconds, sizes in nodes. */
export interface WorkloadDescription {
  readonly name: string
  readonly filter: string
  readonly sha256: string
  readonly jobs: number
  /** Time from the first submit to the last submit, in seconds; 0 for a workload without jobs. */
  readonly span: number
  /** Distributions of sizes, run times and walltimes over the jobs; undefined if no job has such a value. */
  readonly size: Distribution | undefined
  readonly runTime: Distribution | undefined
  readonly walltime: Distribution | undefined
  readonly estimates: {
    readonly known: number
    /** Number of jobs with a run time above the walltime. */
    readonly overrun: number
  }
  /** Sum of size times run time over all jobs, in node-hours. */
  readonly nodeHours: number
  /** Work that the jobs submit in each hour; undefined if all jobs arrive at one instant. */
  readonly load: Load | undefined
}

/** Work that the jobs of a workload submit, in node-hours (size times run time). */
export interface Load {
  /** Node-hours of the jobs that are submitted in each hour, from the first submit on. */
  readonly perHour: ReadonlyArray<number>
  /** Node-hours of all jobs per hour from first to last submit: the number of nodes that the jobs could keep busy. */
  readonly mean: number
  readonly max: number
  /** `mean` divided by the number of nodes of the machine; undefined if the caller gives no number of nodes. */
  readonly share: number | undefined
}

const secondMs = 1000
const hourMs = 3_600_000

/** Returns a summary of a workload. `nodes` is the number of nodes of the machine for `load.share`. */
export function describeWorkload(workload: Workload, options: { readonly nodes?: number } = {}): WorkloadDescription {
  const { jobs } = workload
  const known = columnOf(jobs, ({ walltime = Number.NaN }) => walltime / secondMs).filter((walltime) => walltime >= 0)
  const nodeHours = columnOf(jobs, (job) => (job.size * job.runTime) / hourMs)
  const spanMs = jobs.length === 0 ? 0 : jobs.at(jobs.length - 1)!.submit - jobs.at(0)!.submit
  const total = sum(nodeHours)
  return {
    name: workload.name,
    filter: workload.filter,
    sha256: workload.sha256,
    jobs: jobs.length,
    span: spanMs / secondMs,
    size: distribution(columnOf(jobs, (job) => job.size)),
    runTime: distribution(columnOf(jobs, (job) => job.runTime / secondMs)),
    walltime: distribution(known),
    estimates: {
      known: known.length,
      overrun: sum(columnOf(jobs, ({ runTime, walltime = runTime }) => (runTime > walltime ? 1 : 0))),
    },
    nodeHours: total,
    load: spanMs === 0 ? undefined : load(workload, nodeHours, spanMs, total, options.nodes),
  }
}

function distribution(values: Float64Array): Distribution | undefined {
  if (values.length === 0) return undefined
  const sorted = values.toSorted()
  return {
    min: sorted[0],
    median: sorted[(sorted.length - 1) >> 1],
    mean: sum(sorted) / sorted.length,
    max: sorted[sorted.length - 1],
    histogram: histogram(sorted),
  }
}

function histogram(sorted: ArrayLike<number>): Array<HistogramBin> {
  const bins: Array<HistogramBin> = []
  for (let from = 0, to = 1, counted = 0; counted < sorted.length; from = to, to *= 2) {
    const first = counted
    while (counted < sorted.length && sorted[counted] < to) counted++
    if (counted > 0) bins.push({ from, to, jobs: counted - first })
  }
  return bins
}

function load(
  workload: Workload,
  nodeHours: Float64Array,
  spanMs: number,
  total: number,
  nodes: number | undefined,
): Load {
  const { jobs } = workload
  const perHour = Array.from({ length: Math.floor(spanMs / hourMs) + 1 }, () => 0)
  const hours = columnOf(jobs, ({ submit }) => Math.floor((submit - jobs.at(0)!.submit) / hourMs))
  hours.forEach((hour, index) => (perHour[hour] += nodeHours[index]))
  const mean = (total * hourMs) / spanMs
  return {
    perHour,
    mean,
    max: perHour.reduce((a, b) => Math.max(a, b)),
    share: nodes === undefined ? undefined : mean / nodes,
  }
}

function sum(values: ArrayLike<number>): number {
  let total = 0
  for (let index = 0; index < values.length; index++) total += values[index]
  return total
}
