/**
 * The contract of queue orders, version 1. The file declares types only; nothing here exists at run time.
 *
 * A queue order gives every waiting job a score. The job with the lowest score is the head of the queue; jobs with equal
 * scores are in submit order. The queue discipline decides which jobs may start: first come first served, EASY and
 * conservative backfilling keep their guarantees under any order. A placement policy then chooses nodes and links.
 *
 * An additional optional member needs no new contract version. Times are integer milliseconds; time 0 is the begin of
 * the run.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'

/** Properties of the scores of an order. */
export interface OrderClaims {
  /**
   * True if the score of a job depends only on the columns of the job. The scheduler then asks once for each job, at its
   * submission or before the run, with the time 0 and without running and ended jobs. If false, the scheduler asks for
   * the scores of all waiting jobs at the begin of each scheduling pass.
   */
  readonly fixed: boolean
  /** True if the scores depend on `ended`. Only then do logs with the order need the history of the users. Default: false. */
  readonly history?: boolean
  /**
   * True if the scores depend on `turn`. The run then gives every job a turn, and a job joins the queue only when all jobs
   * of earlier turns are submitted. Only runs of a recorded history accept such an order. Default: false.
   */
  readonly recorded?: boolean
}

/** Waiting jobs, a row each. The arrays may be longer than `length`. The rows are in submit order. */
export interface WaitingColumns {
  readonly length: number
  /** Id of each job in the log. */
  readonly id: ReadonlyArray<string>
  /** Requested nodes. */
  readonly size: ArrayLike<number>
  /** Run time that the scheduler expects; Infinity if the scheduler has no estimate. */
  readonly estimate: ArrayLike<number>
  /** Time of submission, also for a job that was killed and waits again. */
  readonly submitted: ArrayLike<number>
  /** Number of the user in `users`; -1 if the log names no user. */
  readonly user: ArrayLike<number>
  /** Place of each job in the order of the recorded starts, from 1. Absent unless the order claims `recorded`. */
  readonly turn?: ArrayLike<number>
}

/** Runs of jobs, a row each. The arrays may be longer than `length`. */
export interface RunColumns {
  readonly length: number
  /** Nodes of the allocation. */
  readonly nodes: ArrayLike<number>
  readonly user: ArrayLike<number>
  readonly started: ArrayLike<number>
  /** End of the run: the expected end of a running job, the real end of an ended run. */
  readonly end: ArrayLike<number>
}

/** Queue, machine and history at one scheduling pass. An order reads the view only during the call. */
export interface QueueView {
  /** Time of the scheduling pass. */
  readonly now: number
  readonly waiting: WaitingColumns
  /** Running jobs in the order of their starts. */
  readonly running: RunColumns
  /** Runs that ended before this pass, in the order of their ends; rows never change. Empty without the claim `history`. */
  readonly ended: RunColumns
  /** Names of the users. Later views may have further users at the end. The numbers of users have no meaning. */
  readonly users: ReadonlyArray<string>
}

/**
 * An order bound to a machine and a config. The scores SHALL depend only on the view and on the config: an order reads
 * no clock, no random numbers and no environment. It may keep sums over rows of `ended`, because these rows never
 * change, but the scores SHALL equal the scores of a new `Ordering` that sees the same view first.
 */
export interface Ordering {
  readonly claims: OrderClaims
  /**
   * Writes the score of each row of `view.waiting` into `scores`, and writes nothing behind the rows: the array may be
   * longer. -Infinity and Infinity are scores; NaN is a fault of the order.
   */
  score(view: QueueView, scores: Float64Array): void
  /**
   * Under EASY, writes the score of each job that may be tried behind the blocked head: the rows of `view.waiting` are
   * the head and the jobs of the window. The jobs are tried by ascending score. A job with the score Infinity is not
   * tried, and the score of the head (row 0) is ignored. Default: all jobs of the window in queue order.
   */
  scoreBehindHead?(view: QueueView, scores: Float64Array): void
}

/** Machine of a run, as an order sees it. */
export interface OrderedMachine {
  /** Number of nodes of the machine. */
  readonly nodes: number
}

/** A queue order: the default export of a package or file. */
export interface QueueOrder<Config = Record<string, never>> {
  /** Programs refuse an order with an unknown contract version. */
  readonly contract: 1
  /** Name of the order on the command line and in logs: lower-case letters, digits and '-'. */
  readonly name: string
  /** Version of the order, such as `1.0.0`. */
  readonly version: string
  /**
   * Any Standard Schema (Effect: Schema.toStandardSchemaV1). The schema validates synchronously and fills in every
   * default.
   */
  readonly config: StandardSchemaV1<unknown, Config>
  /** Binds the order to a machine and a config. */
  make(machine: OrderedMachine, config: Config): Ordering
}
