import { decodeOptions, type HashFunction, type Header, headerTopology } from '@cloister/eventlog'
import {
  describeRouter,
  formatDiscipline,
  mayMigrate,
  type Outage,
  overrunInRun,
  type Routing,
  type RunTimes,
  type SchedulingRules,
  schedulingRules,
  type TimeLimit,
} from '@cloister/kernel'
import type { BoundPolicy } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { ConvertedWorkload } from '@cloister/trace-io'
import { type Workload, withTurns } from '@cloister/workload'
import * as Effect from 'effect/Effect'
import { assume, countOverruns, withOverruns } from './assumptions.ts'
import { type MatrixFile, readMatrices } from './communication.ts'
import { type EarlierPolicy, scaledByEarlierRuns } from './earlier-runs.ts'
import { attempt, OptionError, type TaggedProblem } from './errors.ts'
import { outagesOfTrace, parseOutages } from './outages.ts'
import { bind } from './policy.ts'
import { orderOfRun, type RunOrder, turnsFor } from './queue-order.ts'
import { findRouter, routingOf } from './routing.ts'
import { contentionOn, runTimesOf } from './run-times.ts'
import {
  type FoundPolicy,
  type FoundRouter,
  Hash,
  type LoadedTrace,
  Policies,
  RunFiles,
  StopAfter,
  Traces,
} from './services.ts'
import {
  canonicalSpec,
  type GivenSpec,
  meaningsOf,
  type RunMeanings,
  type RunSpec,
  type UncheckedSpec,
} from './spec.ts'

/** Converted trace without `origin`, which holds the columns of the trace. */
export type RunSource = Omit<ConvertedWorkload, 'origin'> & {
  /** Message with the reason why the outages of a log are left out of the run; absent if no outage is left out. */
  readonly outagesLeftOut?: string
}

/** Settings of a run that an option's value alone does not determine. */
export interface Applied {
  /** Canonical spelling of the arrivals. The default depends on the trace: a preset has its own setting. */
  readonly arrivals: string
  /** Estimates of the scheduler: the jobs' run times or the users' walltimes. The default depends on the trace. */
  readonly estimates: 'exact' | 'requested'
  /** Canonical spelling of the scenario; `none` if the policy does not claim `speedupScenarios`. */
  readonly scenario: string
  /** Counts of the jobs that outlive their walltimes; undefined with exact estimates. */
  readonly overruns: Header['overruns']
}

/** Run that is ready to start: all values, files and policies of its description are found and checked. */
export interface Run extends RunOrder {
  readonly spec: RunSpec
  readonly options: RunMeanings
  readonly topology: Topology
  readonly found: FoundPolicy
  readonly bound: BoundPolicy<unknown, unknown>
  /** Router of the run; undefined for none. */
  readonly router: FoundRouter | undefined
  /** Description of the router for the header of a log; undefined without a router. */
  readonly routerInHeader: Header['router']
  /** Returns tables of the router on which no job has started, for one simulation; undefined without a router. */
  readonly newRouting: () => Routing | undefined
  /** Jobs of the trace, and counts of the jobs left out. */
  readonly source: RunSource
  /** Jobs of the simulation, after all assumptions. */
  readonly workload: Workload
  readonly applied: Applied
  readonly outages: ReadonlyArray<Outage>
  /** Runs whose communication costs have scaled the run times, in the order of their simulation; empty for `costsFrom: none`. */
  readonly earlier: ReadonlyArray<Run>
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
  const givenOutages = yield* attempt(() => {
    const { outages: path } = options
    return path === undefined ? undefined : parseOutages(files.readText(path), path, topology)
  }, 'outages')
  const matrices = yield* attempt(() => options.matrices && readMatrices(options.matrices, files, hash), 'matrices')
  const found = yield* (yield* Policies).find(options.policy)
  const bound = yield* bind(found, topology, options.config)
  const queueOrder = yield* orderOfRun(options.order, options.orderConfig, topology)
  const { newOrder } = queueOrder
  const router = yield* findRouter(options.router)
  const routing = yield* attempt(() => routingOf(router, topology, bound))
  const runTimes = yield* runTimesOf(options, topology)
  yield* attempt(() => checkMigration(options, bound), 'migrate')
  if (options.runTimes === 'contention') yield* attempt(() => contentionOn(topology, bound.placer.claims, routing))
  const timeLimit = yield* timeLimitOf(options.maxPlaceMs)
  // The columns of the trace may be large, and the simulation needs the workload alone.
  const { origin, machine, ...converted } = yield* loaded(options)
  const isAsInLog = converted.arrivals === 'trace' && options.resample === undefined
  const first = isAsInLog ? Math.round(origin.trace.columns.submit[origin.rows[0]] * 1000) : undefined
  const ofTrace = outagesOfTrace(givenOutages === undefined ? machine : undefined, topology, first)
  const outages = givenOutages ?? ofTrace.outages
  const source: RunSource = { ...converted, ...(ofTrace.leftOut && { outagesLeftOut: ofTrace.leftOut }) }
  if (source.workload.jobs.length === 0) return yield* new OptionError({ option: 'filter', reason: noJobLeft(source) })
  const turned = yield* attempt(() => turnsFor(queueOrder, options.resample, source.workload))
  const assumed = yield* attempt(() => assume(turned, options, bound.placer.claims, matrices))
  const estimates = options.estimates ?? estimatesByDefault(source)
  if (options.runTimes === 'contention' && estimates === 'exact' && overrunInRun(options.overrun) === 'kill')
    return yield* new OptionError({
      option: 'overrun',
      reason:
        'a job that contention slows outlives its exact estimate, and would be killed; set overrun to run-on, or estimates to requested',
    })
  const overruns = estimates === 'requested' ? countOverruns(assumed.workload, options.overrun) : undefined
  const unscaled = estimates === 'requested' ? withOverruns(assumed.workload, options.overrun) : assumed.workload
  const { costsFrom, cost } = options
  const rules = rulesOf(spec, estimates)
  const scaled = yield* scaledByEarlierRuns({ rules, newOrder, costsFrom, cost, topology, found, bound }, unscaled)
  const applied: Applied = { arrivals: source.arrivals, estimates, scenario: assumed.scenario, overruns }
  const run: Run = {
    spec,
    options,
    topology,
    found,
    bound,
    ...queueOrder,
    router,
    routerInHeader: routing && describeRouter(routing),
    newRouting: firstThen(routing, () => routingOf(router, topology, bound)),
    source,
    workload: scaled.workload,
    applied,
    outages,
    earlier: [],
    matrices,
    runTimes,
    timeLimit,
    hash,
  }
  const whole: Run = { ...run, earlier: scaled.policies.map((policy) => earlierRun(run, policy, unscaled)) }
  return whole
})

/** Returns a function whose first call hands out the given tables and forgets them, because tables can be large. */
function firstThen(first: Routing | undefined, make: () => Routing | undefined): () => Routing | undefined {
  const left = first === undefined ? [] : [first]
  return () => left.pop() ?? make()
}

/** @throws OptionError if running jobs cannot move in the run */
function checkMigration(
  { migrate, queue, runTimes, costsFrom }: RunMeanings,
  { policy, placer }: BoundPolicy<unknown, unknown>,
): void {
  if (migrate === undefined) return
  const reason = !mayMigrate(queue)
    ? `jobs move under fcfs, unreserved, and easy without ,kill; under ${formatDiscipline(queue)} a move could delay a reservation`
    : placer.claims.links !== 'owned'
      ? `jobs move under policies whose jobs own their links; the claim of ${policy.name} on links is ${placer.claims.links}`
      : runTimes !== 'fixed' || costsFrom !== 'none'
        ? 'jobs move only if run times depend on no allocation; leave out run-times and costs-from'
        : undefined
  if (reason !== undefined) throw new OptionError({ option: 'migrate', reason })
}

/** Returns the earlier run under a policy: the same run without outages, with unscaled run times. */
function earlierRun(run: Run, policy: EarlierPolicy, workload: Workload): Run {
  const { costsFrom: _costsFrom, cost: _cost, ...spec } = run.spec
  const newRouting = (): Routing | undefined => routingOf(run.router, run.topology, policy.bound)
  const options: RunMeanings = { ...run.options, costsFrom: 'none' }
  return { ...run, ...policy, newRouting, spec, options, workload, outages: [] }
}

/** Returns the scheduler's rules in earlier runs of a run. */
function rulesOf(
  { queue, reservation, windowOrder, replan, moveMinNodes, overrun, requeue }: RunSpec,
  estimates: Applied['estimates'],
): SchedulingRules {
  const given = {
    arrivals: 'trace',
    queue,
    reservation,
    windowOrder,
    replan,
    moveMinNodes,
    estimates,
    overrun,
    requeue,
  }
  return schedulingRules(
    decodeOptions(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))),
  )
}

function loaded({
  trace,
  filter,
  procsPerNode,
  sizes,
  arrivals,
  skipBadLines,
  arrivesWhen,
  timeZone,
  columns,
}: RunMeanings): Effect.Effect<LoadedTrace, TaggedProblem, Traces> {
  const which = {
    filter,
    procsPerNode,
    sizes,
    arrivals,
    skipBadLines,
    arrivesWhen,
    timeZone,
    ...(columns && { columns }),
  }
  return Effect.flatMap(Traces, ({ load }) => load(trace, which))
}

/**
 * Makes the jobs of a simulation again from the header of its log and from the trace of the run.
 *
 * @param trace trace of the run: a preset, `synth:…` or the path of a file
 * @param matrices paths of the files of communication matrices, separated by commas; undefined if the jobs have none
 * @param found policy of the log, for a run whose run times depend on earlier runs
 */
export const workloadOfLog: (
  header: Header,
  trace: string,
  matrices: string | undefined,
  found: FoundPolicy,
) => Effect.Effect<Workload, TaggedProblem, RunFiles | Hash | Traces | Policies> = Effect.fnUntraced(
  function* (header, trace, matrices, found) {
    const { workload, policy, options: logged } = header
    const files = yield* RunFiles
    const hash = yield* Hash
    const options = yield* attempt(() => {
      // A resampled workload has the name of the rule behind its filter.
      const rule = logged.resample === undefined ? '' : `resample=${logged.resample}`
      const filter = workload.filter.slice(0, workload.filter.length - rule.length).replace(/,$/, '')
      // The jobs do not depend on the machine, and the files of the machine may not be at hand.
      const given = { ...logged, trace, filter, topology: 'radix:4', policy: policy.name, matrices }
      return meaningsOf(canonicalSpec(given, files), files)
    })
    const converted = yield* loaded(options)
    const unscaled = yield* attempt(() => {
      const read = options.matrices && readMatrices(options.matrices, files, hash)
      const hasTurns = header.order?.claims.recorded === true
      const turned = hasTurns ? { ...converted.workload, jobs: withTurns(converted.workload.jobs) } : converted.workload
      const assumed = assume(turned, options, { speedupScenarios: true }, read).workload
      return logged.estimates === 'requested' ? withOverruns(assumed, options.overrun) : assumed
    })
    const { costsFrom, cost } = options
    // With another number of jobs than in the log, the workloads differ anyway, and the earlier runs could take hours.
    if (costsFrom === 'none' || unscaled.jobs.length !== workload.jobs) return unscaled
    const topology = headerTopology(header)
    const bound = yield* bind(found, topology, policy.config)
    const rules = yield* attempt(() => schedulingRules(logged))
    const { newOrder } = yield* orderOfRun(header.order?.name ?? 'submit', header.order?.config ?? {}, topology)
    const scaled = yield* scaledByEarlierRuns({ rules, newOrder, costsFrom, cost, topology, found, bound }, unscaled)
    return scaled.workload
  },
)

const timeLimitOf = Effect.fnUntraced(function* (milliseconds: number | undefined) {
  if (milliseconds === undefined) return undefined
  const stopAfter = yield* StopAfter
  if (stopAfter !== undefined) return stopAfter(milliseconds)
  return yield* new OptionError({
    option: 'maxPlaceMs',
    reason: 'this platform cannot stop a policy; run under Node, or leave out the option',
  })
})

/** Returns `requested`, as real schedulers do, unless all jobs arrive at time 0 or most jobs lack a walltime; else `exact`. */
function estimatesByDefault({ arrivals, withoutWalltime, workload }: RunSource): Applied['estimates'] {
  return arrivals !== 'zero' && 2 * withoutWalltime < workload.jobs.length ? 'requested' : 'exact'
}

function noJobLeft({ workload, read, skipped }: RunSource): string {
  const reasons = Object.entries(skipped).map(([reason, jobs]) => `${jobs} by ${reason}`)
  return `no job is left of the ${read} of ${workload.name} (left out: ${reasons.join(', ')}); use a weaker filter`
}
