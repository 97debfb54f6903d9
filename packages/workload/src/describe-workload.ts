import type { Workload } from './workload.ts'

/** `jobs` values lie in [from, to); the bounds are powers of two, and 0 where there are values below 1. */
export interface HistogramBin {
  readonly from: number
  readonly to: number
  readonly jobs: number
}

/** The distribution of a quantity over jobs. */
export interface Distribution {
  readonly min: number
  /** The lower of the two in the middle, where there are two. */
  readonly median: number
  readonly mean: number
  readonly max: number
  readonly histogram: ReadonlyArray<HistogramBin>
}

/** What `trace info` prints. Times are seconds, sizes nodes. */
export interface WorkloadDescription {
  readonly name: string
  readonly filter: string
  readonly sha256: string
  readonly jobs: number
  /** From the first submit to the last. */
  readonly span: number
  /** Sizes, run times and estimates are undefined where there is no job to have one. */
  readonly size: Distribution | undefined
  readonly runTime: Distribution | undefined
  readonly walltime: Distribution | undefined
  readonly estimates: {
    readonly known: number
    /** Jobs that run longer than their estimate. */
    readonly overrun: number
  }
  /** Sum over all jobs of size times run time. */
  readonly nodeHours: number
  /** Undefined where all jobs arrive at one instant. */
  readonly load: Load | undefined
}

/** The work that is submitted, in node-hours. */
export interface Load {
  /** Node-hours of the jobs submitted in each hour of the span. */
  readonly perHour: ReadonlyArray<number>
  /** Node-hours submitted per hour: the number of nodes that the jobs keep busy on average. */
  readonly mean: number
  readonly max: number
  /** `mean` as a share of the nodes of the machine, where these were given. */
  readonly share: number | undefined
}

const secondMs = 1000
const hourMs = 3_600_000

/** Describes a workload; `nodes` is the size of the machine that the load is compared with. */
export function describeWorkload(workload: Workload, options: { readonly nodes?: number } = {}): WorkloadDescription {
  const { jobs } = workload
  const known = jobs.filter((job) => job.walltime !== undefined)
  const nodeHours = jobs.map((job) => (job.size * job.runTime) / hourMs)
  const spanMs = jobs.length === 0 ? 0 : jobs[jobs.length - 1].submit - jobs[0].submit
  const total = sum(nodeHours)
  return {
    name: workload.name,
    filter: workload.filter,
    sha256: workload.sha256,
    jobs: jobs.length,
    span: spanMs / secondMs,
    size: distribution(jobs.map((job) => job.size)),
    runTime: distribution(jobs.map((job) => job.runTime / secondMs)),
    walltime: distribution(known.map((job) => job.walltime! / secondMs)),
    estimates: { known: known.length, overrun: known.filter((job) => job.runTime > job.walltime!).length },
    nodeHours: total,
    load: spanMs === 0 ? undefined : load(workload, nodeHours, spanMs, total, options.nodes),
  }
}

function distribution(values: ReadonlyArray<number>): Distribution | undefined {
  if (values.length === 0) return undefined
  const sorted = Float64Array.from(values).toSorted()
  return {
    min: sorted[0],
    median: sorted[(sorted.length - 1) >> 1],
    mean: sum(sorted) / sorted.length,
    max: sorted[sorted.length - 1],
    histogram: histogram(sorted),
  }
}

/** Bins of the ascending values, from the first that holds one to the last that does. */
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
  nodeHours: ReadonlyArray<number>,
  spanMs: number,
  total: number,
  nodes: number | undefined,
): Load {
  const { jobs } = workload
  const perHour = Array.from({ length: Math.floor(spanMs / hourMs) + 1 }, () => 0)
  for (const [index, job] of jobs.entries())
    perHour[Math.floor((job.submit - jobs[0].submit) / hourMs)] += nodeHours[index]
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
