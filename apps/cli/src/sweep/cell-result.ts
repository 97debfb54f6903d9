import type { Metrics } from '@cloister/metrics'
import type { Totals } from '@cloister/eventlog'
import { Schema } from 'effect'
import type { RunSpec } from '@cloister/run'
import { type SmallerThanNode, parseJsonText } from '@cloister/trace-io'
import type { Assumptions } from '../log/assumptions.ts'

/**
 * Result of a finished cell: one line of a results file. A result contains no measured times. The same program writes
 * the same bytes on every machine.
 */
export interface CellResult {
  readonly cell: RunSpec
  /** Name and version of the program. */
  readonly program: string
  /** First digits of the program's SHA-256. During development, two programs of the same version can differ. */
  readonly build: string
  /** Name and version of the policy. */
  readonly policy: string
  readonly workload: {
    readonly name: string
    readonly filter: string
    readonly jobs: number
    readonly sha256: string
    readonly arrivals: string
    /** Count of jobs smaller than a node. Missing in results of older programs. */
    readonly smallerThanNode?: SmallerThanNode
  }
  /** Assumptions of the run, including defaults. Missing in results of older programs. */
  readonly assumptions?: Assumptions
  /** Applied scenario: `none` for policies without a claim of speed-up. */
  readonly scenario: string
  readonly totals: Totals
  readonly searchBounds: number
  /** Result of the audit, or null without an audit. `violations` counts the violations of each invariant. */
  readonly audit: {
    readonly ok: boolean
    readonly tests: number
    readonly violations: Readonly<Record<string, number>>
    readonly untestedClaims: ReadonlyArray<string>
  } | null
  readonly log: { readonly bytes: number; readonly sha256: string }
  readonly metrics: Metrics
  /** Number of samples of instantaneous utilisation until the last start, at 0, 1, …, 100 % (rounded). */
  readonly instantaneousPercents: ReadonlyArray<number>
}

/** Times of a cell, kept apart from the results, because workers on the same machine influence the times. */
export interface CellTimes {
  /** Time of the whole cell with audit and metrics, in seconds; null if an older program ran the cell. */
  readonly seconds: number | null
  /** Time in the kernel with the log, in µs per job; null if unknown. */
  readonly microsecondsPerJob: number | null
}

/** Result with its times. */
export type TimedResult = CellResult & CellTimes

/** Fields that decide if a line is a result of a cell. All further fields stay unchecked. */
const Line = Schema.Struct({
  cell: Schema.Record(Schema.String, Schema.Json),
  program: Schema.String,
  policy: Schema.String,
  audit: Schema.NullOr(Schema.Struct({ ok: Schema.Boolean })),
  metrics: Schema.Record(Schema.String, Schema.Json),
  instantaneousPercents: Schema.Array(Schema.Number),
})
const isLine = Schema.is(Line)

/** Parses a result. Returns undefined for an invalid text. Results of older programs contain times. */
export function parseResult(text: string): (CellResult & Partial<CellTimes>) | undefined {
  try {
    const value: unknown = parseJsonText(text)
    return isLine(value) ? (value as unknown as CellResult) : undefined
  } catch {
    return undefined
  }
}
