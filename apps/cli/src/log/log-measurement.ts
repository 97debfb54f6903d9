import { type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { type GroupMetrics, type Grouping, type JobQuery, type Metrics, MetricsFold } from '@cloister/metrics'
import { warningOfOverruns } from '../run/prepare-run.ts'
import { type Assumptions, assumptionsOf } from './assumptions.ts'

/** Result of `cloister metrics` for one log. */
export interface MeasuredLog {
  readonly result: Metrics
  readonly assumptions: Assumptions
  readonly groups: ReadonlyArray<GroupMetrics>
  /** First and last second of the part of a run in the log, or undefined for a log of a whole run. */
  readonly part: Header['part']
  /** Warning if the treatment of jobs that run beyond their walltimes decides the results, else undefined. */
  readonly warning: string | undefined
  /** Number of jobs that use only a part of their nodes, and get whole nodes. */
  readonly smallerThanNode: number
}

/** Measurement of a log. The caller adds every record of the log, in order. */
export class LogMeasurement {
  readonly #fold: MetricsFold
  #assumptions: Assumptions | undefined
  #warning: string | undefined
  #part: Header['part']
  #smallerThanNode = 0

  constructor(by?: Grouping, query?: JobQuery) {
    this.#fold = new MetricsFold(by, query)
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
    this.#part = header.part
  }

  /** Returns the figures of all added records. @throws InvalidLogError if no header was added */
  result(): MeasuredLog {
    return {
      result: this.#fold.result(),
      // The header sets the assumptions; without a header `this.#fold.result()` throws.
      assumptions: this.#assumptions!,
      groups: this.#fold.groups(),
      part: this.#part,
      warning: this.#warning,
      smallerThanNode: this.#smallerThanNode,
    }
  }
}
