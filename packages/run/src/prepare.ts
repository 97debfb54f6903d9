import type { HashFunction } from '@cloister/eventlog'
import { type Outage, overrunInRun, type RunTimes, type TimeLimit } from '@cloister/kernel'
import type { BoundPolicy } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { ConvertedWorkload } from '@cloister/trace-io'
import type { Workload } from '@cloister/workload'
import * as Effect from 'effect/Effect'
import { assume } from './assumptions.ts'
import { attempt, OptionError } from './errors.ts'
import { type MatrixFile, readMatrices } from './matrices.ts'
import type { Applied } from './option.ts'
import { parseOutages } from './outages.ts'
import { countOverruns, withOverruns } from './overruns.ts'
import { bind } from './policy-binding.ts'
import { contentionOn } from './contention.ts'
import { outagesOfTrace } from './recorded-outages.ts'
import { routingOf } from './routing.ts'
import { runTimesOf } from './run-times.ts'
import { type FoundPolicy, Hash, Policies, RunFiles, StopAfter, Traces } from './services.ts'
import type { GivenSpec } from './given-spec.ts'
import { canonicalSpec, meaningsOf, type RunMeanings, type RunSpec, type UncheckedSpec } from './spec.ts'

/** Converted trace without `origin`, which holds the columns of the trace. */
export type RunSource = Omit<ConvertedWorkload, 'origin'> & {
  /** Message with the reason why the outages of a log are left out of the run; absent if no outage is left out. */
  readonly outagesLeftOut?: string
}

/** Run that is ready to start: all values, files and policies of its description are found and checked. */
export interface Run {
  readonly spec: RunSpec
  readonly options: RunMeanings
  readonly topology: Topology
  readonly found: FoundPolicy
  readonly bound: BoundPolicy<unknown, unknown>
  /** Jobs of the trace, and counts of the jobs left out. */
  readonly source: RunSource
  /** Jobs of the simulation, after all assumptions. */
  readonly workload: Workload
  readonly applied: Applied
  readonly outages: ReadonlyArray<Outage>
  /** Communication matrices for the jobs; undefined if the option `matrices` is absent. */
  readonly matrices: ReadonlyArray<MatrixFile> | undefined
  readonly runTimes: RunTimes | undefined
  readonly timeLimit: TimeLimit | undefined
  readonly hash: HashFunction
}

/** Checks a description of a run and loads its parts; the trace comes last, because loading a trace takes longest. */
export const prepare = Effect.fnUntraced(function* (given: GivenSpec | UncheckedSpec) {
  const files = yield* RunFiles
  const spec = yield* attempt(() => canonicalSpec(given, files))
  const hash = yield* Hash
  const options = yield* attempt(() => meaningsOf(spec, files))
  const { topology } = options
  const givenOutages = yield* attempt(() => readOutages(options.outages, topology, files), 'outages')
  const matrices = yield* attempt(() => options.matrices && readMatrices(options.matrices, files, hash), 'matrices')
  const found = yield* (yield* Policies).find(options.policy)
  const bound = yield* bind(found, topology, options.config)
  yield* attempt(() => routingOf(options.router, topology, bound, hash))
  const runTimes = yield* runTimesOf(options.runTimes, topology)
  if (options.runTimes === 'contention') yield* attempt(() => contentionOn(topology, bound.placer.claims))
  const timeLimit = yield* timeLimitOf(options.maxPlaceMs)
  const { filter, procsPerNode, sizes, arrivals, skipBadLines, arrivesWhen, timeZone } = options
  const which = { filter, procsPerNode, sizes, arrivals, skipBadLines, arrivesWhen, timeZone }
  const loaded = yield* (yield* Traces).load(options.trace, which)
  // The columns of the trace may be large, and the simulation needs the workload alone.
  const { origin, machine, ...converted } = loaded
  const isAsInLog = converted.arrivals === 'trace' && options.resample === undefined
  const first = isAsInLog ? Math.round(origin.trace.columns.submit[origin.rows[0]] * 1000) : undefined
  const ofTrace = outagesOfTrace(givenOutages === undefined ? machine : undefined, topology, first)
  const outages = givenOutages ?? ('outages' in ofTrace ? ofTrace.outages : [])
  const source: RunSource = 'leftOut' in ofTrace ? { ...converted, outagesLeftOut: ofTrace.leftOut } : converted
  if (source.workload.jobs.length === 0) return yield* new OptionError({ option: 'filter', reason: noJobLeft(source) })
  const assumed = yield* attempt(() => assume(source.workload, options, bound.placer.claims, matrices))
  const estimates = options.estimates ?? estimatesByDefault(source)
  const isRequested = estimates === 'requested'
  if (options.runTimes === 'contention' && !isRequested && overrunInRun(options.overrun) === 'kill')
    return yield* new OptionError({ option: 'overrun', reason: killsWhoIsSlowed })
  const overruns = isRequested ? countOverruns(assumed.workload, options.overrun) : undefined
  const workload = isRequested ? withOverruns(assumed.workload, options.overrun) : assumed.workload
  const applied: Applied = { arrivals: source.arrivals, estimates, scenario: assumed.scenario, overruns }
  const run: Run = {
    spec,
    options,
    topology,
    found,
    bound,
    source,
    workload,
    applied,
    outages,
    matrices,
    runTimes,
    timeLimit,
    hash,
  }
  return run
})

const timeLimitOf = Effect.fnUntraced(function* (milliseconds: number | undefined) {
  if (milliseconds === undefined) return undefined
  const stopAfter = yield* StopAfter
  if (stopAfter !== undefined) return stopAfter(milliseconds)
  return yield* new OptionError({
    option: 'maxPlaceMs',
    reason: 'this platform cannot stop a policy; run under Node, or leave out the option',
  })
})

function readOutages(
  path: string | undefined,
  topology: Topology,
  files: RunFiles['Service'],
): ReadonlyArray<Outage> | undefined {
  return path === undefined ? undefined : parseOutages(files.readText(path), path, topology)
}

/** Returns `requested`, as real schedulers do, unless all jobs arrive at time 0 or most jobs lack a walltime; else `exact`. */
function estimatesByDefault({ arrivals, withoutWalltime, workload }: RunSource): Applied['estimates'] {
  return arrivals !== 'zero' && 2 * withoutWalltime < workload.jobs.length ? 'requested' : 'exact'
}

const killsWhoIsSlowed =
  'a job that contention slows outlives its exact estimate, and would be killed; set overrun to run-on, or estimates to requested'

function noJobLeft({ workload, read, skipped }: RunSource): string {
  const reasons = Object.entries(skipped).map(([reason, jobs]) => `${jobs} by ${reason}`)
  return `no job is left of the ${read} of ${workload.name} (left out: ${reasons.join(', ')}); use a weaker filter`
}
