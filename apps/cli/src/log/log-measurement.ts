import { type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { type GroupMetrics, type Grouping, type JobQuery, type Metrics, MetricsFold } from '@cloister/metrics'
import { warningOfOverruns } from '../run/remarks.ts'
import { type Assumptions, assumptionsOf } from './assumptions.ts'

/** What `cloister metrics` finds in one log. */
export interface MeasuredLog {
  readonly result: Metrics
  readonly assumptions: Assumptions
  readonly groups: ReadonlyArray<GroupMetrics>
  /** Times of the run that the log is a part of; undefined if it is of a whole run. */
  readonly part: Header['part']
  /** A sentence for readers of the figures. */
  readonly warning: string | undefined
}

/** Measures a log while somebody reads it: takes every record, in order. */
export class LogMeasurement {
  readonly #fold: MetricsFold
  #assumptions: Assumptions | undefined
  #warning: string | undefined
  #part: Header['part']

  constructor(by?: Grouping, query?: JobQuery) {
    this.#fold = new MetricsFold(by, query)
  }

  /** @throws InvalidLogError */
  add(record: LogRecord): void {
    if (record.type === 'header') this.#begin(record)
    this.#fold.add(record)
  }

  #begin(header: Header): void {
    const machine = headerTopology(header)
    this.#assumptions ??= assumptionsOf(header, machine)
    this.#warning = warningOfOverruns(header.overruns, machine.nodes)
    this.#part = header.part
  }

  /** @throws InvalidLogError where there was no header */
  result(): MeasuredLog {
    return {
      result: this.#fold.result(),
      // Without a header there is no result.
      assumptions: this.#assumptions!,
      groups: this.#fold.groups(),
      part: this.#part,
      warning: this.#warning,
    }
  }
}
