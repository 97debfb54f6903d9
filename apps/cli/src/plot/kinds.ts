import type { Figure } from '@cloister/figures'
import type { Effect } from 'effect'
import { figureOfResults } from './figure-of-results.ts'
import { figureOfJobs } from './figures-of-jobs.ts'
import { figureOfCapacity } from './figure-of-capacity.ts'
import {
  figureOfFabric,
  figureOfNodes,
  figureOfNodeTime,
  figureOfQueue,
  figureOfUtilization,
} from './figures-over-time.ts'
import type { KindOptions, PlotRequest } from './request.ts'

/** A figure, and the effect that remarks on incomplete logs after the picture is written. */
interface Drawing {
  readonly figure: Figure
  readonly conclude: Effect.Effect<void, unknown, unknown>
}

/** A kind of picture. */
interface Kind {
  /** Sentence of the help, without the name of the kind. */
  readonly about: string
  readonly input: 'logs' | 'one log' | 'results'
  /** Options that have an effect on the kind, of the options that only some kinds take. */
  readonly takes: ReadonlyArray<keyof KindOptions>
  readonly figure: (request: PlotRequest) => Effect.Effect<Drawing, unknown, unknown>
}

const ofTime = ['names', 'x-range', 'time', 'panels'] as const
const ofJobs = ['of', 'where', 'scale', 'names', 'y-range', 'panels', 'patterns'] as const

/** All kinds of pictures. The help of `plot`, the refusal of options without effect and tests follow from this table. */
export const kinds = {
  utilization: {
    about: 'busy nodes over time',
    input: 'logs',
    takes: [...ofTime, 'y-range', 'patterns'],
    figure: figureOfUtilization,
  },
  'node-time': {
    about: 'node-time by use, such as loss by cause; over time for one log or with --panels, else a bar for each log',
    input: 'logs',
    takes: [...ofTime, 'y-range', 'patterns'],
    figure: figureOfNodeTime,
  },
  'by-size': {
    about: 'a figure of jobs by size: median, quartiles and deciles',
    input: 'logs',
    takes: ofJobs,
    figure: (request) => figureOfJobs('by-size', request),
  },
  ecdf: {
    about: 'the distribution of a figure of jobs',
    input: 'logs',
    takes: [...ofJobs, 'x-range'],
    figure: (request) => figureOfJobs('ecdf', request),
  },
  queue: {
    about: 'waiting jobs and their requested nodes over time',
    input: 'logs',
    takes: [...ofTime, 'patterns'],
    figure: figureOfQueue,
  },
  capacity: {
    about: 'idle nodes and the largest job that fits over time, a panel for each log',
    input: 'logs',
    takes: ['names', 'x-range', 'y-range', 'time', 'policy'],
    figure: figureOfCapacity,
  },
  gantt: {
    about: 'jobs on nodes over time, a panel for each log',
    input: 'logs',
    takes: ['names', 'x-range', 'y-range', 'time'],
    figure: figureOfNodes,
  },
  fabric: {
    about: 'nodes and links at the moment --at, in the colours of the jobs that hold them',
    input: 'one log',
    takes: ['at'],
    figure: figureOfFabric,
  },
  compare: {
    about: 'a metric of the results of a sweep, with 95 % confidence intervals',
    input: 'results',
    takes: ['of', 'where', 'by', 'beside', 'marks', 'names', 'row-names', 'x-range', 'patterns'],
    figure: figureOfResults,
  },
} satisfies Readonly<Record<string, Kind>>

/** Name of a kind of picture. */
export type KindName = keyof typeof kinds

export const kindNames = Object.keys(kinds) as ReadonlyArray<KindName>

/** Returns the names of the kinds that take an option, as words: `by-size, ecdf and compare`. */
export function kindsThatTake(option: keyof KindOptions): string {
  const names = kindNames.filter((name) => (kinds[name].takes as ReadonlyArray<string>).includes(option))
  return names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`
}
