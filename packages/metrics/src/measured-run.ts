import type { Header, RunTable } from '@cloister/eventlog'
import { historyFit, type HistoryFit } from './history-fit.ts'
import { contentionSlowdowns, hasEnded, hasStarted, type Wait, waitsOf } from './job-figures.ts'
import type { NodeTime, NodeUsage } from './node-usage.ts'
import type { JobPlacements, PlacementFigures } from './placements.ts'

/** Totals over all records so far. Times are integer ms. */
export interface RunTotals {
  readonly header: Header
  readonly jobs: RunTable
  readonly nodes: NodeUsage
  readonly placements: JobPlacements
  /** Number of allocate records in the span of the figures. A requeued job starts several times. */
  readonly starts: number
  /** Span of the figures: the window, or from first arrival to last end of a job; undefined before the span exists. */
  readonly span: { readonly from: number; readonly to: NodeTime } | undefined
  /** True if the figures cover a window. Makespan and steady state exist only for a whole run. */
  readonly isWindow: boolean
  /** Node-time at the begin of the steady state: the end of the first instant after which a job still waits. */
  readonly steadyFrom: NodeTime | undefined
  /** Node-time at the last start. */
  readonly lastStart: NodeTime | undefined
}

/** Node-time by use. The members of NodeTimeByUse sum to all node-time. */
export interface NodeTimeByUse {
  /** Node-time that running jobs requested. */
  readonly busy: number
  /** Node-time of allocations beyond the requests. */
  readonly beyondRequest: number
  /** Node-time of nodes that are down and not allocated. */
  readonly down: number
  /** Idle node-time while no job waits. */
  readonly noJob: number
  /** Idle node-time while each waiting job requests more nodes than are idle. */
  readonly tooFewNodes: number
  /** Idle node-time while some waiting job requests no more nodes than are idle. */
  readonly fragmented: number
}

/** Inputs of all metrics: the totals, and values that several metrics derive from the totals. */
export interface MeasuredRun extends RunTotals {
  /** Jobs that started at least once. */
  readonly started: Int32Array
  /** Jobs that finished or were killed for good. */
  readonly ended: Int32Array
  /** Run time divided by run time at full rate of each ended job; undefined unless the header requires `progress`. */
  readonly contention: ReadonlyArray<number> | undefined
  /** Comparison with the recorded history; undefined if no started job has a recorded wait. */
  readonly history: HistoryFit | undefined
  /** Waits of the jobs that started. */
  readonly waits: Wait
  /** Placements of the jobs that started. */
  readonly placement: PlacementFigures
  /** Length of `span`; 0 if `span` is undefined. */
  readonly length: number
  /** Time from the first arrival to the last end of a job; undefined if no job ended, and for a window. */
  readonly makespan: number | undefined
  /** Node-time of the steady state, with its length in `t`; undefined for a window or a steady state of length 0. */
  readonly steady: NodeTime | undefined
}

export function measuredRun(totals: RunTotals): MeasuredRun {
  const { jobs } = totals
  const started = jobs.rows((job) => hasStarted(jobs, job))
  const ended = jobs.rows((job) => hasEnded(jobs, job))
  const length = totals.span === undefined ? 0 : totals.span.to.t - totals.span.from
  return {
    ...totals,
    started,
    ended,
    contention: totals.header.requires?.includes('progress') === true ? contentionSlowdowns(jobs, ended) : undefined,
    history: historyOf(jobs, started),
    waits: waitsOf(jobs, started),
    placement: totals.placements.figures(started, jobs.of.size),
    length,
    makespan: totals.span === undefined || totals.isWindow ? undefined : length,
    steady: totals.isWindow ? undefined : steadyState(totals),
  }
}

function historyOf({ of, recordedWaits }: RunTable, started: Int32Array): HistoryFit | undefined {
  if (recordedWaits.size === 0) return undefined
  const recorded = Float64Array.from(started, (job) => (recordedWaits.get(job) ?? Number.NaN) / 1000)
  const simulated = Float64Array.from(started, (job) => of.waited[job] / 1000)
  return historyFit(recorded, simulated)
}

/** Returns the share of a use of nodes, such as `busy`, in the steady state's node-time; null without steady state. */
export function shareOfSteady({ nodes, steady }: MeasuredRun, part: Exclude<keyof NodeTime, 't'>): number | null {
  return steady === undefined ? null : steady[part] / (nodes.nodes * steady.t)
}

/** Returns the node-milliseconds of the run or the window divided by use; null if the span has no length. */
export function nodeTimeByUse({ nodes, span, length }: MeasuredRun): NodeTimeByUse | null {
  if (span === undefined || length === 0) return null
  const { busy, internal, down, noJob, tooFew } = span.to
  const fragmented = nodes.nodes * length - busy - internal - down - noJob - tooFew
  return { busy, beyondRequest: internal, down, noJob, tooFewNodes: tooFew, fragmented }
}

/** Returns busy node-time divided by all node-time of the run or the window; null if the span has no length. */
export function busyShare({ nodes, span, length }: MeasuredRun): number | null {
  return span === undefined || length === 0 ? null : span.to.busy / (nodes.nodes * length)
}

function steadyState({ steadyFrom: from, lastStart: to }: RunTotals): NodeTime | undefined {
  if (from === undefined || to === undefined || to.t <= from.t) return undefined
  return {
    t: to.t - from.t,
    busy: to.busy - from.busy,
    internal: to.internal - from.internal,
    external: to.external - from.external,
    placement: to.placement - from.placement,
    down: to.down - from.down,
    noJob: to.noJob - from.noJob,
    tooFew: to.tooFew - from.tooFew,
    moving: to.moving - from.moving,
  }
}
