import type { Recorder, Refuse } from '@cloister/eventlog'
import type { BoundOrder } from '@cloister/ordering'
import type { ForwardingTables, Placement, Placer, Request, Router, StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { QueueDiscipline, SchedulingRules } from './scheduling-rules.ts'

/** The policy's code, with limits for its answers. */
export interface PolicyCode<Index> {
  /** Name of the policy in messages. */
  readonly policyName: string
  readonly placer: Placer<Index>
  /** See `SchedulingRules`. */
  readonly refusals: boolean
  /** Time limit for one answer of the policy; undefined for no limit. */
  readonly timeLimit?: TimeLimit
  /** Greatest number of calls of the policy's `place`. One more throws a TooManyQuestionsError; undefined for no limit. */
  readonly mostQuestions?: number
}

/** Time limit for a policy's answer. `call` depends on the platform's way to stop running code. */
export interface TimeLimit {
  readonly milliseconds: number
  /** Calls `question`. Returns undefined if `question` was stopped; rethrows its error. */
  readonly call: <Answer>(question: () => Answer) => { readonly answer: Answer } | undefined
}

/** Cluster, policy, rules and recorder of a scheduler, simulated or not. */
export interface SchedulerSetup<Index = unknown> extends PolicyCode<Index> {
  readonly topology: Topology
  readonly queue: QueueDiscipline
  /** Queue order. Default: the order of submission. */
  readonly order?: BoundOrder | undefined
  /** Source of estimates. exact: the run time. requested: the walltime, or the run time without a walltime. */
  readonly estimates: SchedulingRules['estimates']
  /** True if a job killed for a reservation or an outage waits again, at its old place in the queue. */
  readonly requeue?: boolean
  /** `kill`: a job that loses its routes by a failure is killed. Default: the job runs on. */
  readonly unroutable?: 'kill'
  /** See `SchedulingRules`. Needs a queue for which `mayMigrate` is true, a policy with own links, and fixed run times. */
  readonly migrate?: SchedulingRules['migrate']
  /** Router whose tables get the routes of running jobs. Each change of the tables is recorded. */
  readonly routing?: Routing
  /** Observer of one job (by number): receives the reasons that a run with `refusals` would record. */
  readonly watch?: { readonly job: number; readonly refused: (reason: RefusalReason) => void }
  readonly recorder: Recorder
}

/** A router, with its forwarding tables of the machine without jobs. */
export interface Routing {
  readonly router: Pick<Router, 'name' | 'version' | 'claims'>
  readonly tables: ForwardingTables
}

/** Reason why a tried job did not start: a `refuse` record without seq and type. */
export type RefusalReason = Omit<Refuse, 'seq' | 'type'>

/** Run time or estimate, in integer milliseconds, of a job (by number) on a placement that was found in `state`. */
export type TimeOn = (job: number, state: StateView, request: Request, placement: Placement) => number

/** The machine that carries out the scheduler's decisions. Jobs are numbers. */
export interface Machine {
  /** Returns the estimate of a job on a placement; undefined if estimates do not depend on the placement. */
  readonly estimateOn: TimeOn | undefined
  /** Starts a job. Returns the estimate for this start, in ms; undefined for the job's own estimate. */
  start(...of: Parameters<TimeOn>): number | undefined
  /**
   * Reports that a start is recorded.
   *
   * @param estimate integer milliseconds
   * @param seq seq of the allocate record
   */
  onStart(job: number, placement: Placement, estimate: number, seq: number): void
  /** Reports that the nodes and links of a job are free again. @param seq seq of the release record */
  onRelease(job: number, seq: number): void
  /** Reports that a running job moves to other nodes and links, and runs `cost` longer, integer milliseconds. */
  onMove?(job: number, cost: number): void
}

/** The current instant, shared by all objects that write records. */
export interface Instant {
  now: number
  /**
   * Seq of the record that causes the decisions of the instant: the last input, or the last kill at an estimate or for
   * a reservation. Without such a record, the seq of the reserve record whose start caused the pass, or 0.
   */
  cause: number
  pass: number
}
