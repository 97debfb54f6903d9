import { createHash, randomBytes } from 'node:crypto'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { type LogRecord, readLog } from '@cloister/eventlog'
import { createLogFile, sha256 } from '@cloister/eventlog/node'
import { auditRun } from '@cloister/evidence'
import { MetricsFold } from '@cloister/metrics'
import {
  attempt,
  builtIn,
  type FoundRouter,
  type OnProgress,
  record,
  type Run,
  type RunSpec,
  specKey,
  type TaggedProblem,
} from '@cloister/run'
import type { BoundOrder } from '@cloister/ordering'
import { orders } from '@cloister/orders'
import { Effect } from 'effect'
import type { CellResult, CellTimes, RunAssumptions } from './cell-result.ts'

/** Program that runs a sweep, as results name the program. */
export interface Program {
  /** Name and version, as `cloister@VERSION`. */
  readonly name: string
  /** Digits that identify the build of the program, to distinguish builds of the same version. */
  readonly build: string
}

/** Settings for all cells of an experiment. */
export interface CellOptions {
  readonly program: Program
  /** Folder with the job logs of preset traces, or undefined without such a folder. */
  readonly traceDir: string | undefined
  readonly audit: boolean
  /** Folder for the compressed logs of the runs, or undefined to keep no logs. */
  readonly keepLogs: string | undefined
}

/** Functions by which the program around a sweep prepares the runs of cells, and describes runs and errors. */
export interface CellHost {
  /** Loads and checks the inputs of a cell. `onRemark` gets remarks on the inputs, for readers of the results. */
  readonly prepare: (
    cell: RunSpec,
    traceDir: string | undefined,
    onRemark: (text: string) => void,
  ) => Effect.Effect<Run, TaggedProblem>
  readonly assumptionsOf: (run: Run) => RunAssumptions
  /** Describes the failure or the defect that ended the run of a cell. */
  readonly reasonOf: (error: unknown) => string
}

/** Simulates a cell with the log in memory, measures the log, and audits the log if `options.audit` is true. */
export const runCell = Effect.fnUntraced(function* (
  cell: RunSpec,
  options: CellOptions,
  host: CellHost,
  onRemark: (text: string) => void,
  onProgress: OnProgress,
) {
  const began = performance.now()
  const run = yield* host.prepare(cell, options.traceDir, onRemark)
  return yield* attempt((): { readonly result: CellResult; readonly times: CellTimes } => {
    const chunks: Array<Uint8Array> = []
    const { program } = options
    const simulated = performance.now()
    const { totals, searchBounds } = record(run, (chunk) => chunks.push(chunk), { program: program.name, onProgress })
    const seconds = (performance.now() - simulated) / 1000
    if (options.keepLogs !== undefined) keepLog(options.keepLogs, cell, chunks)
    const { name, filter, jobs, sha256: jobsSha256 } = run.workload
    const measurement = new CellMeasurement(run.topology.nodes)
    const audited = options.audit
      ? auditedCell(run, chunks, (each) => measurement.add(each))
      : measure(chunks, measurement)
    const result: CellResult = {
      cell,
      program: program.name,
      build: program.build,
      policy: `${run.bound.policy.name}@${run.bound.policy.version}`,
      ...routerVersion(run.router),
      ...orderVersion(run.newOrder()?.order),
      workload: {
        name,
        filter,
        jobs: jobs.length,
        sha256: jobsSha256,
        arrivals: run.applied.arrivals,
        smallerThanNode: run.source.smallerThanNode,
      },
      assumptions: host.assumptionsOf(run),
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
export function auditedCell(
  run: Run,
  chunks: ReadonlyArray<Uint8Array>,
  onRecord: (record: LogRecord) => void,
): NonNullable<CellResult['audit']> {
  const { ok, checked, violationCounts, untestedClaims } = auditRun(run, chunks, onRecord)
  return {
    ok,
    tests: Object.values(checked).reduce((sum, times) => sum + times, 0),
    violations: violationCounts,
    untestedClaims: untestedClaims.map(({ claim }) => claim),
  }
}

function measure(chunks: ReadonlyArray<Uint8Array>, measurement: CellMeasurement): null {
  for (const each of readLog(chunks, sha256)) measurement.add(each)
  return null
}

class CellMeasurement {
  readonly #metrics = new MetricsFold()
  readonly #instantaneous: InstantaneousPercents

  constructor(nodes: number) {
    this.#instantaneous = new InstantaneousPercents(nodes)
  }

  add(each: LogRecord): void {
    this.#metrics.add(each)
    this.#instantaneous.add(each)
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

/** Returns the field of a result for a router; empty for a built-in router, whose version is the program's. */
export function routerVersion(found: FoundRouter | undefined): Pick<CellResult, 'router'> {
  if (found === undefined || found.origin === builtIn) return {}
  return { router: `${found.router.name}@${found.router.version}` }
}

/** Returns the file name of a cell's log: trace, topology, policy, queue, scenario, and a digest of the whole cell. */
export function logName(cell: RunSpec): string {
  const { trace, topology, policy, queue, scenario } = cell
  const words = [trace, topology, policy, queue ?? '', ...(scenario === undefined ? [] : [scenario])].map((word) =>
    word.replaceAll(/[^a-zA-Z0-9.]+/g, '-').replaceAll(/^[-.]+|-+$/g, ''),
  )
  return `${words.join('_')}_${createHash('sha256').update(specKey(cell)).digest('hex').slice(0, 8)}.ndjson.zst`
}

/**
 * Instantaneous utilization in whole percents, cut off, sampled at each start and each end of a job, up to the last
 * start. Table 2 of the Jigsaw paper counts in the same way: the bins of the table (95-97, and 98 and more) are of whole
 * percents, and the samples of the table end with the steady state.
 */
export class InstantaneousPercents {
  readonly #nodes: number
  readonly #sizes = new Map<string, number>()
  #busy = 0
  /** Number of samples of each percent from 0 to 100 until the last start; `#sinceStart` has the later samples. */
  readonly #counts = new Float64Array(101)
  #sinceStart: Array<number> = []

  constructor(nodes: number) {
    this.#nodes = nodes
  }

  add(each: LogRecord): void {
    switch (each.type) {
      case 'submit':
        this.#sizes.set(each.job, each.size)
        break
      case 'allocate':
        if (each.moved !== undefined) return
        this.#sample(this.#sizes.get(each.job)!)
        for (const percent of this.#sinceStart) this.#counts[percent]++
        this.#sinceStart = []
        break
      case 'finish':
      case 'kill':
        this.#sample(-this.#sizes.get(each.job)!)
        break
      default:
    }
  }

  /** Returns the number of samples at 0, 1, …, 100 % utilization. */
  result(): ReadonlyArray<number> {
    return [...this.#counts]
  }

  #sample(change: number): void {
    this.#busy += change
    this.#sinceStart.push(Math.floor((100 * this.#busy) / this.#nodes))
  }
}

/** Returns the field of a result for a queue order; empty for a built-in order, whose version is the program's. */
export function orderVersion(order: BoundOrder['order'] | undefined): Pick<CellResult, 'order'> {
  if (order === undefined || orders.get(order.name) === order) return {}
  return { order: `${order.name}@${order.version}` }
}
