import { type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { type GroupMetrics, type Grouping, type JobQuery, type Metrics, MetricsFold } from '@cloister/metrics'
import { warningOfOverruns } from '../run/remarks.ts'
import { type Assumptions, assumptionsOf } from './assumptions.ts'

/** What `cloister metrics` finds in one log. */
export interface MeasuredLog {
  readonly result: Metrics
  readonly assumptions: Assumptions
  readonly groups: ReadonlyArray<GroupMetrics>
  /** What whoever reads the figures has to know of the log, a sentence each. */
  readonly ofPart: string | undefined
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
    const part = this.#part
    return {
      result: this.#fold.result(),
      // Without a header there is no result.
      assumptions: this.#assumptions!,
      groups: this.#fold.groups(),
      ofPart:
        part === undefined
          ? undefined
          : `is a part of a run, from ${part.from} s to ${part.until} s: its figures are those of that part`,
      warning: this.#warning,
    }
  }
}
