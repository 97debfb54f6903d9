import { LogWriter, type Recorder } from '@cloister/eventlog'
import { schedulingRules, simulate, type Simulation, type Summary } from '@cloister/kernel'
import { contentionOn } from './contention.ts'
import { headerOf, loggedOptions } from './header.ts'
import { blamePolicy } from './policy-binding.ts'
import type { Run } from './prepare.ts'
import { routingOf } from './routing.ts'
import { version } from './version.ts'

/** Function that gets the numbers of ended jobs and of all jobs, once after every 1024 ended jobs. */
export type OnProgress = (ended: number, jobs: number) => void

/** Settings of a run without effect on the decisions. */
export interface Watching {
  readonly onProgress?: OnProgress
  /** Name and version of the calling program, for the log's header. Default: this package. */
  readonly program?: string
  /** Unit of the bytes for the log's sink: all records up to a seal (default), or each record at once. */
  readonly chunks?: 'seal' | 'record'
}

/**
 * Simulates a run to its end and gives every event to the recorder.
 *
 * @throws PolicyFailedError if the policy fails; the recorder's last record then has the failed request
 */
export function execute(run: Run, recorder: Recorder, { onProgress }: Watching = {}): Summary {
  const { topology, found, bound, workload, outages, runTimes, timeLimit, options, hash } = run
  const routing = routingOf(options.router, topology, bound, hash)
  const simulation: Simulation = {
    ...schedulingRules(loggedOptions(run)),
    topology,
    policyName: bound.policy.name,
    placer: bound.placer,
    workload,
    outages,
    recorder,
    ...(routing && { routing }),
    ...(runTimes && { runTimes }),
    ...(options.runTimes === 'contention' && { contention: contentionOn(topology, bound.placer.claims) }),
    ...(timeLimit && { timeLimit }),
    ...(onProgress && { onProgress }),
  }
  return blamePolicy(found, 'place', () => simulate(simulation))
}

/**
 * Simulates a run to its end and gives the bytes of the log to the sink during the run. Equal runs give equal bytes. If
 * an error ends the run, the sink still receives all recorded bytes.
 *
 * @throws PolicyFailedError if the policy fails; the last record of the log then has the failed request
 */
export function record(run: Run, sink: (chunk: Uint8Array) => void, watching: Watching = {}): Summary {
  const header = headerOf(run, watching.program ?? `@cloister/run@${version}`)
  const { chunks = 'seal' } = watching
  const writer = new LogWriter(header, run.topology, sink, run.hash, { chunks })
  try {
    return execute(run, writer, watching)
  } catch (error) {
    writer.breakOff()
    throw error
  }
}
