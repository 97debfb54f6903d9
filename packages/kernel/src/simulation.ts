import type { Recorder, Refuse, Totals } from '@cloister/eventlog'
import type { ForwardingTables, Placer, Refusal, Resources } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { Workload } from '@cloister/workload'
import type { Contention } from './contention.ts'
import type { RunTimes } from './run-times.ts'

/** Waiting jobs stand in order of submission, of shortest estimate or of smallest size; ties in order of submission. */
export type QueueOrder = 'submit' | 'estimate' | 'size'

/** The head has a reservation, and each of the `window` jobs behind it may start where that does not delay the head. */
export interface EasyBackfill {
  readonly backfill: 'easy'
  readonly window: number
  /** Backfilled jobs that are in the reservation's way at its time are killed; it is fixed then. */
  readonly kill?: true
  /**
   * movable: a job may take what is reserved for the head, where the head can be placed elsewhere at the same time: the textbook's
   * EASY. Without it the head keeps the parts that were found for it first.
   */
  readonly reservation?: 'movable'
  /** In which order the jobs of the window are tried. Default: that of the queue. */
  readonly passing?: 'largest' | 'smallest' | 'shortest'
  /**
   * At every pass the policy is asked again where to place the head at the time of its reservation, and what it says then replaces what
   * is reserved. Without it that changes only for another time, or to make way. Not with `kill`.
   */
  readonly replans?: true
  /** Where the reservation is movable: a job of fewer nodes does not move it, and starts only beside it. Default: 1. */
  readonly movers?: number
}

/** Each of the first `window` jobs has a reservation that no other job delays. */
export interface ConservativeBackfill {
  readonly backfill: 'conservative'
  readonly window: number
  /**
   * movable: a reservation is for a time, and moves to other nodes and links where another job needs its own: the textbook's
   * conservative backfilling. Without it what was found first is kept.
   */
  readonly reservation?: 'movable'
}

/** none: no job passes the head. easy: see `EasyBackfill`. conservative: see `ConservativeBackfill`. */
export type QueueDiscipline = { readonly order: QueueOrder } & (
  | { readonly backfill: 'none' }
  | EasyBackfill
  | ConservativeBackfill
)

/** Nodes and links that fail or come back. `time` in integer milliseconds. */
export interface Outage {
  readonly time: number
  readonly change: 'down' | 'up'
  readonly parts: Resources
}

/** A user cancels a job; without effect where it has ended by then. `time` in integer milliseconds, after its submission. */
export interface Cancellation {
  readonly time: number
  /** Its number in the workload. */
  readonly job: number
}

/** Empty tables of a router, and its name. */
export interface Routing {
  readonly name: string
  readonly tables: ForwardingTables
}

/** Everything that a simulation is of: the cluster, the policy, the jobs, and the rules of the queue. */
export interface Simulation<Index = unknown> {
  readonly topology: Topology
  /** For messages. */
  readonly policyName: string
  readonly placer: Placer<Index>
  readonly workload: Workload
  readonly queue: QueueDiscipline
  /**
   * What the scheduler believes that jobs take. exact: their run time. requested: the walltime that the user asked for; a job without
   * one is taken at its run time.
   */
  readonly estimates: 'exact' | 'requested'
  /**
   * Where the time that a job takes depends on what it is given: asked at each start, with the job's run time, and where estimates
   * are exact before it too, for the estimate. The `run_times` of the header should say how. Default: it does not depend on that.
   */
  readonly runTimes?: RunTimes
  /**
   * How running jobs slow each other: their ends move as others start and end, and each change is recorded. The scheduler
   * knows estimates alone. The header should require `progress`, and its `run_times` say how. Default: they do not.
   */
  readonly contention?: Contention
  /** What happens to a job at the end of its estimate: it is killed, or runs on to its real end. */
  readonly overrun: 'run-on' | 'kill'
  /** By time. A job on a node that fails is killed; one that owns a link that fails keeps running. */
  readonly outages?: ReadonlyArray<Outage>
  /** By time, those of one instant in submit order. A waiting job leaves the queue, a running one is killed. */
  readonly cancellations?: ReadonlyArray<Cancellation>
  /** Jobs killed for a reservation or an outage wait again, at their place in the queue, and start from the beginning. */
  readonly requeue?: boolean
  /** Keeps forwarding tables in step with the running jobs, and has their changes recorded. */
  readonly routing?: Routing
  /** Also record why jobs did not start (`refuse`), and the policy's notes. No refusal is remembered then: slower. */
  readonly refusals: boolean
  /** Learns why one job, by its number, does not start, as a log with `refusals` would say of it. */
  readonly watch?: { readonly job: number; readonly refused: (reason: RefusalReason) => void }
  readonly recorder: Recorder
  /** How long the policy may take for an answer. Default: as long as it likes. */
  readonly timeLimit?: TimeLimit
  /** How often the policy is asked at most: more end the simulation with a TooManyQuestionsError. Default: as often as it takes. */
  readonly mostQuestions?: number
  /** Called now and then with the number of jobs that have ended. */
  readonly onProgress?: (ended: number, jobs: number) => void
}

/** Stops a policy that takes too long: what can do so depends on the platform. */
export interface TimeLimit {
  readonly milliseconds: number
  /** Calls the policy; undefined where it had to be stopped. What it throws is thrown. */
  readonly call: <Answer>(question: () => Answer) => { readonly answer: Answer } | undefined
}

/** Why a job was tried and did not start. */
export type RefusalReason = Omit<Refuse, 'seq' | 'type'>

/** What became of a run. */
export interface Summary {
  /** As in the log's last record. */
  readonly totals: Totals
  /** How often the policy gave up a search (`search-bound`): its refusal then proves nothing. */
  readonly searchBounds: number
  /** Jobs that neither ran nor were cancelled. */
  readonly notPlaced: NotPlacedJobs
}

/** Jobs without a place when a run is over, by their numbers in the workload. */
export interface NotPlacedJobs {
  /** Jobs that the policy refuses on the empty machine, each with the code of the refusal. */
  readonly rejected: ReadonlyArray<{ readonly job: number; readonly code: Refusal['code'] }>
  /** Jobs that wait though nothing will happen any more. */
  readonly waiting: ReadonlyArray<number>
}
