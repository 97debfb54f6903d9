import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type LogRecord, readLog } from '@cloister/eventlog'
import { createLogFile, sha256 } from '@cloister/eventlog/node'
import { MetricsFold } from '@cloister/metrics'
import { headerOf, type OnProgress, type Run, type RunSpec, specKey } from '@cloister/run'
import { Effect } from 'effect'
import { prepareRun } from '../run/prepare-run.ts'
import { program, recordTimed } from '../run/log-target.ts'
import type { CellResult, CellTimes } from './cell-result.ts'
import { assumptionsOf } from '../log/assumptions.ts'
import { InstantaneousPercents } from '../log/instantaneous-percents.ts'
import { auditRun as auditOf } from '@cloister/evidence'
import { attempt } from '../errors/attempt.ts'

/** Options of `cloister sweep` for all cells of an experiment. */
export interface CellOptions {
  readonly traceDir: string | undefined
  readonly audit: boolean
  /** Folder for the compressed logs of the runs, or undefined to keep no logs. */
  readonly keepLogs: string | undefined
}

let hashed: string | undefined
/** Returns 12 digits that identify this build of the program, to distinguish builds of the same version. */
export function build(): string {
  return (hashed ??= createHash('sha256')
    .update(readFileSync(fileURLToPath(import.meta.url)))
    .digest('hex')
    .slice(0, 12))
}

/** Simulates a cell with the log in memory, measures the log, and audits the log if `options.audit` is true. */
export const runCell = Effect.fnUntraced(function* (cell: RunSpec, options: CellOptions, onProgress: OnProgress) {
  const began = performance.now()
  const run = yield* prepareRun(cell, options.traceDir)
  return yield* attempt((): { readonly result: CellResult; readonly times: CellTimes } => {
    const chunks: Array<Uint8Array> = []
    const { totals, seconds, searchBounds } = recordTimed(run, (chunk) => chunks.push(chunk), { onProgress })
    if (options.keepLogs !== undefined) keepLog(options.keepLogs, cell, chunks)
    const { name, filter, jobs, sha256: jobsSha256 } = run.workload
    const measurement = new CellMeasurement(run.topology.nodes)
    const audited = options.audit
      ? auditRun(run, chunks, (record) => measurement.add(record))
      : measure(chunks, measurement)
    const result: CellResult = {
      cell,
      program,
      build: build(),
      policy: `${run.bound.policy.name}@${run.bound.policy.version}`,
      workload: {
        name,
        filter,
        jobs: jobs.length,
        sha256: jobsSha256,
        arrivals: run.applied.arrivals,
        smallerThanNode: run.source.smallerThanNode,
      },
      assumptions: assumptionsOf(headerOf(run, program), run.topology),
      scenario: run.applied.scenario,
      totals,
      searchBounds,
      audit: audited,
      log: identify(chunks),
      ...measurement.result(),
    }
    const microsecondsPerJob = (seconds * 1e6) / jobs.length
    return { result, times: { seconds: (performance.now() - began) / 1000, microsecondsPerJob } }
  })
})

/** Audits the log of a run, and passes each record of the log to `onRecord`. */
export function auditRun(
  run: Run,
  chunks: ReadonlyArray<Uint8Array>,
  onRecord: (record: LogRecord) => void,
): NonNullable<CellResult['audit']> {
  const { ok, checked, violationCounts, untestedClaims } = auditOf(run, chunks, onRecord)
  return {
    ok,
    tests: Object.values(checked).reduce((sum, times) => sum + times, 0),
    violations: violationCounts,
    untestedClaims: untestedClaims.map(({ claim }) => claim),
  }
}

function measure(chunks: ReadonlyArray<Uint8Array>, measurement: CellMeasurement): null {
  for (const record of readLog(chunks, sha256)) measurement.add(record)
  return null
}

class CellMeasurement {
  readonly #metrics = new MetricsFold()
  readonly #instantaneous: InstantaneousPercents

  constructor(nodes: number) {
    this.#instantaneous = new InstantaneousPercents(nodes)
  }

  add(record: LogRecord): void {
    this.#metrics.add(record)
    this.#instantaneous.add(record)
  }

  result(): Pick<CellResult, 'metrics' | 'instantaneousPercents'> {
    return { metrics: this.#metrics.result(), instantaneousPercents: this.#instantaneous.result() }
  }
}

function identify(chunks: ReadonlyArray<Uint8Array>): CellResult['log'] {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return { bytes: chunks.reduce((sum, { length }) => sum + length, 0), sha256: hash.digest('hex') }
}

/** Writes a cell's compressed log into a folder. The log appears completely or not at all, even after a kill. */
export function keepLog(folder: string, cell: RunSpec, chunks: ReadonlyArray<Uint8Array>): void {
  const name = logName(cell)
  const part = join(folder, `.${randomBytes(8).toString('hex')}.${name}`)
  const file = createLogFile(part, { force: true })
  try {
    for (const chunk of chunks) file.write(chunk)
  } finally {
    file.close()
  }
  renameSync(part, join(folder, name))
}

/** Returns the file name of a cell's log: trace, topology, policy, queue, scenario, and a digest of the whole cell. */
export function logName(cell: RunSpec): string {
  const { trace, topology, policy, queue, scenario } = cell
  const words = [trace, topology, policy, queue ?? '', ...(scenario === undefined ? [] : [scenario])].map((word) =>
    word.replaceAll(/[^a-zA-Z0-9.]+/g, '-').replaceAll(/^[-.]+|-+$/g, ''),
  )
  return `${words.join('_')}_${createHash('sha256').update(specKey(cell)).digest('hex').slice(0, 8)}.ndjson.zst`
}
