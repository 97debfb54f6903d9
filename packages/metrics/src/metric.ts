import type { LogRecord } from '@cloister/eventlog'
import type { MeasuredRun } from './measured-run.ts'

/**
 * What a metric's value is: a name; a number of jobs; a fraction of 1; seconds; a ratio without a unit. The last three are
 * objects: quartiles of fractions, an interval in seconds, a value for each class of jobs or samples.
 */
export type MetricUnit = 'name' | 'count' | 'share' | 'seconds' | 'ratio' | 'quartiles' | 'interval' | 'classes'

type RecordType = LogRecord['type']

/** One metric: its place in {@link definitions} is its name in the JSON. */
export interface Metric<Value> {
  /** A short name for tables. */
  readonly label: string
  readonly unit: MetricUnit
  /** What it measures, in a sentence or two, with the paper that defines it. */
  readonly meaning: string
  /** What each record of a type adds to the metric's tally: for metrics of what records say in fields of their own. */
  readonly tally?: { readonly [Type in RecordType]?: (record: Extract<LogRecord, { readonly type: Type }>) => number }
  /** Whether tables leave it out where no run has it: it is about what few runs have. */
  readonly isOccasional?: true
  /** @param tally the sum over all records, 0 where nothing is tallied */
  readonly value: (run: MeasuredRun, tally: number) => Value
}

/** The value of a metric, or of each metric of a group. */
export type Measured<Definition> =
  Definition extends Metric<infer Value> ? Value : { readonly [Name in keyof Definition]: Measured<Definition[Name]> }

/** Whether something is a metric, and not a group of metrics. */
export function isMetric(definition: object): definition is Metric<unknown> {
  return typeof (definition as { value?: unknown }).value === 'function'
}
