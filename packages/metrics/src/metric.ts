import type { LogRecord } from '@cloister/eventlog'
import type { MeasuredRun } from './measured-run.ts'

/**
 * Kind of a metric's value. `quartiles`: quartiles of fractions. `interval`: begin and end in seconds. `classes`: a
 * value for each class of jobs, of samples or of uses of nodes.
 */
export type MetricUnit = 'name' | 'count' | 'share' | 'seconds' | 'ratio' | 'quartiles' | 'interval' | 'classes'

type RecordType = LogRecord['type']

/** A metric. Its place in `definitions` of metrics.ts is its name in the JSON of `cloister metrics --json`. */
export interface Metric<Value> {
  /** A short name for tables. */
  readonly label: string
  readonly unit: MetricUnit
  /** Definition of the metric in one or two sentences, with the paper that defines the metric. */
  readonly meaning: string
  /** Functions by type of record; the tally is the sum of the functions' results over all records. */
  readonly tally?: { readonly [Type in RecordType]?: (record: Extract<LogRecord, { readonly type: Type }>) => number }
  /** Present if few runs have a value of the metric: tables omit the metric unless some run has a value. */
  readonly isOccasional?: true
  /** Computes the value. @param tally sum of the metric's tally over all records; 0 for a metric without a tally */
  readonly value: (run: MeasuredRun, tally: number) => Value
}

/** The value of a metric, or of each metric of a group. */
export type Measured<Definition> =
  Definition extends Metric<infer Value> ? Value : { readonly [Name in keyof Definition]: Measured<Definition[Name]> }

/** Returns true for a metric, false for a group of metrics. */
export function isMetric(definition: object): definition is Metric<unknown> {
  return typeof (definition as { value?: unknown }).value === 'function'
}
