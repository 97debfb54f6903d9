import { decodeOptions, type LogHeader, LogWriter, type OptionsRef, type Recorder } from '@cloister/eventlog'
import {
  describeOrder,
  describeRun,
  effectiveOptions,
  overrunInRun,
  schedulingRules,
  simulate,
  type Simulation,
  submitsSha256,
  type Summary,
} from '@cloister/kernel'
import { parseScenario } from '@cloister/workload'
import * as Effect from 'effect/Effect'
import type * as Layer from 'effect/Layer'
import { drawsBySeed } from './assumptions.ts'
import { attempt, type TaggedProblem } from './errors.ts'
import { type RunOptionName, runOptionNames } from './options.ts'
import { blamePolicy } from './policy.ts'
import { prepare, type Run } from './prepare.ts'
import { contentionOn, watchedRouting } from './run-times.ts'
import type { Hash, Policies, RunFiles, Traces } from './services.ts'
import type { GivenSpec } from './spec.ts'
import { version } from './version.ts'

/** Sink of the log, and the settings of `Watching`. */
export interface RunTo extends Watching {
  /** Receives the bytes of the log during the run. */
  readonly sink: (chunk: Uint8Array) => void
}

/**
 * Simulates the run of a description, from loading the jobs to the last byte of the log.
 *
 * ```ts
 * const log: Array<Uint8Array> = []
 * const given = { trace: 'synth:16', topology: 'radix:16', policy: 'jigsaw' }
 * const program = run(given, { sink: (chunk) => log.push(chunk) })
 * const { totals } = await Effect.runPromise(program.pipe(Effect.provide(nodeServices({ policies: [jigsaw] }))))
 * ```
 */
export function run(
  given: GivenSpec,
  { sink, ...watching }: RunTo,
): Effect.Effect<Summary, TaggedProblem, RunFiles | Traces | Policies | Hash> {
  return Effect.gen(function* () {
    const prepared = yield* prepare(given)
    return yield* attempt(() => record(prepared, sink, watching))
  })
}

/**
 * Simulates the run of a description like `run`, in a program without Effect.
 *
 * ```ts
 * const { totals } = await runPromise(given, { sink }, nodeServices({ policies: [jigsaw] }))
 * ```
 *
 * @param services results of `nodeServices` or `plainServices`
 * @returns a promise that the errors of `run` reject; every expected error is an `Error` with a `_tag` and a message for
 *   people
 */
export function runPromise(
  given: GivenSpec,
  to: RunTo,
  services: Layer.Layer<RunFiles | Traces | Policies | Hash>,
): Promise<Summary> {
  return Effect.runPromise(run(given, to).pipe(Effect.provide(services)))
}

/** Function that gets the numbers of ended jobs and of all jobs, once after every 1024 ended jobs. */
export type OnProgress = (ended: number, jobs: number) => void

/** Settings of a run without effect on the decisions. */
export interface Watching {
  readonly onProgress?: OnProgress
  /** Name and version of the calling program, for the log's header. Default: this package. */
  readonly program?: string
  /** Unit of the bytes for the log's sink: all records up to a seal (default), or each record at once. */
  readonly chunks?: 'seal' | 'record'
  /** True if the bytes of a chunk are valid only until the sink returns. Default: false, the sink may keep the chunk. */
  readonly lends?: boolean
}

/**
 * Simulates a run to its end and gives every event to the recorder.
 *
 * @throws PolicyFailedError if the policy fails; the recorder's last record then has the failed request
 */
export function execute(run: Run, recorder: Recorder, { onProgress }: Watching = {}): Summary {
  const { topology, found, bound, newOrder, newRouting, workload, outages, runTimes, timeLimit, options } = run
  const isContended = options.runTimes === 'contention'
  const unwatched = newRouting()
  const routing = isContended ? watchedRouting(unwatched) : unwatched
  const simulation: Simulation = {
    ...schedulingRules(loggedOptions(run)),
    order: newOrder(),
    topology,
    policyName: bound.policy.name,
    placer: bound.placer,
    workload,
    outages,
    recorder,
    ...(routing && { routing }),
    ...(runTimes && { runTimes }),
    ...(isContended && { contention: contentionOn(topology, bound.placer.claims, routing) }),
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
  const { chunks = 'seal', lends = false } = watching
  const writer = new LogWriter(header, run.topology, sink, run.hash, { chunks, lends })
  try {
    return execute(run, writer, watching)
  } catch (error) {
    writer.breakOff()
    throw error
  }
}

/** Options absent from a header: other fields or records of the log have the values of these options. */
const elsewhere = [
  'trace',
  'filter',
  'topology',
  'policy',
  'config',
  'matrices',
  'outages',
  'maxPlaceMs',
  'order',
  'orderConfig',
  'router',
] as const

/**
 * Options that no header can have. If there are any, the next line does not compile, and the error names the options.
 */
type UnknownToLogs = Exclude<RunOptionName, (typeof elsewhere)[number] | keyof OptionsRef>
const leftOut: [UnknownToLogs] extends [never] ? ReadonlySet<string> : UnknownToLogs = new Set(elsewhere)

/**
 * Returns the options of a run for the header of its log: the canonical description, with the arrivals, estimates and
 * scenario that the run applies, and without options that have no effect. With exact estimates, `clamp` is like `kill`
 * and `extend` is like `run-on`, because no run time exceeds its estimate before the simulation.
 */
export function loggedOptions({ spec, options, applied: { arrivals, estimates, scenario } }: Run): OptionsRef {
  const overrun = estimates === 'exact' ? overrunInRun(options.overrun) : options.overrun
  const given: Readonly<Record<string, unknown>> = { ...spec, arrivals, estimates, overrun, scenario }
  const idle: ReadonlySet<string> = new Set([
    ...(overrun === 'kill' ? ['overrun'] : []),
    ...(scenario === 'none' ? ['scenario'] : []),
    ...(options.runTimes !== 'communication' && options.costsFrom === 'none' ? ['cost'] : []),
    ...(options.router === 'none' || options.unroutable === 'run-on' ? ['unroutable'] : []),
    ...(drawsBySeed(options, parseScenario(scenario)) ? [] : ['seed']),
  ])
  const logged = Object.entries(given).filter(([name]) => !leftOut.has(name) && !idle.has(name))
  return effectiveOptions(decodeOptions(Object.fromEntries(logged)))
}

/** Option that a user gave and that changes nothing in a run. */
export interface IneffectiveOption {
  readonly option: RunOptionName
  /** Reason in a few words, such as `the queue is fcfs`. */
  readonly reason: string
}

/** Returns the given options without an effect on the run: the header of the log lacks these or has other values. */
export function ineffectiveOptions(run: Run): ReadonlyArray<IneffectiveOption> {
  const logged: Readonly<Partial<Record<RunOptionName, unknown>>> = loggedOptions(run)
  return runOptionNames.flatMap((option) => {
    const value = run.spec[option]
    if (value === undefined || leftOut.has(option) || logged[option] === value) return []
    return [{ option, reason: reasonOf(option, run) }]
  })
}

function reasonOf(option: RunOptionName, { spec, options, bound, applied }: Run): string {
  switch (option) {
    case 'seed':
      return 'no scenario, bandwidth or communication is drawn at random; --resample weeks:SEED or users:SEED makes replicates of a real log'
    case 'overrun':
      return `with ${applied.estimates} estimates no job outlives its estimate before the simulation; the run is as with ${overrunInRun(options.overrun)}`
    case 'cost':
      return 'no run time depends on a communication cost'
    case 'unroutable':
      return options.router === 'none' ? 'the run has no router' : 'jobs without routes run on by default'
    case 'scenario':
      return `${bound.policy.name} claims no speed-up, and its jobs keep their run times`
    default:
      return `the queue is ${spec.queue}${spec.reservation === undefined ? '' : `, reservations are ${spec.reservation}`}`
  }
}

/**
 * Returns the header for the log of a run: workload, machine, policy and options.
 *
 * @param program name and version of the program that runs the simulation
 */
export function headerOf(run: Run, program: string): LogHeader {
  const { workload, applied, hash } = run
  return describeRun({
    ...descriptionOf(run, program),
    submitsSha256: submitsSha256(workload, applied.estimates, hash),
  })
}

/** Returns the same header without the checksum of the submit records, whose computation takes time for each job. */
export function headerWithoutChecksum(run: Run, program: string): LogHeader {
  return describeRun(descriptionOf(run, program))
}

function descriptionOf(run: Run, program: string): Parameters<typeof describeRun>[0] {
  const { workload, bound, newOrder, applied, routerInHeader } = run
  const order = newOrder()
  const options = loggedOptions(run)
  return {
    workload,
    bound,
    ...(routerInHeader && { router: routerInHeader }),
    ...(order && { order: describeOrder(order) }),
    program,
    options,
    ...(options.runTimes === 'contention' ? { requires: ['progress'] } : {}),
    ...(applied.overruns === undefined ? {} : { overruns: applied.overruns }),
  }
}
