/**
 * Everything the papers measure of one run. This is what `cloister metrics --json` prints, names included. Times are
 * seconds, shares are fractions of 1, and a figure that the run does not define (a mean over no jobs, a steady state
 * that never began) is null.
 */
export interface Metrics {
  /** `jigsaw@1.0.0`. */
  readonly policy: string
  readonly topology: string
  readonly workload: string
  /** Jobs, not events: a job that was requeued and ran twice counts once. */
  readonly jobs: {
    readonly submitted: number
    /** Started at least once. */
    readonly started: number
    /** Ran to their end, failed ones included. */
    readonly finished: number
    readonly rejected: number
    /** Killed and not requeued. */
    readonly killed: number
    /** Withdrawn while they waited. */
    readonly cancelled: number
  }
  /**
   * Node-time of the *requested* nodes of running jobs over node-time of the whole machine. Nodes that a policy
   * allocates beyond the request, and nodes that are down, are not busy.
   */
  readonly utilization: {
    /** Over the steady state (Jigsaw paper, section 5). */
    readonly steady: number | null
    /** Over the makespan. */
    readonly overall: number | null
    /** Sampled at every whole minute from the first arrival until before the last finish (Pollard et al., IV-C). */
    readonly perMinute: Quartiles | null
  }
  /** From the first instant at whose end a job still waited, to the last start. */
  readonly steadyState: { readonly from: number; readonly to: number } | null
  /** First arrival to last finish. */
  readonly makespan: number | null
  /** Time in the queue of jobs that started; all waits of a requeued job together. */
  readonly wait: Wait & { readonly bySize: ReadonlyArray<Wait & { readonly sizes: string; readonly jobs: number }> }
  /** First submit to final end, of jobs that finished or were killed for good. `large`: over 100 nodes. */
  readonly turnaround: { readonly mean: number | null; readonly large: number | null }
  /**
   * Turnaround over run time, same jobs as `turnaround`. `mean` leaves out jobs of zero run time; `bounded` is
   * Feitelson's max(1, turnaround / max(run time, 10 s)).
   */
  readonly slowdown: { readonly mean: number | null; readonly bounded: number | null }
  /** Share of all starts that were made ahead of a waiting job, beside its reservation. */
  readonly backfilled: number | null
  /**
   * Shares of the machine's node-time in the steady state. There, utilisation + internal + external + idle while
   * nobody waits + down = 1.
   */
  readonly fragmentation: {
    /** Allocated but not requested. */
    readonly internal: number | null
    /** Idle (neither allocated nor down) while at least one job waits. */
    readonly external: number | null
    /**
     * The part of `external` during which the first waiting job, in submit order, asks for no more nodes than are
     * idle: what the placement's constraints cost, as opposed to the mere number of nodes (Jigsaw paper, 2.3.2).
     */
    readonly placement: number | null
  }
  /**
   * Instantaneous utilisation, sampled at each start and each end of a run, counted in the bins of the Jigsaw paper's
   * Table 2 by their lower bounds in percent: >= 98, 95-98, 90-95, 80-90, 60-80, < 60.
   */
  readonly instantaneous: Readonly<Record<'98' | '95' | '90' | '80' | '60' | '0', number>>
}

export interface Wait {
  readonly mean: number | null
  readonly median: number | null
  readonly max: number | null
}

/** Quartiles by linear interpolation between order statistics (type 7 of Hyndman and Fan). */
export interface Quartiles {
  readonly min: number
  readonly q1: number
  readonly median: number
  readonly q3: number
  readonly max: number
}
