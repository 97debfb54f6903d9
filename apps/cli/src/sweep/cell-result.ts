import type { Metrics } from '@cloister/metrics'
import type { Totals } from '@cloister/eventlog'
import { Schema } from 'effect'
import type { RunSpec } from '@cloister/run'
import { type SmallerThanNode, parseJsonText } from '@cloister/trace-io'
import type { Assumptions } from '../log/assumptions.ts'

/**
 * Result of a cell: one line of a file of results. A result has no measured times, and so the same program writes the
 * same bytes on every machine.
 */
export interface CellResult {
  readonly cell: RunSpec
  /** Name and version of the program. */
  readonly program: string
  /**
   * First 12 digits of the SHA-256 of the program's file, to distinguish programs of the same version during
   * development.
   */
  readonly build: string
  /** Name and version of the policy. */
  readonly policy: string
  readonly workload: {
    readonly name: string
    readonly filter: string
    readonly jobs: number
    readonly sha256: string
    readonly arrivals: string
    /** Number and node-time of the jobs that request less than a node. Missing in results of older programs. */
    readonly smallerThanNode?: SmallerThanNode
  }
  /** Assumptions of the run, with defaults filled in. Missing in results of older programs. */
  readonly assumptions?: Assumptions
  /** Scenario that the run applied: `none` under a policy without a claim of speed-up. */
  readonly scenario: string
  readonly totals: Totals
  readonly searchBounds: number
  /**
   * Result of the audit of the log; null without an audit. `violations` has the number of violations of each invariant.
   */
  readonly audit: {
    readonly ok: boolean
    readonly tests: number
    readonly violations: Readonly<Record<string, number>>
    readonly untestedClaims: ReadonlyArray<string>
  } | null
  readonly log: { readonly bytes: number; readonly sha256: string }
  readonly metrics: Metrics
  /**
   * Numbers of samples of instantaneous utilisation until the last start, for 0, 1, …, 100 %, rounded to whole
   * percents.
   */
  readonly instantaneousPercents: ReadonlyArray<number>
}

/**
 * Measured times of a cell. The times are not part of the result, because workers on the same machine influence the
 * times.
 */
export interface CellTimes {
  /** Time of the whole cell with audit and metrics, in seconds; null if an older program ran the cell. */
  readonly seconds: number | null
  /** Time in the kernel with the log, in µs per job; null if unknown. */
  readonly microsecondsPerJob: number | null
}

/** Result of a cell, with the times of the cell. */
export type TimedResult = CellResult & CellTimes

/** Schema of the fields that a line must have to be a result of a cell. All further fields stay unchecked. */
const Line = Schema.Struct({
  cell: Schema.Record(Schema.String, Schema.Json),
  program: Schema.String,
  policy: Schema.String,
  audit: Schema.NullOr(Schema.Struct({ ok: Schema.Boolean })),
  metrics: Schema.Record(Schema.String, Schema.Json),
  instantaneousPercents: Schema.Array(Schema.Number),
})
const isLine = Schema.is(Line)

/**
 * Parses a line of a file of results. Returns undefined for an invalid line. Results of older programs contain times.
 */
export function parseResult(text: string): (CellResult & Partial<CellTimes>) | undefined {
  try {
    const value: unknown = parseJsonText(text)
    return isLine(value) ? (value as unknown as CellResult) : undefined
  } catch {
    return undefined
  }
}
