import type { Metrics } from '@cloister/metrics'
import type { Totals } from '@cloister/eventlog'
import { Schema } from 'effect'
import type { RunSpec } from '@cloister/run'
import { type SmallerThanNode, parseJsonText } from '@cloister/trace-io'
import type { Assumptions } from '../log/assumptions.ts'

/**
 * What is known of a cell that has run: one line of a results file. Nothing in it is measured by a clock: the same program
 * gives the same line, to the byte, on every machine.
 */
export interface CellResult {
  readonly cell: RunSpec
  /** Name and version. */
  readonly program: string
  /** First digits of the SHA-256 of the program that ran it: two of the same version can differ while one is being developed. */
  readonly build: string
  /** Name and version. */
  readonly policy: string
  readonly workload: {
    readonly name: string
    readonly filter: string
    readonly jobs: number
    readonly sha256: string
    readonly arrivals: string
    /** Not in results of older programs. */
    readonly smallerThanNode?: SmallerThanNode
  }
  /** What the run took for granted, defaults included; not in results of older programs. */
  readonly assumptions?: Assumptions
  /** What the scenario came to: `none` for policies that claim no speed-up. */
  readonly scenario: string
  readonly totals: Totals
  readonly searchBounds: number
  /** Null where no audit was wanted. `violations`: how many of each invariant. */
  readonly audit: {
    readonly ok: boolean
    readonly tests: number
    readonly violations: Readonly<Record<string, number>>
    readonly untestedClaims: ReadonlyArray<string>
  } | null
  readonly log: { readonly bytes: number; readonly sha256: string }
  readonly metrics: Metrics
  /** Samples of instantaneous utilisation until the last start, at 0, 1, …, 100 % (rounded). */
  readonly instantaneousPercents: ReadonlyArray<number>
}

/** What a cell took, which stands beside the results: other workers run on the same machine. */
export interface CellTimes {
  /** Of the whole cell, its audit and its metrics included; null where an older program ran it. */
  readonly seconds: number | null
  /** In the kernel, log included; null where it is not known. */
  readonly microsecondsPerJob: number | null
}

/** A result and what it took. */
export type TimedResult = CellResult & CellTimes

/** The part of a line that decides whether it counts for a cell; the rest is as it was written. */
const Line = Schema.Struct({
  cell: Schema.Record(Schema.String, Schema.Json),
  program: Schema.String,
  policy: Schema.String,
  audit: Schema.NullOr(Schema.Struct({ ok: Schema.Boolean })),
  metrics: Schema.Record(Schema.String, Schema.Json),
  instantaneousPercents: Schema.Array(Schema.Number),
})
const isLine = Schema.is(Line)

/** Undefined where the text is no result. Results of older programs have a time in them. */
export function parseResult(text: string): (CellResult & Partial<CellTimes>) | undefined {
  try {
    const value: unknown = parseJsonText(text)
    return isLine(value) ? (value as unknown as CellResult) : undefined
  } catch {
    return undefined
  }
}
