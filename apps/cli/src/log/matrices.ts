import { type AuditReport, communicationCosts, MatrixMisfitError, type Violation } from '@cloister/audit'
import type { Header, LogRecord } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { givingMatrices } from '@cloister/replay'
import { attempt, matrixPaths, readMatrices } from '@cloister/run'
import { readText } from '@cloister/run/node'
import { Effect, type Option } from 'effect'
import { Problem } from '../errors/errors.ts'
import { visibleOnOneLine } from '../terminal/output.ts'
import type { RepeatedReading } from './log-reading.ts'

type NamedMatrix = NonNullable<Header['workload']['matrices']>[number]

/** Makes `reading` add the matrices of `--matrices` to the jobs, because a log has only their names and checksums. */
export const giveMatrices = Effect.fnUntraced(function* (
  reading: RepeatedReading,
  { workload: { matrices: named = [] } }: Header,
  given: Option.Option<string>,
) {
  if (named.length === 0 && given._tag === 'None') return
  if (given._tag === 'None')
    return yield* wrong(
      `is missing; expected the files of the communication matrices in the log's header: ${listed(named)}`,
    )
  reading.change = givingMatrices((yield* matricesOf(named, given.value)).map(({ matrix }) => matrix))
})

/** Reads the matrix files of `--matrices`. Fails unless the files are exactly the matrices in a log's header. */
export const matricesOf = Effect.fnUntraced(function* (named: ReadonlyArray<NamedMatrix>, given: string) {
  if (named.length === 0) return yield* wrong('the log has no communication matrix')
  const files = yield* attempt(() => readMatrices(matrixPaths(given), { readText }, sha256), 'matrices')
  const missing = named.filter((one) => files.every(({ matrix }) => matrix.sha256 !== one.sha256))
  const others = files.filter(({ matrix }) => named.every((one) => matrix.sha256 !== one.sha256))
  if (missing.length === 0 && others.length === 0) return files
  const found = others.map(({ path, matrix }) => `${path} (SHA-256 ${matrix.sha256}), not a matrix of the log`)
  return yield* wrong(
    [
      ...(found.length === 0 ? [] : [`found ${found.join(', ')}`]),
      ...(missing.length === 0 ? [] : [`expected the file of ${listed(missing)}`]),
    ].join('; '),
  )
})

function listed(matrices: ReadonlyArray<NamedMatrix>): string {
  return visibleOnOneLine(matrices.map(({ name, sha256: sum }) => `${name} (SHA-256 ${sum})`).join(', '))
}

function wrong(reason: string): Problem {
  return new Problem(`--matrices: ${reason}`)
}

/** Name of an invariant in audit reports: every job with a matrix has as many nodes as the matrix has ranks. */
const INVARIANT = 'matrix-ranks'

/** Report of an audit, with the cost of communication by the matrix files of `--matrices`. */
export interface CostedReport extends AuditReport {
  /** Sums over all starts of jobs with a communication matrix. */
  readonly communication: { readonly starts: number; readonly hopBytes: number; readonly effectiveHopBytes: number }
}

/**
 * Adds the communication cost of all starts of jobs with a matrix to the report of an audit. The cost is not tested,
 * because a log has no costs. A job whose number of nodes is not the number of ranks of its matrix is a violation, and
 * ends the computation.
 * @param files contents of the matrix files, exactly the matrices in the header of the log
 */
export function withCosts(
  report: AuditReport,
  records: Iterable<LogRecord>,
  files: ReadonlyArray<Uint8Array>,
): CostedReport {
  const { [INVARIANT]: _tested, ...notApplicable } = report.notApplicable
  const sums = { starts: 0, hopBytes: 0, effectiveHopBytes: 0 }
  const violations: Array<Violation> = []
  try {
    for (const { hopBytes, effectiveHopBytes } of communicationCosts(records, files, sha256)) {
      sums.starts++
      sums.hopBytes += hopBytes
      sums.effectiveHopBytes += effectiveHopBytes
    }
  } catch (error) {
    if (!(error instanceof MatrixMisfitError)) throw error
    violations.push({ invariant: INVARIANT, seq: error.seq, job: error.job, message: error.message })
  }
  return {
    ...report,
    ok: report.ok && violations.length === 0,
    checked: { ...report.checked, [INVARIANT]: sums.starts + violations.length },
    notApplicable,
    violations: [...report.violations, ...violations],
    violationCounts:
      violations.length === 0 ? report.violationCounts : { ...report.violationCounts, [INVARIANT]: violations.length },
    communication: sums,
  }
}
