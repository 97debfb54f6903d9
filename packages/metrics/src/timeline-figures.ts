import type { ColumnArrays, ColumnKind } from '@cloister/eventlog'

/** Figures of a timeline after all records of an instant. The unit is nodes unless a comment names another unit. */
export const timelineFigures = [
  /** Nodes that running jobs requested. */
  'busy',
  /** Nodes in allocations beyond the requests: internal fragmentation. */
  'internal',
  /** Nodes that are neither allocated nor down: `noJob` + `tooFewNodes` + `fragmented`. */
  'idle',
  /** Idle nodes if a job waits, else 0: external fragmentation. */
  'external',
  /** Idle nodes if no job waits, else 0. */
  'noJob',
  /** Idle nodes if jobs wait and each waiting job requests more nodes than are idle, else 0. */
  'tooFewNodes',
  /** Idle nodes if some waiting job requests no more nodes than are idle, else 0. */
  'fragmented',
  /** Nodes that are down, allocated or not. */
  'down',
  /** Number of leaves with all nodes idle. */
  'wholeLeaves',
  /** Number of pods with all nodes idle. */
  'wholePods',
  /** Number of waiting jobs. */
  'waiting',
  /** Requested nodes of running jobs with a rate below 1000 in their latest `progress` record. */
  'slowed',
  /** Number of leaf uplinks that jobs own; 0 if the policy's claim on links is not `owned`. */
  'leafLinks',
  /** Number of links above the leaf uplinks that jobs own; 0 if the policy's claim on links is not `owned`. */
  'upperLinks',
] as const

/** A figure of a timeline, such as `busy`. */
export type TimelineFigure = (typeof timelineFigures)[number]

/** Time-weighted means of every figure over equally long spans; NaN for a span outside of the log or its window. */
export type TimelineMeans = Readonly<Record<TimelineFigure, Float64Array>> & {
  /** Middle of each span, in seconds. */
  readonly t: Float64Array
}

/** Lowest and highest values of every figure in equally long spans; NaN for a span outside of the log or its window. */
export interface TimelineExtremes {
  /** Middle of each span, in seconds. */
  readonly t: Float64Array
  readonly low: Readonly<Record<TimelineFigure, Float64Array>>
  readonly high: Readonly<Record<TimelineFigure, Float64Array>>
}

/** Value of a figure, with the begin (`t`) and end (`until`) of the time at which the figure had it, in seconds. */
export interface TimelineMoment {
  readonly t: number
  readonly until: number
  readonly value: number
}

/** Values of some figures. A value lasts to the next instant, the last value to `until`; times are in seconds. */
export interface TimelineSteps<Figure extends TimelineFigure> {
  readonly t: Float64Array
  readonly until: number
  readonly values: Readonly<Record<Figure, Int32Array>>
}

/** Reason for idle nodes, from the log alone. The timeline's figure of the same name counts the idle nodes. */
export type IdleCause = 'noJob' | 'tooFewNodes' | 'fragmented'

/** Span of time with one reason for idle nodes: `noJob` also if no node is idle. Times are in seconds. */
export interface IdleTime {
  readonly t: number
  readonly until: number
  readonly cause: IdleCause
}

/** Types of the columns of a timeline: a row for each instant, with the begin `t` of the instant in seconds. */
export type Kinds = Readonly<Record<TimelineFigure, Int32ArrayConstructor>> & { readonly t: Float64ArrayConstructor }
export const kinds: Kinds = {
  ...(Object.fromEntries(timelineFigures.map((figure): [string, ColumnKind] => [figure, Int32Array])) as Kinds),
  t: Float64Array,
}

/** Plain data of a timeline, which programs write to a file and read again. */
export interface StoredTimeline {
  readonly instants: ColumnArrays<Kinds>
  readonly until: number
}
