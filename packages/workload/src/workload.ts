/** Communication between the ranks of a job. */
export interface JobCommunication {
  /** Name of a known pattern, `matrix:` and the name of `matrix`, or `unknown` if a log states only the share. */
  readonly pattern: string
  /** Share of the run time that the job spends communicating, in 1/1000. */
  readonly share: number
  /**
   * Matrix of the bytes that rank i sends to rank j, with the SHA-256 (hex) of its file. Policies see the bytes; a log
   * holds only name and SHA-256.
   */
  readonly matrix?: { readonly name: string; readonly sha256: string; readonly bytes: ReadonlyArray<ArrayLike<number>> }
}

/** Job of a workload before scheduling. Times are integers in ms; `submit` counts from the start of the trace. */
export interface Job {
  /** Unique within the workload. */
  readonly id: string
  readonly submit: number
  /** Nodes requested, at least 1. */
  readonly size: number
  /** Real run time, at least 0. No scheduler sees the run time. */
  readonly runTime: number
  /** Time that the user asked for; undefined if the source states none. */
  readonly walltime: number | undefined
  /** Bandwidth that the job needs on every link, an integer in MB/s. */
  readonly bandwidth?: number
  readonly communication?: JobCommunication
  /** Labels: user, account, queue and name of the job. No simulation reads labels. */
  readonly user?: string
  readonly account?: string
  readonly queue?: string
  readonly name?: string
}

/** Jobs in submit order, and their source. Jobs with equal submit times are in the source's order. */
export interface Workload {
  readonly name: string
  /**
   * SHA-256 (hex) of the source file as downloaded, so of the compressed bytes of a compressed file; absent for
   * generated workloads.
   */
  readonly sourceSha256?: string
  /** Canonical spec of the applied filter; empty for none. */
  readonly filter: string
  readonly jobs: ReadonlyArray<Job>
  /** SHA-256 (hex) of the canonical job list. */
  readonly sha256: string
  /** Unix seconds of time 0; absent if unknown. */
  readonly epoch?: number
}
