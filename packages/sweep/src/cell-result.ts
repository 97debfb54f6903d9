import { createHash } from 'node:crypto'
import type { Totals } from '@cloister/eventlog'
import type { Metrics, NotPlaced } from '@cloister/metrics'
import type { RunSpec } from '@cloister/run'
import { parseJsonText, type SmallerThanNode } from '@cloister/trace-io'
import { Data, Schema } from 'effect'

/** Assumptions of a run, as texts for tables; null for an assumption that the run does not make. */
export type RunAssumptions = { readonly [name: string]: string | null }

/** Result of a cell, a line of a file of results. Has no measured times, so that all machines write equal bytes. */
export interface CellResult {
  readonly cell: RunSpec
  /** Name and version of the program, as `cloister@VERSION`. */
  readonly program: string
  /** First 12 digits of the SHA-256 of the program's file, to distinguish development builds of one version. */
  readonly build: string
  /** Name and version of the policy, as `NAME@VERSION`. */
  readonly policy: string
  /** Name and version of the router, as `NAME@VERSION`; absent without a router, and for a built-in router. */
  readonly router?: string
  /** Name and version of the queue order, as `NAME@VERSION`; absent for a built-in order. */
  readonly order?: string
  readonly workload: {
    readonly name: string
    readonly filter: string
    readonly jobs: number
    readonly sha256: string
    readonly arrivals: string
    /** Number and node-time of the jobs that use only a part of their nodes. Missing in results of older programs. */
    readonly smallerThanNode?: SmallerThanNode
  }
  /** Assumptions of the run as texts, with defaults filled in. Missing in results of older programs. */
  readonly assumptions?: RunAssumptions
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
  /** Number of samples of utilization at 0, 1, …, 100 % (cut off), taken at each start and end of a job until the last start. */
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

/** File given as results of cells, with a line that is no result of a cell. */
export class ResultsFileError extends Data.TaggedError('ResultsFileError')<{
  readonly path: string
  /** Number of the wrong line, from 1, or undefined if the wrong text stands after the last complete line. */
  readonly line: number | undefined
  readonly found: string
}> {
  override get message(): string {
    const place = this.line === undefined ? 'at the end' : `in line ${this.line}`
    return `${this.path}: found ${JSON.stringify(this.found)} ${place}, expected the result of a cell`
  }
}

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

/** Everything that determines the result of a cell. Equal contents have the same digest on every machine. */
export interface CellContent {
  /** Cell as the canonical description of a run. */
  readonly cell: RunSpec
  /** Name and version of the program, as `cloister@VERSION`. */
  readonly program: string
  /** Name and version of the policy, as `NAME@VERSION`. */
  readonly policy: string
  /** Name and version of the router, as `NAME@VERSION`; absent without a router, and for a built-in router. */
  readonly router?: string | undefined
  /** Name and version of the queue order, as `NAME@VERSION`; absent for a built-in order. */
  readonly order?: string | undefined
  /** True if the log of the run is audited. */
  readonly audit: boolean
}

/** Returns the digest of a cell, 32 hexadecimal digits, for names of files, measured times, and claims of workers. */
export function cellDigest({ cell, program, policy, router, order, audit }: CellContent): string {
  const content = JSON.stringify({ cell, program, policy, router, order, audit })
  return createHash('sha256').update(content).digest('hex').slice(0, 32)
}

/** Returns the digest of the cell of a result. */
export function digestOf({ cell, program, policy, router, order, audit }: CellResult): string {
  return cellDigest({ cell, program, policy, router, order, audit: audit !== null })
}

/** Tests that a result answers the cell with a digest. An audited result also answers the cell without audit. */
export function answers(result: CellResult | undefined, digest: string): boolean {
  if (result === undefined) return false
  return digestOf(result) === digest || digestOf({ ...result, audit: null }) === digest
}

/** Returns the names of the fields in which two results of a cell differ. */
export function differing(before: CellResult, now: CellResult): ReadonlyArray<string> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])] as ReadonlyArray<keyof CellResult>
  const unequal = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]))
  return unequal.length === 0 ? ['the order of fields'] : unequal
}

/** Cell of a sweep, with counts of the jobs that never started: rejected jobs, and jobs that still wait at the end. */
export interface CellNotPlaced extends NotPlaced {
  readonly cell: RunSpec
}

/** Returns the cells in which some jobs never started. */
export function cellsWithNotPlaced(results: ReadonlyArray<CellResult>): ReadonlyArray<CellNotPlaced> {
  return results.flatMap((result) => {
    const notPlaced = notPlacedOf(result)
    if (notPlaced === undefined || notPlaced.rejected.jobs + notPlaced.waiting.jobs === 0) return []
    return [{ cell: result.cell, ...notPlaced }]
  })
}

/** Returns the counts of the jobs that never started, undefined for a result of an older program without this field. */
export function notPlacedOf({ metrics }: CellResult): NotPlaced | undefined {
  const { notPlaced }: Partial<Metrics> = metrics
  return notPlaced
}
