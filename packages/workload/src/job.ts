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
  /** Labels: user, account, queue and name of the job, and the fields below. No simulation reads labels. */
  readonly user?: string
  readonly account?: string
  readonly queue?: string
  readonly name?: string
  /** Start of the job in the log, in ms after the start of the trace; absent if unknown. Only the order of starts counts. */
  readonly recordedStart?: number
  /** Wait of the job in the log, in ms; absent if unknown, or if the arrivals differ from the log. No simulation reads it. */
  readonly recordedWait?: number
  /** Place in the order of the recorded starts, from 1, for a queue order that claims `recorded`; see `withTurns`. */
  readonly turn?: number
  /** Time in ms at which all jobs of earlier turns are submitted; absent if this is at most `submit`. */
  readonly eligible?: number
  /** Quality of service (QOS) in Slurm's accounting. */
  readonly qos?: string
  /** Advance reservation that the job asked for: `Reservation` in Slurm's accounting. */
  readonly advanceReservation?: string
  /** Priority that a foreign scheduler gave the job, at least 1. No queue order reads this priority. */
  readonly priority?: number
  /** Graphics processors on all nodes together, at least 1. */
  readonly gpus?: number
  /** Id of the job's array in Slurm, and the number of the job in the array. */
  readonly array?: string
  readonly arrayTask?: number
  /** Id of the heterogeneous job in Slurm; no `hetOffset` if the job consists of all components. */
  readonly hetJob?: string
  readonly hetOffset?: number
}
