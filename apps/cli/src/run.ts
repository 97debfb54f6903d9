import { statSync } from 'node:fs'
import { type LogHeader, type LogOutcome, LogWriter, type Recorder, countingRecorder } from '@cloister/eventlog'
import { type LogFile, LogFileError, createLogFile, resumeLogFile, sha256 } from '@cloister/eventlog/node'
import { type Outage, type QueueDiscipline, type Summary, describeRun, simulate } from '@cloister/kernel'
import type { BoundPolicy, Router } from '@cloister/placement'
import { type Topology, formatHostlist } from '@cloister/topology'
import type { ConvertedWorkload } from '@cloister/trace-io'
import type { Effect } from 'effect'
import { blamePolicy } from './policy/policy-binding.ts'
import type { FoundPolicy } from './policy/policy-lookup.ts'
import { Problem, attempt } from './errors/problem.ts'
import { Progress } from './terminal/progress.ts'
import { tablesOf } from './router-option.ts'
import { runTimesOf } from './run-times.ts'

/** Everything that decides what a run does. */
export interface Run {
  readonly topology: Topology
  readonly found: FoundPolicy
  readonly bound: BoundPolicy<unknown, unknown>
  readonly jobs: ConvertedWorkload
  readonly queue: QueueDiscipline
  readonly walltime: 'exact' | 'trace'
  readonly overrun: 'run-on' | 'kill'
  readonly outages: ReadonlyArray<Outage>
  readonly requeue: boolean
  readonly scenario: string
  readonly drawsBandwidth: boolean
  /** As `--communication` spells it; undefined where no job communicates. */
  readonly communication: string | undefined
  /** As a header says it; undefined where they are fixed. */
  readonly runTimes: string | undefined
  readonly router: Router | undefined
  readonly seed: number
  readonly decisions: boolean
}

export interface RunReport extends Summary {
  /** Time in the kernel, recording included. */
  readonly seconds: number
  /** How the log ended that was continued. */
  readonly continued?: LogOutcome
}

/** Where a run's log goes; compressed where the name ends in .zst. */
export interface LogTarget {
  readonly path: string
  /** What to do with a log that is there: nothing, and fail; overwrite it; keep what is good of it, and append the rest. */
  readonly existing: 'refuse' | 'overwrite' | 'continue'
}

/** Told now and then how many of the jobs have ended. */
export type OnProgress = (ended: number, jobs: number) => void

/** Simulates to the end, and shows how far it is. Without a target nothing is kept but the totals. */
export function execute(run: Run, target: LogTarget | undefined): Effect.Effect<RunReport, Problem> {
  const progress = new Progress(`${run.jobs.workload.name} under ${run.bound.policy.name}:`)
  const onProgress: OnProgress = (ended, all) => progress.update(ended, all)
  return attempt(() => {
    try {
      return target === undefined ? into(run, countingRecorder(), onProgress) : intoFile(run, target, onProgress)
    } finally {
      progress.end()
    }
  })
}

/** Simulates to the end and gives the bytes of the log, as they come, to the sink. */
export function record(run: Run, sink: (chunk: Uint8Array) => void, onProgress: OnProgress): RunReport {
  return into(run, new LogWriter(header(run), run.topology, sink, sha256), onProgress)
}

function intoFile(run: Run, target: LogTarget, onProgress: OnProgress): RunReport {
  const file = openLog(target)
  try {
    const report = record(run, file.write, onProgress)
    return 'found' in file ? { ...report, continued: file.found } : report
  } catch (error) {
    const isKept = error instanceof LogFileError && statSync(target.path, { throwIfNoEntry: false })?.isFile() === true
    throw isKept ? new Problem(`${error.message}\n  what was sealed before is kept; --resume continues it`) : error
  } finally {
    file.close()
  }
}

function header(run: Run): LogHeader {
  const { topology, jobs } = run
  return describeRun({
    ...run,
    estimates: run.walltime === 'exact' ? 'exact' : 'requested',
    refusals: run.decisions,
    workload: jobs.workload,
    arrivals: jobs.arrivals,
    router: run.router?.name,
    program: `cloister@${CLOISTER_VERSION}`,
    ...(topology.nodeNames === undefined ? {} : { names: formatHostlist(topology.nodeNames) }),
  })
}

function openLog({ path, existing }: LogTarget): LogFile | ReturnType<typeof resumeLogFile> {
  try {
    return existing === 'continue' ? resumeLogFile(path) : createLogFile(path, { force: existing === 'overwrite' })
  } catch (error) {
    if (error instanceof LogFileError && error.code === 'EEXIST') {
      throw new Problem(`--out: ${path} exists; --force overwrites it, --resume continues it where the run was cut off`)
    }
    throw error
  }
}

function into(run: Run, recorder: Recorder, onProgress: OnProgress): RunReport {
  const { topology, found, bound, jobs, queue, walltime, overrun, outages, requeue, decisions } = run
  const runTimes = runTimesOf(run.runTimes, topology)
  const routing = run.router && { name: run.router.name, tables: tablesOf(run.router, topology) }
  const began = performance.now()
  const summary = blamePolicy(found, 'place', () =>
    simulate({
      topology,
      policyName: bound.policy.name,
      placer: bound.placer,
      workload: jobs.workload,
      queue,
      estimates: walltime === 'exact' ? 'exact' : 'requested',
      overrun,
      outages,
      requeue,
      refusals: decisions,
      recorder,
      onProgress,
      ...(routing && { routing }),
      ...(runTimes && { runTimes }),
    }),
  )
  return { ...summary, seconds: (performance.now() - began) / 1000 }
}
