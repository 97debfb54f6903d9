import type { Recorder, Refuse, Totals } from '@cloister/eventlog'
import type { ForwardingTables, Placer, Refusal, Resources } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { Workload } from '@cloister/workload'
import type { Contention } from './contention.ts'
import type { RunTimes } from './run-times.ts'

/** Order of the waiting jobs: by submission, shortest estimate, or smallest size. Ties are in order of submission. */
export type QueueOrder = 'submit' | 'estimate' | 'size'

/** EASY: the head has a reservation. Each of the `window` jobs behind the head may start if the head is not delayed. */
export interface EasyBackfill {
  readonly backfill: 'easy'
  readonly window: number
  /**
   * True if backfilled jobs that block the reservation at its shadow time are killed. The reservation is then fixed.
   */
  readonly kill?: true
  /**
   * movable: a job may take nodes and links that are reserved for the head, if the policy can place the head elsewhere
   * at the same time, as in the textbook's EASY. Without this option, the head keeps the first reserved placement.
   */
  readonly reservation?: 'movable'
  /** Window order: the order in which the jobs of the window are tried. Default: queue order. */
  readonly windowOrder?: 'largest' | 'smallest' | 'shortest'
  /**
   * Asks the policy at every scheduling pass for a placement of the head at its shadow time. The answer replaces the
   * reserved placement. Without this option, the placement changes only with the shadow time or to make way. Not with
   * `kill`.
   */
  readonly replan?: true
  /**
   * Fewest nodes of a job that may move a movable reservation. A smaller job starts only on other nodes and links than
   * the reservation's. Default: 1.
   */
  readonly moveMinNodes?: number
}

/** Conservative backfilling: each of the first `window` jobs has a reservation that no later job delays. */
export interface ConservativeBackfill {
  readonly backfill: 'conservative'
  readonly window: number
  /**
   * movable: a reservation keeps its time, and moves to other nodes and links if a job needs its own, as in the
   * textbook's conservative backfilling. Without this option, a reservation keeps its first placement.
   */
  readonly reservation?: 'movable'
}

/**
 * Backfilling of the queue. none: no job passes the head. easy: `EasyBackfill`. conservative: `ConservativeBackfill`.
 */
export type QueueDiscipline = { readonly order: QueueOrder } & (
  | { readonly backfill: 'none' }
  | EasyBackfill
  | ConservativeBackfill
)

/** Failure or repair of nodes and links. `time` is in integer milliseconds. */
export interface Outage {
  readonly time: number
  readonly change: 'down' | 'up'
  readonly parts: Resources
}

/**
 * Cancellation of a job by its user at `time`, in integer milliseconds, after the submission. A cancellation after the
 * end of the job has no effect.
 */
export interface Cancellation {
  readonly time: number
  /** Number of the job in the workload. */
  readonly job: number
}

/** Name of a router and its empty forwarding tables. */
export interface Routing {
  readonly name: string
  readonly tables: ForwardingTables
}

/** All inputs of a simulation: cluster, policy, jobs and queue discipline. */
export interface Simulation<Index = unknown> {
  readonly topology: Topology
  /** Name of the policy in messages. */
  readonly policyName: string
  readonly placer: Placer<Index>
  readonly workload: Workload
  readonly queue: QueueDiscipline
  /**
   * Source of the scheduler's estimates. exact: the run time. requested: the walltime that the user asked for; the run
   * time if the job has no walltime.
   */
  readonly estimates: 'exact' | 'requested'
  /**
   * Run time by placement: called at each start with the job's run time. With exact estimates, also called before a
   * start, for the estimate. The header should name the model in the option `runTimes`. Default: run times do not
   * depend on placements.
   */
  readonly runTimes?: RunTimes
  /**
   * Slowdown of running jobs by each other. Their ends move as jobs start and end, and each change is recorded. The
   * scheduler sees estimates only. The header should require `progress` and name the model in the option `runTimes`.
   * Default: no slowdown.
   */
  readonly contention?: Contention
  /** Treatment of a job at the end of its estimate: the job runs on to its real end, or is killed. */
  readonly overrun: 'run-on' | 'kill'
  /** Outages in order of time. A job on a failed node is killed; a job that only owns a failed link keeps running. */
  readonly outages?: ReadonlyArray<Outage>
  /**
   * Cancellations in order of time; at one instant, in submit order. A waiting job leaves the queue; a running job is
   * killed.
   */
  readonly cancellations?: ReadonlyArray<Cancellation>
  /**
   * True if jobs that were killed for a reservation or an outage are requeued. A requeued job returns to its place in
   * the queue and runs again from its beginning.
   */
  readonly requeue?: boolean
  /** Forwarding tables that follow the running jobs; each change is recorded. */
  readonly routing?: Routing
  /**
   * Records why jobs did not start (`refuse`) and the policy's notes. Refusals are then not remembered, which is
   * slower.
   */
  readonly refusals: boolean
  /** Receives the reasons why one job (by number) does not start, as a log with `refusals` would hold them. */
  readonly watch?: { readonly job: number; readonly refused: (reason: RefusalReason) => void }
  readonly recorder: Recorder
  /** Time limit for an answer of the policy. Default: no limit. */
  readonly timeLimit?: TimeLimit
  /**
   * Greatest number of questions to the policy; one more ends the simulation with a TooManyQuestionsError. Default: no
   * limit.
   */
  readonly mostQuestions?: number
  /** Receives the number of ended jobs and of all jobs, once after every 1024 ended jobs. */
  readonly onProgress?: (ended: number, jobs: number) => void
}

/** Time limit for a policy's answer. The means of stopping a policy depend on the platform. */
export interface TimeLimit {
  readonly milliseconds: number
  /** Calls the policy. Returns undefined if the policy had to be stopped; rethrows an error of the policy. */
  readonly call: <Answer>(question: () => Answer) => { readonly answer: Answer } | undefined
}

/** Reason why a job was tried and did not start. */
export type RefusalReason = Omit<Refuse, 'seq' | 'type'>

/** Result of a run. */
export interface Summary {
  /** Totals, as in the last record of the log. */
  readonly totals: Totals
  /** Number of refusals with the code `search-bound`, which prove nothing about later placements. */
  readonly searchBounds: number
  /** Jobs that neither ran nor were cancelled. */
  readonly notPlaced: NotPlacedJobs
}

/** Jobs without a place when a run is over, by their numbers in the workload. */
export interface NotPlacedJobs {
  /** Jobs that the policy refuses on the empty machine, each with the code of the refusal. */
  readonly rejected: ReadonlyArray<{ readonly job: number; readonly code: Refusal['code'] }>
  /** Jobs that still wait after the last event of the run. */
  readonly waiting: ReadonlyArray<number>
}
