import type { LogHeader, LogRecord } from '@cloister/eventlog'
import { createLogFile, type LogFile, readLogFile, resumeLogFile, sha256 } from '@cloister/eventlog/node'
import { type LiveRules, PolicyFaultError } from '@cloister/kernel'
import { attempt, inSlices } from '@cloister/run'
import { Clock, Console, Data, Effect, Metric, Schedule } from 'effect'
import { existsSync } from 'node:fs'
import type { JobChange } from './decide/job-changes.ts'
import { DrivenLog } from './decide/driven-log.ts'
import { Driver } from './decide/driver.ts'
import { holdLease, type Lease } from './lease/lease.ts'
import { keepRoutes, type RouteKeeper, type RouteOptions } from './fabric/route-keeper.ts'
import { handBackAll } from './lease/watchdog.ts'
import { measures } from './measures.ts'
import {
  askAccounting,
  ChangingJobs,
  checkPartition,
  commandsOf,
  defectOf,
  look,
  type Partition,
  UnreadReports,
} from './slurm.ts'

/** Options of a controller for one partition. */
export interface DriveOptions<Index> {
  readonly partition: Partition
  readonly rules: LiveRules<Index>
  /** Header for a new log, without `epoch`. */
  readonly header: LogHeader
  readonly log: string
  readonly lease: string
  readonly leaseSeconds: number
  /** Seconds between two polls of Slurm. */
  readonly interval: number
  readonly startWithin: number
  /**
   * Longest time, in seconds, of a command that changes a job. A controller that continues a log first waits for this
   * time, because a command of its predecessor may still be running.
   */
  readonly commandSeconds: number
  /** Number of polls of Slurm; undefined for no end. */
  readonly polls: number | undefined
  /** True to print the commands that change jobs, and to write no log and take no lease. */
  readonly dryRun: boolean
  /** Files and times for the routes that `rules` makes on each job's own links. Default: no job gets routes. */
  readonly routes?: RouteOptions
}

/** Totals of a controller's polls, records, changes and decisions. */
export interface DriveReport {
  readonly polls: number
  readonly records: number
  readonly changes: number
  readonly failed: number
  /** Number of `allocate` and `reserve` records in the log. */
  readonly decisions: number
  /** Time that the policy and the scheduler took, in ms. */
  readonly decidingMilliseconds: number
  /** Number of failed requests to the file of the lease. */
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

/** Drives a partition until the last of `polls`, or until the lease is lost, the policy fails or an error occurs. */
export const drive = <Index>(options: DriveOptions<Index>) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* checkPartition(options.partition.name)
      if (options.dryRun) return yield* sayOnly(options)
      const lease = yield* holdLease(options.lease, options.leaseSeconds)
      // A controller that loses its lease ends, even while the controller waits for something else.
      return yield* Effect.raceFirst(driveWith(options, lease), lease.lost)
    }),
  )

const driveWith = Effect.fnUntraced(function* <Index>(options: DriveOptions<Index>, lease: Lease) {
  const changing = new ChangingJobs(options.partition, lease.check, options.commandSeconds)
  const looking = yield* begin(options)
  const keeper = options.routes && (yield* keepRoutes(options.routes, options.partition.topology, looking.log))
  if (looking.isContinued) yield* Effect.sleep(`${options.commandSeconds} seconds`)
  const again = Schedule.spaced(`${options.interval} seconds`)
  const { polls } = options
  const next = Effect.gen(function* () {
    yield* lease.check
    const changes = yield* looking.next(keeper, lease.check)
    yield* changing.all(changes)
    yield* Metric.update(measures.changes, changes.length)
  })
  yield* next.pipe(
    Effect.repeat(polls === undefined ? { schedule: again } : { schedule: again, times: polls - 1 }),
    Effect.tapError((error) =>
      error instanceof PolicyFaultError ? leaveToSlurm(options.partition, error, changing) : Effect.void,
    ),
  )
  return { ...looking.report(), ...changing.total, leaseErrors: lease.diskErrors() } satisfies DriveReport
})

const leaveToSlurm = Effect.fnUntraced(function* (
  partition: Partition,
  error: PolicyFaultError,
  changing: ChangingJobs,
) {
  yield* Console.error(`${error.message}; the queue of ${partition.name} is left to Slurm`)
  const jobs = yield* handBackAll(partition, changing)
  yield* Console.error(`${jobs} held jobs are handed back to Slurm`)
})

const sayOnly = Effect.fnUntraced(function* <Index>(options: DriveOptions<Index>) {
  const looking = yield* begin({ ...options, dryRun: true })
  const changes = yield* looking.next(undefined, Effect.void)
  for (const change of changes) {
    const defect = defectOf(change)
    if (defect !== undefined) yield* Console.error(defect)
    for (const args of commandsOf(change, options.partition)) yield* Console.log(`scontrol ${args.join(' ')}`)
  }
  return { ...looking.report(), changes: changes.length, failed: 0, leaseErrors: 0 } satisfies DriveReport
})

const begin = Effect.fnUntraced(function* <Index>(options: DriveOptions<Index>) {
  const { partition, rules, log: path, dryRun, startWithin } = options
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
  if (first?.type === 'header' && first.options.router !== options.header.options.router)
    return yield* new OtherRouterError({ log: path, hasRoutes: first.options.router !== undefined })
  const header =
    first?.type === 'header'
      ? { ...options.header, ...kept(first) }
      : { ...options.header, epoch: Math.floor(read.wall / 1000) }
  const log = new DrivenLog(header, rules, (chunk) => file?.write(chunk), sha256)
  yield* inSlices(there, (slice) => log.retell(slice))
  const epoch = (log.state.header.epoch ?? 0) * 1000
  const clock = logClock(read, epoch, () => Math.round(log.state.t * 1000))
  if (there.length > 0) {
    yield* Console.error(`${path}: the log is continued after ${there.length} records`)
  }
  return new Looking(
    partition,
    log,
    new Driver(log, partition.name, { startWithin: startWithin * 1000 }),
    clock,
    there.length > 0,
  )
})

function kept(header: object): object {
  const {
    seq: _,
    type: __,
    format: ___,
    version: ____,
    topology: _____,
    names: ______,
    ...own
  } = header as Record<string, unknown>
  return own
}

class Looking<Index> {
  readonly #partition: Partition
  readonly log: DrivenLog<Index>
  readonly #driver: Driver<Index>
  readonly clock: Effect.Effect<number>
  isContinued: boolean
  readonly #reports = new UnreadReports()
  readonly #firstSeq: number
  #polls = 0
  #deciding = 0

  constructor(
    partition: Partition,
    log: DrivenLog<Index>,
    driver: Driver<Index>,
    clock: Effect.Effect<number>,
    isContinued: boolean,
  ) {
    this.#partition = partition
    this.log = log
    this.#driver = driver
    this.clock = clock
    this.isContinued = isContinued
    this.#firstSeq = log.state.seq
  }

  readonly next = Effect.fnUntraced(
    function* (this: Looking<Index>, keeper: RouteKeeper<Index> | undefined, isAllowed: Lease['check']) {
      const seen = yield* look(this.#partition)
      yield* this.#reports.tell(seen.unread, this.#partition.name)
      const forgotten = yield* askAccounting(this.#missing([...seen.jobs, ...seen.unread]), this.#partition)
      const observation = { ...seen, jobs: [...seen.jobs, ...forgotten], now: yield* this.clock }
      // Slurm may have taken long to answer, so that the lease may be lost by now.
      yield* isAllowed
      const before = this.log.state.seq
      const began = yield* Clock.monotonicTimeNanos
      yield* attempt(() => {
        if (this.isContinued) this.log.goOn(observation.now)
        this.isContinued = false
        this.#driver.decide(observation)
      })
      const milliseconds = Number((yield* Clock.monotonicTimeNanos) - began) / 1e6
      this.#polls++
      this.#deciding += milliseconds
      yield* Metric.update(measures.records, this.log.state.seq - before)
      yield* Metric.update(measures.deciding, milliseconds)
      const unrouted = keeper === undefined ? undefined : yield* keeper.next(isAllowed)
      const changes: ReadonlyArray<JobChange> = this.#driver.changes(observation, unrouted)
      return changes
    }.bind(this),
  )

  #missing(jobs: ReadonlyArray<{ readonly id: string | undefined }>): ReadonlyArray<string> {
    const known = new Set(jobs.map(({ id }) => id))
    const { running, waiting } = this.log.state
    return [...running.keys(), ...waiting.keys()]
      .map((name) => name.replace(/\/\d+$/, ''))
      .filter((id) => !known.has(id))
  }

  report(): Omit<DriveReport, 'changes' | 'failed' | 'leaseErrors'> {
    return {
      polls: this.#polls,
      records: this.log.state.seq - this.#firstSeq,
      decisions: this.log.decisions,
      decidingMilliseconds: this.#deciding,
    }
  }
}

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
