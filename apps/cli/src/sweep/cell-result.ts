import type { Metrics } from '@cloister/metrics'
import type { Totals } from '@cloister/eventlog'
import { Schema } from 'effect'
import type { RunSpec } from '@cloister/run'
import { type SmallerThanNode, parseJsonText } from '@cloister/trace-io'
import type { Assumptions } from '../log/assumptions.ts'

/** Result of a cell, a line of a file of results. Has no measured times, so that all machines write equal bytes. */
export interface CellResult {
  readonly cell: RunSpec
  /** Name and version of the program, as `cloister@VERSION`. */
  readonly program: string
  /** First 12 digits of the SHA-256 of the program's file, to distinguish development builds of one version. */
  readonly build: string
  /** Name and version of the policy, as `NAME@VERSION`. */
  readonly policy: string
  readonly workload: {
    readonly name: string
    readonly filter: string
    readonly jobs: number
    readonly sha256: string
    readonly arrivals: string
    /** Number and node-time of the jobs that use only a part of their nodes. Missing in results of older programs. */
    readonly smallerThanNode?: SmallerThanNode
  }
  /** Assumptions of the run, with defaults filled in. Missing in results of older programs. */
  readonly assumptions?: Assumptions
  /** Scenario that the run applied: `none` under a policy without a claim of speed-up. */
  readonly scenario: string
  readonly totals: Totals
  readonly searchBounds: number
  /** Result of the audit of the log, with the number of violations of each invariant, or null without an audit. */
  readonly audit: {
    readonly ok: boolean
    readonly tests: number
    readonly violations: Readonly<Record<string, number>>
    readonly untestedClaims: ReadonlyArray<string>
  } | null
  readonly log: { readonly bytes: number; readonly sha256: string }
  readonly metrics: Metrics
  /** Number of samples of utilization at 0, 1, …, 100 %, taken at each start and end of a job until the last start. */
  readonly instantaneousPercents: ReadonlyArray<number>
}

/** Measured times of a cell; no part of the cell's result, because other workers on the machine influence the times. */
export interface CellTimes {
  /** Time of the whole cell with audit and metrics, in seconds, or null if an older program ran the cell. */
  readonly seconds: number | null
  /** Time of the simulation with the writing of the log, in µs per job, or null if unknown. */
  readonly microsecondsPerJob: number | null
}

/** Result of a cell, with the times of the cell. */
export type TimedResult = CellResult & CellTimes

/** Fields that a line must have to be the result of a cell; all further fields stay unchecked. */
const Line = Schema.Struct({
  cell: Schema.Record(Schema.String, Schema.Json),
  program: Schema.String,
  policy: Schema.String,
  audit: Schema.NullOr(Schema.Struct({ ok: Schema.Boolean })),
  metrics: Schema.Record(Schema.String, Schema.Json),
  instantaneousPercents: Schema.Array(Schema.Number),
})
const isLine = Schema.is(Line)

/** Returns the result in a line, or undefined for a line without a result. Results of older programs have times. */
export function parseResult(text: string): (CellResult & Partial<CellTimes>) | undefined {
  try {
    const value: unknown = parseJsonText(text)
    return isLine(value) ? (value as unknown as CellResult) : undefined
  } catch {
    return undefined
  }
}
