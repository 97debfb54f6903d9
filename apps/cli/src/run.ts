import { LogWriter, type Recorder, type Totals, countingRecorder } from '@cloister/eventlog'
import { createLogFile, sha256 } from '@cloister/eventlog/node'
import { type Outage, type QueueDiscipline, describeRun, simulate } from '@cloister/kernel'
import type { BoundPolicy } from '@cloister/placement'
import { type Topology, formatHostlist } from '@cloister/topology'
import type { ConvertedWorkload } from '@cloister/trace-io'
import type { Effect } from 'effect'
import { blamePolicy } from './policy-binding.ts'
import type { FoundPolicy } from './policy-lookup.ts'
import { Problem, attempt } from './problem.ts'
import { Progress } from './progress.ts'

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
  readonly seed: number
  readonly decisions: boolean
}

export interface RunReport {
  readonly totals: Totals
  /** Time in the kernel, recording included. */
  readonly seconds: number
}

/** Where a run's log goes; compressed where the name ends in .zst. */
export interface LogTarget {
  readonly path: string
  /** Overwrite what is there. */
  readonly force: boolean
}

/** Simulates to the end. Without a target nothing is kept but the totals. */
export function execute(run: Run, target: LogTarget | undefined): Effect.Effect<RunReport, Problem> {
  return attempt(() => (target === undefined ? timed(run, countingRecorder()) : intoLog(run, target)))
}

function intoLog(run: Run, { path, force }: LogTarget): RunReport {
  const { topology, jobs } = run
  const header = describeRun({
    ...run,
    workload: jobs.workload,
    arrivals: jobs.arrivals,
    program: `cloister@${CLOISTER_VERSION}`,
    ...(topology.nodeNames === undefined ? {} : { names: formatHostlist(topology.nodeNames) }),
  })
  const file = createLog({ path, force })
  try {
    return timed(run, new LogWriter(header, topology, file.write, sha256))
  } finally {
    file.close()
  }
}

function createLog({ path, force }: LogTarget): ReturnType<typeof createLogFile> {
  try {
    return createLogFile(path, { force })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new Problem(`--out: ${path} exists; --force overwrites it`)
    }
    throw error
  }
}

function timed(run: Run, recorder: Recorder): RunReport {
  const { topology, found, bound, jobs, queue, walltime, overrun, outages, requeue, decisions } = run
  const progress = new Progress(`${jobs.workload.name} under ${bound.policy.name}:`)
  const began = performance.now()
  try {
    const totals = blamePolicy(found, 'place', () =>
      simulate({
        topology, policyName: bound.policy.name, placer: bound.placer, workload: jobs.workload, queue, walltime, overrun, outages, requeue, decisions, recorder,
        onProgress: (ended, all) => progress.update(ended, all),
      }),
    )
    return { totals, seconds: (performance.now() - began) / 1000 }
  } finally {
    progress.end()
  }
}
