/** Communication between the ranks of a job. */
export interface JobCommunication {
  /** Name of a pattern (`ring`), `matrix:` and the name of `matrix`, or `unknown` if a log states only the share. */
  readonly pattern: string
  /** Share of communication in the run time of the job, in 1/1000. */
  readonly share: number
  /**
   * Matrix of the bytes that rank i sends to rank j, with the SHA-256 (hex) of its file. Policies see the bytes; an
   * event log has only the name and the SHA-256.
   */
  readonly matrix?: { readonly name: string; readonly sha256: string; readonly bytes: ReadonlyArray<ArrayLike<number>> }
}

/**
 * Job of a workload before scheduling. Times are integers in ms; the submit time counts from the start of the trace.
 */
export interface Job {
  /** Id of the job, unique within the workload. */
  readonly id: string
  readonly submit: number
  /** Number of nodes that the job requests, at least 1. */
  readonly size: number
  /** Real run time of the job in ms, at least 0. The scheduler sees only the estimate, which can be the run time. */
  readonly runTime: number
  /** Longest run time in ms that the user asked for; undefined if the log states no walltime. */
  readonly walltime: number | undefined
  /** Bandwidth that the job needs on every link, an integer in MB/s. */
  readonly bandwidth?: number
  readonly communication?: JobCommunication
  /** True if the job uses only a part of its nodes in the log. Every policy gives the job whole nodes. */
  readonly smallerThanNode?: true
  /** Labels: user, account, queue and name of the job. No simulation reads labels. */
  readonly user?: string
  readonly account?: string
  readonly queue?: string
  readonly name?: string
}

/** Jobs in submit order, with their origin. Jobs with equal submit times are in the order of the source file. */
export interface Workload {
  readonly name: string
  /** SHA-256 (hex) of the source file as downloaded, before decompression; absent for generated workloads. */
  readonly sourceSha256?: string
  /** Canonical spelling of the applied filter; empty if no filter was applied. */
  readonly filter: string
  readonly jobs: ReadonlyArray<Job>
  /** SHA-256 (hex) of the canonical job list, as `jobListSha256` returns. */
  readonly sha256: string
  /** Unix seconds of time 0 of the submit times; absent if unknown. */
  readonly epoch?: number
}
