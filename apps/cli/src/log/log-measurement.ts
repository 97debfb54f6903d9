import { type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { type GroupMetrics, type Grouping, type JobQuery, type Metrics, MetricsFold } from '@cloister/metrics'
import { warningOfOverruns } from '../run/remarks.ts'
import { type Assumptions, assumptionsOf } from './assumptions.ts'

/** Result of `cloister metrics` for one log. */
export interface MeasuredLog {
  readonly result: Metrics
  readonly assumptions: Assumptions
  readonly groups: ReadonlyArray<GroupMetrics>
  /** Times of the part, in seconds, if the log is a part of a run; undefined for a whole run. */
  readonly part: Header['part']
  /** Sentence for readers of the figures; undefined without a warning. */
  readonly warning: string | undefined
}

/** Measures a log from its records. Takes every record, in order. */
export class LogMeasurement {
  readonly #fold: MetricsFold
  #assumptions: Assumptions | undefined
  #warning: string | undefined
  #part: Header['part']

  constructor(by?: Grouping, query?: JobQuery) {
    this.#fold = new MetricsFold(by, query)
  }

  /** Adds the next record. @throws InvalidLogError */
  add(record: LogRecord): void {
    if (record.type === 'header') this.#begin(record)
    this.#fold.add(record)
  }

  #begin(header: Header): void {
    const machine = headerTopology(header)
    this.#assumptions ??= assumptionsOf(header, machine)
    this.#warning = warningOfOverruns(header.overruns, header.options.overrun, machine.nodes)
    this.#part = header.part
  }

  /** Returns the figures of all records. @throws InvalidLogError without a header */
  result(): MeasuredLog {
    return {
      result: this.#fold.result(),
      // Without a header, the line above throws.
      assumptions: this.#assumptions!,
      groups: this.#fold.groups(),
      part: this.#part,
      warning: this.#warning,
    }
  }
}
