import { existsSync } from 'node:fs'
import type { LogHeader, LogRecord } from '@cloister/eventlog'
import { createLogFile, type LogFile, readLogFile, resumeLogFile, sha256 } from '@cloister/eventlog/node'
import {
  describeOrder,
  describePolicy,
  describeRouter,
  type LiveRules,
  OrderFaultError,
  PolicyFaultError,
  type QueueDiscipline,
  queueOptions,
  type Routing,
  schedulingRules,
} from '@cloister/kernel'
import type { BoundOrder } from '@cloister/ordering'
import type { BoundPolicy } from '@cloister/placement'
import { attempt, inSlices, OptionError, parseQueue, routingOf } from '@cloister/run'
import { stopAfter } from '@cloister/run/node'
import { liveHeader, NodeIds, ObservedLog } from '@cloister/slurm'
import type { Topology } from '@cloister/topology'
import { traceName } from '@cloister/trace-io'
import { Clock, Console, Data, Effect, Metric } from 'effect'
import { again, remark } from '../polling.ts'
import { ChangingJobs, commandsOf, defectOf } from './changing-jobs.ts'
import { DrivenLog } from './driven-log.ts'
import { Driver } from './driver.ts'
import { CurrentHealth } from '../health.ts'
import { holdLease, type Lease } from './lease.ts'
import { JobMeasures, measures } from './measures.ts'

import { askAccounting, checkPartition, look, type Partition, UnreadReports } from './partition.ts'
import { keepRoutes, type RouteKeeper, type RouteOptions } from './route-keeper.ts'
import { handBackAll } from './watchdog.ts'

/** Options of `driveSlurm`. */
export interface DriveOptions {
  /** Name of the Slurm partition whose jobs the controller places. */
  readonly partition: string
  readonly topology: Topology
  /** Policy that places the jobs, from `bind` of `@cloister/run`. */
  readonly policy: BoundPolicy<unknown, unknown>
  /** Name of the policy in messages. */
  readonly policyName: string
  /** Queue discipline, from `liveQueue`. */
  readonly queue: QueueDiscipline
  /** Binds the queue order for one scheduler. Default: the order of submission. */
  readonly newOrder?: (() => BoundOrder | undefined) | undefined
  /** Longest time for one answer of the policy, in seconds. */
  readonly policyTimeout: number
  /** Event log to write. If the file is the log of an earlier controller, the controller continues the log. */
  readonly log: string
  /** Name and version of the program that writes the log, such as `cloister@1.0.0`. */
  readonly program: string
  /** Folder of the lease, on a file system that all hosts of controllers share. */
  readonly lease: string
  /** Seconds until a lease without renewal ends. */
  readonly leaseSeconds: number
  /** Seconds between two polls of Slurm. */
  readonly interval: number
  /** Longest time to the start of a released job, in seconds. After this time the controller places the job again. */
  readonly startWithin: number
  /**
   * Longest time, in seconds, of a command that changes a job. A controller that continues a log first waits for this
   * time, because a command of its predecessor may still be running.
   */
  readonly commandSeconds: number
  /** Number of polls of Slurm, at least 1. Default: no end. */
  readonly polls?: number | undefined
  /** True to print the commands that change jobs, and to write no log and take no lease. Default: false. */
  readonly dryRun?: boolean
  /** Files and times for routes on each job's own links. Default: no job gets routes. */
  readonly routes?: RouteOptions | undefined
}

/** Totals of a controller's polls, records, changes and decisions. */
export interface DriveReport {
  readonly polls: number
  readonly records: number
  /** Number of `allocate` and `reserve` records in the log. */
  readonly decisions: number
  /** Time that the policy and the scheduler took, in ms. */
  readonly decidingMilliseconds: number
  readonly changes: number
  readonly failed: number
  /** Number of failed requests to the files of the lease. */
  readonly leaseErrors: number
}

/** A log with routes of jobs was continued without routes, or a log without routes was continued with routes. */
export class OtherRouterError extends Data.TaggedError('OtherRouterError')<{
  readonly log: string
  readonly hasRoutes: boolean
}> {
  override get message(): string {
    return `${this.log} was begun with${this.hasRoutes ? '' : 'out'} the routes of jobs, and must be continued ${this.hasRoutes ? 'with them: give --opensm-routes' : 'without them: leave --opensm-routes out'}, or give another --out`
  }
}

/** A log with one queue order was continued with another. */
export class OtherOrderError extends Data.TaggedError('OtherOrderError')<{
  readonly log: string
  /** Name of the order in the log. */
  readonly found: string
}> {
  override get message(): string {
    return `${this.log} was begun with the queue order ${this.found}, and must be continued with the same order and configuration: give --order ${this.found}, or give another --out`
  }
}

/** Parses a queue discipline for a real machine. @throws OptionError (`queue`), also for a queue that kills jobs */
export function liveQueue(text: string): QueueDiscipline {
  const queue = parseQueue(text)
  if (queue.backfill === 'easy' && queue.kill === true)
    throw new OptionError({
      option: 'queue',
      reason: `found ${text}, expected a queue without ,kill: on a real machine no job is killed for the start of another job`,
    })
  return schedulingRules({ arrivals: 'trace', queue: text, estimates: 'requested' }).queue
}

/**
 * Places the jobs of a Slurm partition by a policy and a queue discipline, until the last of `polls`, or until the
 * lease is lost, the policy fails or an error occurs. Remarks go to the `Reporter`; with `dryRun`, the commands go to
 * Effect's `Console`.
 */
export const driveSlurm = Effect.fnUntraced(function* (options: DriveOptions) {
  const rules = rulesOf(options)
  if (rules.makeRouting !== undefined)
    yield* attempt(rules.makeRouting).pipe(
      Effect.catchIf(
        (error) => error instanceof OptionError,
        ({ reason }) => new OptionError({ option: 'opensm-routes', reason }),
      ),
    )
  const { partition: name, topology } = options
  const partition: Partition = { name, topology, nodeIds: new NodeIds(topology) }
  yield* checkPartition(name)
  if (options.dryRun) return yield* sayOnly(options, rules, partition)
  const health = yield* CurrentHealth
  yield* health.standBy
  const lease = yield* holdLease(options.lease, options.leaseSeconds)
  yield* health.begin(options.interval, () => lease.state)
  // A controller that loses its lease ends, even while the controller waits for something else.
  return yield* Effect.raceFirst(driveWith(options, rules, partition, lease), lease.lost)
}, Effect.scoped)

function rulesOf(options: DriveOptions): LiveRules<unknown> {
  const { topology, policy, policyName, queue, newOrder, policyTimeout, routes } = options
  return {
    topology,
    placer: policy.placer,
    policyName,
    queue,
    newOrder,
    timeLimit: stopAfter(Math.round(policyTimeout * 1000)),
    ...(routes && { makeRouting: (): Routing => routingOf('partition', topology, policy)! }),
  }
}

/** Returns the header of a new log, without `epoch`. */
function headerOf({ topology, policy, queue, newOrder, log, program, routes }: DriveOptions): LogHeader {
  const live = liveHeader(traceName(log), 0, program)
  const options = { ...live.options, ...queueOptions(queue) }
  const router = routes && { router: describeRouter(routingOf('partition', topology, policy)!) }
  const order = newOrder?.()
  const ordered = order && { order: describeOrder(order) }
  return { ...live, origin: 'driven', policy: describePolicy(policy), ...router, ...ordered, options }
}

const driveWith = Effect.fnUntraced(function* (
  options: DriveOptions,
  rules: LiveRules<unknown>,
  partition: Partition,
  lease: Lease,
) {
  // A counter appears among the metrics after its first update.
  yield* Metric.update(measures.faults, 0)
  const changing = new ChangingJobs(partition, lease.check, options.commandSeconds)
  const controller = yield* begin(options, rules, partition)
  const keeper = options.routes && (yield* keepRoutes(options.routes, partition.topology, controller.log))
  if (controller.isContinued) yield* Effect.sleep(`${options.commandSeconds} seconds`)
  const next = Effect.gen(function* () {
    yield* lease.check
    const changes = yield* controller.poll(keeper, changing)
    const { failed } = changing.total
    yield* changing.all(changes).pipe(Effect.withSpan('drive.change', { attributes: { changes: changes.length } }))
    yield* Metric.update(measures.changes, changes.length)
    yield* Metric.update(measures.failedChanges, changing.total.failed - failed)
  }).pipe(Effect.withSpan('drive.poll'))
  yield* again(next, `${options.interval} seconds`, options.polls).pipe(
    Effect.tapError((error) =>
      error instanceof PolicyFaultError || error instanceof OrderFaultError
        ? leaveToSlurm(partition, error, changing)
        : Effect.void,
    ),
  )
  return { ...controller.report(), ...changing.total, leaseErrors: lease.diskErrors } satisfies DriveReport
})

const leaveToSlurm = Effect.fnUntraced(function* (
  partition: Partition,
  error: PolicyFaultError | OrderFaultError,
  changing: ChangingJobs,
) {
  yield* Metric.update(measures.faults, 1)
  yield* remark(`${error.message}; the queue of ${partition.name} is left to Slurm`)
  const jobs = yield* handBackAll(partition, changing)
  yield* remark(`${jobs} held jobs are handed back to Slurm`)
})

const sayOnly = Effect.fnUntraced(function* (options: DriveOptions, rules: LiveRules<unknown>, partition: Partition) {
  const controller = yield* begin(options, rules, partition)
  const changes = yield* controller.poll()
  for (const change of changes) {
    const defect = defectOf(change)
    if (defect !== undefined) yield* remark(defect)
    for (const args of commandsOf(change, partition)) yield* Console.log(`scontrol ${args.join(' ')}`)
  }
  return { ...controller.report(), changes: changes.length, failed: 0, leaseErrors: 0 } satisfies DriveReport
})

/** Opens the log. Returns the log, and the function that polls Slurm and decides. */
const begin = Effect.fnUntraced(function* (options: DriveOptions, rules: LiveRules<unknown>, partition: Partition) {
  const { log, clock, isContinued } = yield* openLog(options, rules)
  const driver = new Driver(log, partition.name, options.startWithin * 1000)
  const reports = new UnreadReports()
  const jobMeasures = new JobMeasures(log, partition.name)
  const firstSeq = log.state.seq
  const total = { polls: 0, decidingMilliseconds: 0 }
  const poll = Effect.fnUntraced(function* (keeper?: RouteKeeper, changing?: ChangingJobs) {
    const isAllowed = changing?.isAllowed ?? Effect.void
    const seen = yield* look(partition).pipe(Effect.withSpan('drive.look'))
    yield* reports.tell(seen.unread, partition.name)
    const forgotten = yield* askAccounting(missingIn(log, [...seen.jobs, ...seen.unread]), partition)
    const all = [...seen.jobs, ...forgotten]
    const jobs = changing === undefined ? all : yield* changing.withoutUnchangeable(all, options.startWithin)
    const observation = { ...seen, jobs, now: yield* clock }
    // Slurm may have taken long to answer, so that the lease may be lost by now.
    yield* isAllowed
    const before = { seq: log.state.seq, decisions: log.decisions }
    const began = yield* Clock.monotonicTimeNanos
    yield* attempt(() => {
      if (isContinued && total.polls === 0) log.goOn(observation.now)
      driver.decide(observation)
    }).pipe(Effect.withSpan('drive.decide'))
    const milliseconds = Number((yield* Clock.monotonicTimeNanos) - began) / 1e6
    total.polls++
    total.decidingMilliseconds += milliseconds
    yield* Metric.update(measures.records, log.state.seq - before.seq)
    yield* Metric.update(measures.decisions, log.decisions - before.decisions)
    yield* Metric.update(measures.deciding, milliseconds)
    yield* jobMeasures.look(observation)
    const unrouted = keeper === undefined ? undefined : yield* keeper.next(isAllowed)
    return driver.changes(observation, unrouted)
  })
  const report = () => ({
    polls: total.polls,
    records: log.state.seq - firstSeq,
    decisions: log.decisions,
    decidingMilliseconds: total.decidingMilliseconds,
  })
  return { log, isContinued, poll, report }
})

/** Returns Slurm's ids of the jobs that are in the log and not among the given jobs. */
function missingIn({ state }: DrivenLog, jobs: ReadonlyArray<{ readonly id: string | undefined }>) {
  const known = new Set(jobs.map(({ id }) => id))
  return [...state.running.keys(), ...state.waiting.keys()]
    .map((name) => name.replace(/\/\d+$/, ''))
    .filter((id) => !known.has(id))
}

const openLog = Effect.fnUntraced(function* (options: DriveOptions, rules: LiveRules<unknown>) {
  const { log: path, dryRun } = options
  const fresh = headerOf(options)
  const read = yield* readClocks
  const isThere = existsSync(path)
  const open = (make: () => LogFile) =>
    Effect.acquireRelease(attempt(make), (file) => attempt(() => file.close()).pipe(Effect.orDie))
  const there: Array<LogRecord> = []
  // The lease is renewed between slices of a long log.
  if (isThere) yield* inSlices(readLogFile(path), (slice) => there.push(...slice))
  const file = dryRun
    ? undefined
    : yield* open(() => (isThere ? resumeLogFile(path, { sync: 'record' }) : createLogFile(path, { sync: 'record' })))
  const [first] = there
  const known = first?.type === 'header' ? first : undefined
  if (known !== undefined && known.router?.name !== fresh.router?.name)
    return yield* new OtherRouterError({ log: path, hasRoutes: known.router !== undefined })
  if (known !== undefined && JSON.stringify(known.order) !== JSON.stringify(fresh.order))
    return yield* new OtherOrderError({ log: path, found: known.order?.name ?? 'submit' })
  const header = {
    ...fresh,
    ...(known === undefined ? { epoch: Math.floor(read.wall / 1000) } : ObservedLog.headerOf(known)),
  }
  const log = new DrivenLog(header, rules, (chunk) => file?.write(chunk), sha256)
  yield* inSlices(there, (slice) => log.retell(slice))
  const clock = logClock(read, (log.state.header.epoch ?? 0) * 1000, () => Math.round(log.state.t * 1000))
  if (there.length > 0) yield* remark(`${path}: the log is continued after ${there.length} records`)
  return { log, clock, isContinued: there.length > 0 }
})

/** Unix milliseconds of the wall clock and nanoseconds of the monotonic clock, read at one moment. */
export interface ClockReading {
  readonly wall: number
  readonly monotonic: bigint
}

export const readClocks: Effect.Effect<ClockReading> = Effect.all({
  wall: Clock.currentTimeMillis,
  monotonic: Clock.monotonicTimeNanos,
})

/**
 * Clock of a log, in ms since t = 0, that only goes forward, even if the wall clock is set back.
 *
 * @param read reading of the clocks from before the log was read, because reading a long log takes time
 * @param last returns the time of the log's last record, in ms
 */
export function logClock({ wall, monotonic }: ClockReading, epoch: number, last: () => number): Effect.Effect<number> {
  const first = Math.max(last() + 1, wall - epoch)
  return Effect.map(Clock.monotonicTimeNanos, (now) =>
    Math.max(last() + 1, first + Number((now - monotonic) / 1_000_000n)),
  )
}
