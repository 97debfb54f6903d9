import { type Header, type LogRecord, LogState } from '@cloister/eventlog'
import type { Placer } from '@cloister/placement'
import { jobsIn, largestIn, type LargestFit } from './fitting.ts'
import { RecordedCluster } from './recorded-cluster.ts'

/** Idle nodes and the jobs that a policy would place on them, from `t` to the next step. */
export interface CapacityStep {
  /** Seconds. */
  readonly t: number
  readonly idle: number
  readonly largest: LargestFit
  /** For each asked size, the number of jobs placed one after the other. */
  readonly jobs: ReadonlyArray<number>
}

/** Options of CapacityOverTime. */
export interface CapacityOptions {
  /** Seconds between two steps. Default: a step after each instant with a change of nodes or links. */
  readonly every?: number | undefined
  /** Sizes of jobs to count in each step, in nodes. Default: none. */
  readonly sizes?: ReadonlyArray<number> | undefined
  /** First time of the steps, in seconds. Default: the start of the log, or of its part of a run. */
  readonly from?: number | undefined
  /** Last time of the steps, in seconds. Default: the end of the log, or of its part of a run. */
  readonly until?: number | undefined
}

/**
 * Largest job that a policy would place over the times of a log. Add all records of the log in order, then call `end`.
 * In the log of a part of a run, the steps cover the part by default.
 *
 * @example
 * const capacity = new CapacityOverTime(header, placer, { every: 3600 })
 * for (const record of records) capacity.add(record)
 * capacityMeans(capacity.end()).share // 0.8: on the mean, the largest job that fits has 80 % of the idle nodes
 */
export class CapacityOverTime<Index> {
  /** Refuses records that contradict earlier records, before `#cluster` takes them. */
  readonly #state: LogState
  readonly #cluster: RecordedCluster<Index>
  readonly #every: number | undefined
  readonly #sizes: ReadonlyArray<number>
  readonly #from: number
  readonly #until: number | undefined
  readonly #steps: Array<CapacityStep> = []
  /** Number of steps with `every` so far. */
  #asked = 0
  #t = 0
  /** Answer in the present state; undefined if nodes or links have changed since. */
  #known: Omit<CapacityStep, 't'> | undefined

  /** @throws RangeError if only one of the log's policy and the asked policy caps links */
  constructor(header: Header, placer: Placer<Index>, { every, sizes = [], ...range }: CapacityOptions = {}) {
    this.#state = new LogState(header)
    this.#cluster = new RecordedCluster(header, placer)
    this.#every = every
    this.#sizes = sizes
    this.#from = range.from ?? header.part?.from ?? 0
    this.#until = range.until ?? header.part?.until
  }

  /** Adds a record. @throws FoldError if the record contradicts earlier records; PolicyFaultError if the policy fails */
  add(record: LogRecord): void {
    if (record.type === 'header') return
    this.#askUntil(record.t)
    this.#state.apply(record)
    this.#cluster.apply(record)
    this.#t = record.t
    if (record.type === 'allocate' || record.type === 'release' || record.type === 'down' || record.type === 'up')
      this.#known = undefined
  }

  /** Returns all steps. The last step has the end of the log, or of its part. @throws PolicyFaultError */
  end(): ReadonlyArray<CapacityStep> {
    const end = Math.max(this.#from, this.#until ?? this.#t)
    this.#askUntil(end)
    if (this.#steps.at(-1)?.t !== end) this.#step(end)
    return this.#steps
  }

  /** Makes the steps before `t`: after all records of earlier instants. */
  #askUntil(t: number): void {
    const last = this.#until ?? Infinity
    if (this.#every === undefined) {
      const at = Math.max(this.#t, this.#from)
      if (t > this.#t && t > at && at <= last && this.#known === undefined) this.#step(at)
      return
    }
    for (let next = this.#nextOf(this.#every); next < t && next <= last; next = this.#nextOf(this.#every)) {
      this.#step(next)
      this.#asked++
    }
  }

  /** Returns the time of the next step, in whole milliseconds. */
  #nextOf(every: number): number {
    return Math.round(1000 * (this.#from + this.#asked * every)) / 1000
  }

  #step(t: number): void {
    const cluster = this.#cluster
    this.#known ??= {
      idle: cluster.state.freeNodes,
      largest: largestIn(cluster),
      jobs: this.#sizes.map((size) => jobsIn(cluster, size)),
    }
    this.#steps.push({ t, ...this.#known })
  }
}

/** Time-weighted means of steps. Each mean is null over no time. */
export interface CapacityMeans {
  /** Mean number of idle nodes. */
  readonly idle: number | null
  /** Mean number of nodes of the largest job that fits. */
  readonly largest: number | null
  /**
   * Mean share of the idle nodes that the largest fitting job takes, over the times with idle nodes: 1 if every job of at
   * most as many nodes as are idle would fit, near 0 if the idle nodes are fragmented.
   */
  readonly share: number | null
}

/** Returns the means of steps between two times, in seconds; by default between the first and the last step. */
export function capacityMeans(
  steps: ReadonlyArray<CapacityStep>,
  from: number = -Infinity,
  to: number = Infinity,
): CapacityMeans {
  let [time, idleTime, idle, largest, share] = [0, 0, 0, 0, 0]
  for (let at = 0; at + 1 < steps.length; at++) {
    const step = steps[at]
    const lasts = Math.min(to, steps[at + 1].t) - Math.max(from, step.t)
    if (lasts <= 0) continue
    time += lasts
    idle += lasts * step.idle
    largest += lasts * step.largest.nodes
    if (step.idle === 0) continue
    idleTime += lasts
    share += (lasts * step.largest.nodes) / step.idle
  }
  return {
    idle: time === 0 ? null : idle / time,
    largest: time === 0 ? null : largest / time,
    share: idleTime === 0 ? null : share / idleTime,
  }
}
