/** How the ranks of a job communicate. */
export interface JobCommunication {
  /** A name that is known, or `matrix:` and the name of `matrix`. */
  readonly pattern: string
  /** Of the run time spent communicating, in 1/1000. */
  readonly share: number
  /** What each rank sends to each other one, in bytes, and the SHA-256 (hex) of the file it was read from. Policies see it, a log names it. */
  readonly matrix?: { readonly name: string; readonly sha256: string; readonly bytes: ReadonlyArray<ArrayLike<number>> }
}

/** One job of a workload, before anything is scheduled. Times are integer milliseconds since the trace's start. */
export interface Job {
  /** Unique within the workload. */
  readonly id: string
  readonly submit: number
  /** Nodes requested, at least 1. */
  readonly size: number
  /** Real run time; 0 is allowed. No scheduler sees it. */
  readonly runTime: number
  /** The user's estimate; undefined where the source has none. */
  readonly walltime: number | undefined
  /** MB/s wanted on every link, integer. */
  readonly bandwidth?: number
  readonly communication?: JobCommunication
  /** Who submitted it, on whose account, to which queue, and what it is called: labels, which no simulation looks at. */
  readonly user?: string
  readonly account?: string
  readonly queue?: string
  readonly name?: string
}

/** Jobs in submit order (ties: the source's order), and where they came from. */
export interface Workload {
  readonly name: string
  /** SHA-256 (hex) of the source file as downloaded (the compressed bytes, where it is compressed); absent for generated workloads. */
  readonly sourceSha256?: string
  /** Canonical spec of the filter that was applied; empty for none. */
  readonly filter: string
  readonly jobs: ReadonlyArray<Job>
  /** SHA-256 (hex) of the canonical job list. */
  readonly sha256: string
  /** Unix seconds of time 0, where known. */
  readonly epoch?: number
}
