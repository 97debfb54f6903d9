import type { FabricPorts, Topology } from '@cloister/topology'
import { Clock, Console, Effect, Schedule } from 'effect'
import type { DrivenLog } from '../decide/driven-log.ts'
import type { Lease } from '../lease/lease.ts'
import { attempt } from '@cloister/run'
import { FabricTables } from './fabric-tables.ts'
import { JobRoutes } from './job-routes.ts'
import { SubnetManager, type SubnetManagerError } from './subnet-manager.ts'

/** How the routes of jobs come to the switches. */
export interface RouteOptions {
  /** Which OpenSM reads (`-R file,no_fallback -U FILE`). */
  readonly file: string
  /** Holds the process id of OpenSM. */
  readonly pidFile: string
  /** Seconds in which the switches have to have what OpenSM was told. */
  readonly within: number
  readonly ports: FabricPorts
}

/** Between two questions to the switches. */
const ASK_AGAIN_MS = 100
/** A look at the cluster is put off no longer by the switches. */
const WAIT_MS = 1500

/** Has the switches route the jobs of a log on their own links: a job starts after they have its entries. */
export class RouteKeeper<Index> {
  readonly #options: RouteOptions
  readonly #log: DrivenLog<Index>
  readonly #routes: JobRoutes
  /** When OpenSM was told last, and since when jobs wait for their routes, milliseconds. */
  #toldAt = 0
  #openSince: number | undefined
  #isLate = false

  constructor(options: RouteOptions, log: DrivenLog<Index>, routes: JobRoutes) {
    this.#options = options
    this.#log = log
    this.#routes = routes
  }

  /**
   * Tells OpenSM who runs, where that has changed, and asks the switches until they have it; for a moment alone, the next call goes on.
   *
   * @param isAllowed fails where nothing may be done any more
   * @returns by the log's names, the jobs whose routes the switches do not have: they stay held
   */
  readonly next = Effect.fnUntraced(
    function* (this: RouteKeeper<Index>, isAllowed: Lease['check']) {
      const { state } = this.#log
      const now = yield* milliseconds
      if (this.#routes.isChanged(state) || (this.#isLate && now - this.#toldAt > this.#within)) {
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
    this.#routes.told(state)
  })

  /** Until they have the routes of all jobs. Where they are late they are asked once. */
  readonly #wait = Effect.fnUntraced(
    function* (this: RouteKeeper<Index>, since: number) {
      const manager = yield* SubnetManager
      const { state } = this.#log
      for (;;) {
        this.#routes.see(state, this.#own, yield* manager.tables)
        if (this.#routes.unrouted(state).size === 0) return
        if (this.#isLate || (yield* milliseconds) - since > Math.min(WAIT_MS, this.#within)) return
        yield* Effect.sleep(`${ASK_AGAIN_MS} millis`)
      }
    }.bind(this),
  )

  readonly #judge = Effect.fnUntraced(
    function* (this: RouteKeeper<Index>, open: ReadonlySet<string>) {
      if (open.size === 0) {
        if (this.#isLate) yield* Console.error('the switches have the routes of all jobs again')
        this.#isLate = false
        this.#openSince = undefined
        return open
      }
      const now = yield* milliseconds
      this.#openSince ??= now
      if (now - this.#openSince > this.#within) {
        const { file, within } = this.#options
        yield* this.#late(`${file}: the switches do not have the routes of job ${[...open][0]} after ${within} s`)
      }
      return open
    }.bind(this),
  )

  readonly #late = Effect.fnUntraced(
    function* (this: RouteKeeper<Index>, reason: string) {
      if (this.#isLate) return
      this.#isLate = true
      yield* Console.error(`${reason}; jobs without routes stay held, and it is tried again`)
    }.bind(this),
  )

  get #within(): number {
    return this.#options.within * 1000
  }

  get #own() {
    return this.#log.scheduler.routing!.tables
  }
}

/** Looks at the switches, and begins. Fails where they are not those of the topology. */
export const keepRoutes = Effect.fnUntraced(function* <Index>(
  options: RouteOptions,
  topology: Topology,
  log: DrivenLog<Index>,
) {
  const manager = yield* SubnetManager
  const times = Math.ceil((options.within * 1000) / ASK_AGAIN_MS)
  const dump = yield* manager.tables.pipe(Effect.retry({ times, schedule: Schedule.spaced(`${ASK_AGAIN_MS} millis`) }))
  const tables = yield* attempt(() => new FabricTables(topology, options.ports, dump))
  return new RouteKeeper(options, log, new JobRoutes(tables))
})

const milliseconds = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))
