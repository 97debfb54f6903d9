import { attempt } from '@cloister/run'
import type { FabricPorts, Topology } from '@cloister/topology'
import { Effect, Schedule } from 'effect'
import { monotonicMilliseconds, Outage } from '../polling.ts'
import { SubnetManager, type SubnetManagerError } from '../programs.ts'
import type { DrivenLog } from './driven-log.ts'
import { FabricTables, JobRoutes } from './fabric-tables.ts'
import type { Lease } from './lease.ts'

/** Files and times for the routes of jobs. */
export interface RouteOptions {
  /** File with the forwarding tables; OpenSM reads it (`-R file,no_fallback -U FILE`). */
  readonly file: string
  /** File with the process id of OpenSM. */
  readonly pidFile: string
  /** Seconds after which routes that the switches do not have yet count as late. */
  readonly within: number
  readonly ports: FabricPorts
}

const ASK_AGAIN_MS = 100
/** Longest time, in ms, that one call of `next` waits for the switches, before the polls of Slurm go on. */
const WAIT_MS = 1500

/** Routes the jobs of a log on their own links. A job stays held until the switches have the job's routes. */
export class RouteKeeper {
  readonly #options: RouteOptions
  readonly #log: DrivenLog
  readonly #routes: JobRoutes
  /** Time of the last request to OpenSM, in ms of the monotonic clock. */
  #toldAt = 0
  /** Begin of the present wait for routes, in ms of the monotonic clock; undefined if no job waits for routes. */
  #openSince: number | undefined
  /** Begins if OpenSM or the switches fail, or if routes are late. */
  readonly #outage = new Outage()

  constructor(options: RouteOptions, log: DrivenLog, routes: JobRoutes) {
    this.#options = options
    this.#log = log
    this.#routes = routes
  }

  /**
   * Gives OpenSM the routes of the running jobs if jobs have started or ended, or if routes are late. Then asks the
   * switches for their tables, for at most `WAIT_MS`.
   *
   * @param isAllowed fails if the controller has lost its lease
   * @returns names in the log of the jobs whose routes the switches do not have; the jobs stay held
   */
  readonly next = Effect.fnUntraced(
    function* (this: RouteKeeper, isAllowed: Lease['check']) {
      const { state } = this.#log
      const now = yield* monotonicMilliseconds
      if (this.#routes.isChanged(state) || (this.#outage.isOn && now - this.#toldAt > this.#within)) {
        yield* isAllowed
        this.#toldAt = now
        yield* this.#tell.pipe(Effect.catchTag('SubnetManagerError', ({ message }) => this.#late(message)))
      }
      if (this.#routes.unrouted(state).size > 0)
        yield* this.#wait(now).pipe(Effect.catchTag('SubnetManagerError', ({ message }) => this.#late(message)))
      return yield* this.#judge(this.#routes.unrouted(state))
    }.bind(this),
  )

  readonly #tell: Effect.Effect<void, SubnetManagerError, SubnetManager> = Effect.gen({ self: this }, function* () {
    const manager = yield* SubnetManager
    const { file, pidFile } = this.#options
    const { state } = this.#log
    yield* manager.install(file, pidFile, this.#routes.file(state, this.#own))
    this.#routes.markSent(state)
  })

  /** Asks the switches for their tables until all jobs have routes, at most `WAIT_MS`; just once if routes are late. */
  readonly #wait = Effect.fnUntraced(
    function* (this: RouteKeeper, since: number) {
      const manager = yield* SubnetManager
      const { state } = this.#log
      for (;;) {
        this.#routes.see(state, this.#own, yield* manager.tables)
        if (this.#routes.unrouted(state).size === 0) return
        if (this.#outage.isOn || (yield* monotonicMilliseconds) - since > Math.min(WAIT_MS, this.#within)) return
        yield* Effect.sleep(`${ASK_AGAIN_MS} millis`)
      }
    }.bind(this),
  )

  readonly #judge = Effect.fnUntraced(
    function* (this: RouteKeeper, open: ReadonlySet<string>) {
      if (open.size === 0) {
        yield* this.#outage.end('the switches have the routes of all jobs again')
        this.#openSince = undefined
        return open
      }
      const now = yield* monotonicMilliseconds
      this.#openSince ??= now
      if (now - this.#openSince > this.#within) {
        const { file, within } = this.#options
        yield* this.#late(`${file}: the switches do not have the routes of job ${[...open][0]} after ${within} s`)
      }
      return open
    }.bind(this),
  )

  readonly #late = (reason: string): Effect.Effect<void> =>
    this.#outage.begin(`${reason}; jobs without routes stay held, and the request is tried again`)

  get #within(): number {
    return this.#options.within * 1000
  }

  get #own() {
    return this.#log.scheduler.routing!.tables
  }
}

/** Reads the tables of the switches, and returns a `RouteKeeper`. Fails if the switches differ from the topology. */
export const keepRoutes = Effect.fnUntraced(function* (options: RouteOptions, topology: Topology, log: DrivenLog) {
  const manager = yield* SubnetManager
  const times = Math.ceil((options.within * 1000) / ASK_AGAIN_MS)
  const dump = yield* manager.tables.pipe(Effect.retry({ times, schedule: Schedule.spaced(`${ASK_AGAIN_MS} millis`) }))
  const tables = yield* attempt(() => new FabricTables(topology, options.ports, dump))
  return new RouteKeeper(options, log, new JobRoutes(tables))
})
