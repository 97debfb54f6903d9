import { Clock, Context, Effect, Metric } from 'effect'

/** Least time, in seconds, after which a program that waits for Slurm counts as unhealthy. */
const LEAST_SECONDS = 30
/** Number of intervals without a look at Slurm after which a program counts as unhealthy. */
const MISSED = 3

const seconds = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e9)

/** Relation of a controller to its lease. `none`: the program needs no lease. `standby`: another controller has it. */
export type LeaseState = 'none' | 'standby' | 'held' | 'late' | 'lost'

/** Health of a program that observes or drives a cluster, for `/healthz` and for metrics. */
export class Health {
  /** Seconds between two looks at Slurm. */
  interval = 0
  #since: number | undefined
  #lease: () => LeaseState = () => 'none'

  get lease(): LeaseState {
    return this.#lease()
  }

  /** Notes the interval, and begins to expect looks at Slurm. */
  readonly begin = (interval: number, lease: () => LeaseState): Effect.Effect<void> =>
    Effect.map(seconds, (now) => {
      this.interval = interval
      this.#lease = lease
      this.#since = now
    })

  /** Notes that another controller has the lease. */
  readonly standBy: Effect.Effect<void> = Effect.sync(() => {
    this.#lease = () => 'standby'
  })

  /** Notes a look at Slurm, to which Slurm has answered. Before `begin` the program still starts. */
  readonly looked: Effect.Effect<void> = Effect.flatMap(Clock.currentTimeMillis, (wall) =>
    Effect.andThen(
      Metric.update(lastLook, wall / 1000),
      Effect.map(seconds, (now) => {
        if (this.#since !== undefined) this.#since = now
      }),
    ),
  )

  /** Updates the metrics that change without an event, before a program reads all metrics. */
  readonly measure: Effect.Effect<void> = Effect.suspend(() =>
    this.lease === 'none' ? Effect.void : Metric.update(leaseHeld, this.lease === 'held' ? 1 : 0),
  )

  /** Returns the reason why the program is unhealthy; undefined if it is healthy. */
  readonly problem: Effect.Effect<string | undefined> = Effect.map(seconds, (now) => {
    const { lease } = this
    if (lease === 'standby') return undefined
    if (lease === 'lost') return 'the lease is lost'
    if (lease === 'late') return 'the lease could not be renewed in time'
    if (this.#since === undefined) return 'the program starts'
    const [age, most] = [now - this.#since, Math.max(LEAST_SECONDS, MISSED * this.interval)]
    if (age <= most) return undefined
    return `Slurm has not answered for ${age.toFixed(0)} s, expected at most ${most} s`
  })
}

/** Health of the running program. Default: an object that nobody reads. */
export const CurrentHealth: Context.Reference<Health> = Context.Reference<Health>('@cloister/cluster/CurrentHealth', {
  defaultValue: () => new Health(),
})

const lastLook = Metric.gauge('cloister_last_look_timestamp_seconds', {
  description: 'Time of the last answer of Slurm, in Unix seconds',
})

/** Failed queries of Slurm. */
export const failedQueries: Metric.Counter<number> = Metric.counter('cloister_failed_queries', {
  description: 'Queries of Slurm that failed',
  incremental: true,
})

const leaseHeld = Metric.gauge('cloister_drive_lease_held', {
  description: '1 while the controller surely holds the lease, else 0',
})
