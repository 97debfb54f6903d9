import { LogWriter, type Recorder } from '@cloister/eventlog'
import { simulate, type Simulation, type Summary } from '@cloister/kernel'
import { contentionOn } from './contention.ts'
import { headerOf } from './header.ts'
import { runOptionNames } from './options.ts'
import { blamePolicy } from './policy-binding.ts'
import type { Run } from './prepare.ts'
import { routingOf } from './routing.ts'
import { optionOf } from './spec.ts'
import { version } from './version.ts'

/** Told now and then how many of the jobs have ended. */
export type OnProgress = (ended: number, jobs: number) => void

/** What may be said to a run that changes nothing of what it does. */
export interface Watching {
  readonly onProgress?: OnProgress
  /** Name and version of the program that runs it, for the log's header. */
  readonly program?: string
  /** What a log's sink gets at once: a `seal` segment, which is the default, or a `record`. */
  readonly chunks?: 'seal' | 'record'
}

/** Simulates to the end. Everything that happens goes to the recorder. @throws PolicyFailedError; the question is the recorder's last record then */
export function execute(run: Run, recorder: Recorder, { onProgress }: Watching = {}): Summary {
  const { topology, found, bound, workload, outages, runTimes, timeLimit, options, hash } = run
  const routing = routingOf(options.router, topology, bound, hash)
  const simulation = {
    ...fromOptions(run),
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
  } as Simulation
  return blamePolicy(found, 'place', () => simulate(simulation))
}

/**
 * Simulates to the end and gives the bytes of the log, as they come, to the sink. The same run gives the same bytes. Of a run
 * that is broken off the sink has all that was recorded.
 *
 * @throws as `execute`
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

/** What the kernel is told of the options, each by its entry in the table. */
function fromOptions({ options, applied }: Run): Partial<Simulation> {
  const fields = runOptionNames.map((name) => optionOf(name).simulation?.(options[name], applied) ?? {})
  return { ...Object.assign({}, ...fields), queue: Object.assign({}, ...fields.map(({ queue }) => queue)) }
}
