import type { Recorder, Refuse, Totals } from '@cloister/eventlog'
import type { ForwardingTables, Placer, Refusal, Resources } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { Workload } from '@cloister/workload'
import type { Contention } from './contention.ts'
import type { RunTimes } from './run-times.ts'

/** Queue order: by submission, shortest estimate, or smallest size. Ties are in order of submission. */
export type QueueOrder = 'submit' | 'estimate' | 'size'

/** EASY backfilling: each of the first `window` jobs behind the head may start if the start does not delay the head. */
export interface EasyBackfill {
  readonly backfill: 'easy'
  readonly window: number
  /**
   * True if backfilled jobs that block the reservation at its shadow time are killed. The reservation is then fixed.
   */
  readonly kill?: true
  /**
   * movable: a job may take nodes and links reserved for the head if the policy can place the head elsewhere at the
   * same time (the textbook's EASY). Default: the head keeps the first reserved placement.
   */
  readonly reservation?: 'movable'
  /** Order in which the jobs of the window are tried. Default: queue order. */
  readonly windowOrder?: 'largest' | 'smallest' | 'shortest'
  /**
   * True if the reserved placement becomes, at every scheduling pass, the policy's current answer for the head at its
   * shadow time; no effect with `kill`. By default, the reserved placement changes only with the shadow time or, if
   * movable, to make way for a job.
   */
  readonly replan?: true
  /**
   * Fewest nodes of a job that may move a movable reservation. Smaller jobs keep off reserved nodes and links. Default:
   * 1.
   */
  readonly moveMinNodes?: number
}

/** Conservative backfilling: each of the first `window` jobs has a reservation that no job behind it delays. */
export interface ConservativeBackfill {
  readonly backfill: 'conservative'
  readonly window: number
  /**
   * movable: a reservation keeps its time, but moves to other nodes and links if a job needs the reserved ones (the
   * textbook's conservative backfilling). Default: a reservation keeps its first placement.
   */
  readonly reservation?: 'movable'
}

/** Queue order and backfilling. With `backfill: none`, no job passes the head. */
export type QueueDiscipline = { readonly order: QueueOrder } & (
  | { readonly backfill: 'none' }
  | EasyBackfill
  | ConservativeBackfill
)

/** Failure or repair of nodes and links. `time` is in integer milliseconds. */
export interface Outage {
  readonly time: number
  readonly change: 'down' | 'up'
  readonly resources: Resources
}

/** Cancellation of a job by its user at `time`, in integer milliseconds; no effect unless the job waits or runs. */
export interface Cancellation {
  readonly time: number
  /** Number of the job in the workload. */
  readonly job: number
}

/** A router: its name in `route` records, and its forwarding tables, which are empty at the start of a run. */
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
  /** Source of estimates. exact: the run time. requested: the walltime, or the run time without a walltime. */
  readonly estimates: 'exact' | 'requested'
  /**
   * Function that returns a job's run time on a placement; called at each start and, with exact estimates, also before.
   * The header should name the model in the option `runTimes`. Default: run times do not depend on placements.
   */
  readonly runTimes?: RunTimes
  /**
   * Model of the slowdown of running jobs by each other; estimates ignore the slowdown. Each change of a rate is
   * recorded. The header should require `progress` and name the model in the option `runTimes`. Default: no slowdown.
   */
  readonly contention?: Contention
  /** Treatment of a job at the end of its estimate: the job runs on to its real end, or is killed. */
  readonly overrun: 'run-on' | 'kill'
  /** Outages in order of time. A job on a failed node is killed; a job with only failed links keeps running. */
  readonly outages?: ReadonlyArray<Outage>
  /** Cancellations in order of time; at one instant, in submit order of the jobs. */
  readonly cancellations?: ReadonlyArray<Cancellation>
  /** True if a job killed for a reservation or an outage waits again, at its old place in the queue. */
  readonly requeue?: boolean
  /** Router whose tables get the routes of running jobs. Each change of the tables is recorded. */
  readonly routing?: Routing
  /**
   * True if the log gets `refuse` records, with the reason why each tried job did not start, and the policy's notes.
   * The kernel then asks the policy again even if it remembers the refusal, so the run is slower.
   */
  readonly refusals: boolean
  /** Observer of one job (by number): receives the reasons that a run with `refusals` would record. */
  readonly watch?: { readonly job: number; readonly refused: (reason: RefusalReason) => void }
  readonly recorder: Recorder
  /** Time limit for one answer of the policy; undefined for no limit. */
  readonly timeLimit?: TimeLimit
  /** Greatest number of calls of the policy's `place`. One more throws a TooManyQuestionsError; undefined for no limit. */
  readonly mostQuestions?: number
  /** Receives the number of ended jobs and of all jobs, once after every 1024 ended jobs. */
  readonly onProgress?: (ended: number, jobs: number) => void
}

/** Time limit for a policy's answer. `call` depends on the platform's way to stop running code. */
export interface TimeLimit {
  readonly milliseconds: number
  /** Calls `question`. Returns undefined if `question` was stopped; rethrows its error. */
  readonly call: <Answer>(question: () => Answer) => { readonly answer: Answer } | undefined
}

/** Reason why a tried job did not start: a `refuse` record without seq and type. */
export type RefusalReason = Omit<Refuse, 'seq' | 'type'>

/** Result of `simulate`. */
export interface Summary {
  /** Counts of jobs, as in the last record of the log. */
  readonly totals: Totals
  /** Number of refusals after a bounded search (`search-bound`): a placement may exist all the same. */
  readonly searchBounds: number
  readonly notPlaced: NotPlacedJobs
}

/** Jobs that neither ran nor were cancelled, by their numbers in the workload. */
export interface NotPlacedJobs {
  /** Jobs that the policy refuses on the empty machine, each with the code of the refusal. */
  readonly rejected: ReadonlyArray<{ readonly job: number; readonly code: Refusal['code'] }>
  /** Jobs that still wait after the last event of the run. */
  readonly waiting: ReadonlyArray<number>
}
