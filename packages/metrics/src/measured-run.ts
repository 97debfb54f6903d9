import type { Header } from '@cloister/eventlog'
import type { JobTable } from './job-table.ts'
import { contentionSlowdowns, type Wait, waitsOf } from './job-times.ts'
import type { NodeTime, NodeUsage } from './node-usage.ts'

/** What the records of a run add up to, as far as they are read. Times are integer ms. */
export interface RunTotals {
  readonly header: Header
  readonly jobs: JobTable
  readonly nodes: NodeUsage
  /** Allocate records: a job that was requeued starts several times. */
  readonly starts: number
  /**
   * Times of the figures: first arrival to last end of a run, or a window; undefined if nothing has ended, or the window has
   * not begun.
   */
  readonly span: { readonly from: number; readonly to: NodeTime } | undefined
  /** True if the figures are of a window: it has no makespan, and no steady state, which take a whole run. */
  readonly isWindow: boolean
  /** At the end of the first instant after which a job still waits. */
  readonly steadyFrom: NodeTime | undefined
  readonly lastStart: NodeTime | undefined
}

/** Node-time by what became of it. The parts add up to all of it. */
export interface LostTime {
  /** Requested by running jobs. */
  readonly busy: number
  /** Allocated to jobs beyond their request. */
  readonly beyondRequest: number
  /** Down, and held by no job. */
  readonly down: number
  /** Idle while no job waits. */
  readonly noJob: number
  /** Idle while each waiting job asks for more nodes than are idle. */
  readonly tooFewNodes: number
  /** Idle though some waiting job asks for no more nodes than are idle: the placement, a reservation, the queue's order or its window keeps it out. */
  readonly unplaced: number
}

/** Everything that metrics are computed from: the totals, and what several metrics derive from them. */
export interface MeasuredRun extends RunTotals {
  /** Jobs that started at least once. */
  readonly started: Int32Array
  /** Jobs that finished or were killed for good. */
  readonly ended: Int32Array
  /** By how much each of the jobs that ended ran longer than by itself; undefined where rates do not change. */
  readonly contention: ReadonlyArray<number> | undefined
  /** Of the jobs that started. */
  readonly waits: Wait
  /** Length of `span`; 0 without one. */
  readonly length: number
  /** First arrival to last end; undefined where no job ended, and of a window. */
  readonly makespan: number | undefined
  /** Node-time of the steady state, `t` its length; undefined where it never began or has no length. */
  readonly steady: NodeTime | undefined
}

export function measuredRun(totals: RunTotals): MeasuredRun {
  const { jobs } = totals
  const started = jobs.started()
  const ended = jobs.ended()
  const length = totals.span === undefined ? 0 : totals.span.to.t - totals.span.from
  return {
    ...totals,
    started,
    ended,
    contention: totals.header.requires?.includes('progress') === true ? contentionSlowdowns(jobs, ended) : undefined,
    waits: waitsOf(jobs, started),
    length,
    makespan: totals.span === undefined || totals.isWindow ? undefined : length,
    steady: totals.isWindow ? undefined : steadyState(totals),
  }
}

/** A part of all node-time of the steady state; null where there is none. */
export function shareOfSteady({ nodes, steady }: MeasuredRun, part: Exclude<keyof NodeTime, 't'>): number | null {
  return steady === undefined ? null : steady[part] / (nodes.nodes * steady.t)
}

/** What became of all node-time of the run or the window, in node-milliseconds; null where there is none. */
export function lostTime({ nodes, span, length }: MeasuredRun): LostTime | null {
  if (span === undefined || length === 0) return null
  const { busy, internal, down, noJob, tooFew } = span.to
  const unplaced = nodes.nodes * length - busy - internal - down - noJob - tooFew
  return { busy, beyondRequest: internal, down, noJob, tooFewNodes: tooFew, unplaced }
}

/** Busy node-time over all node-time of the run or the window; null where there is none. */
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
  }
}
