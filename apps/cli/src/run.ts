import { type LogHeader, LogWriter, type Recorder, SEAL_EVERY, type Totals, countingRecorder } from '@cloister/eventlog'
import { createLogFile, sha256 } from '@cloister/eventlog/node'
import { type QueueDiscipline, type Simulation, simulate } from '@cloister/kernel'
import type { BoundPolicy } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { ConvertedWorkload } from '@cloister/trace-io'
import { type Effect } from 'effect'
import { blamePolicy } from './policy-binding.ts'
import type { FoundPolicy } from './policy-lookup.ts'
import { type Problem, attempt } from './problem.ts'
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
  readonly seed: number
  readonly decisions: boolean
}

export interface RunReport {
  readonly totals: Totals
  /** Time in the kernel, log included. */
  readonly seconds: number
}

/** Simulates without keeping a log. */
export function runUnrecorded(run: Run): Effect.Effect<RunReport, Problem> {
  return attempt(() => timed(run, countingRecorder()))
}

/** Simulates into a log file, compressed where the name ends in .zst. */
export function runIntoLog(run: Run, path: string, force: boolean): Effect.Effect<RunReport, Problem> {
  return attempt(() => {
    const file = createLogFile(path, { zstd: path.endsWith('.zst'), force })
    const report = timed(run, new LogWriter(headerOf(run), run.topology, file.write, sha256))
    file.close()
    return report
  })
}

function timed(run: Run, recorder: Recorder): RunReport {
  const { topology, found, bound, jobs, queue, walltime, overrun, decisions } = run
  const progress = new Progress(`simulating ${jobs.workload.name} under ${bound.policy.name}`)
  const onProgress = (ended: number, all: number): void => progress.update(ended, all)
  const simulation = { topology, policyName: bound.policy.name, placer: bound.placer, workload: jobs.workload, queue, walltime, overrun, decisions, recorder, onProgress }
  const began = performance.now()
  try {
    const totals = blamePolicy(found, 'place', () => simulate(simulation))
    return { totals, seconds: (performance.now() - began) / 1000 }
  } finally {
    progress.end()
  }
}

function headerOf({ topology, bound, jobs, queue, walltime, overrun, seed, decisions }: Run): LogHeader {
  const { workload } = jobs
}
