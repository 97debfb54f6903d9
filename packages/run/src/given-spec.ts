import type { JsonObject } from './option.ts'

/**
 * Description of a run from a user. Every member is an option of a run: the name in an experiment and, except for
 * `config`, the flag of `cloister simulate` in camel case. The table in options.ts has the help, the default and the
 * check of each option.
 *
 * @example
 * const spec: GivenSpec = { trace: 'synth:16', topology: 'radix:16', policy: 'jigsaw', queue: 'easy:50' }
 */
export interface GivenSpec {
  /** Job log: a preset, `synth:MEAN[:COUNT[:SEED]]` with MEAN in nodes, or the path of a file. */
  readonly trace: string
  /** Terms that the kept jobs meet, such as `nodes<=1024,runtime>0`. Default: empty, all jobs. */
  readonly filter?: string | undefined
  /** Processors of a node, to convert sizes in SWF into nodes; at least 1. Default: from the filter, else the trace. */
  readonly procsPerNode?: number | undefined
  /** Processors in SWF that give the size of a job. Default: the processors that the filter names, else requested. */
  readonly sizes?: 'requested' | 'allocated' | undefined
  /** Skips lines of the trace that hold no valid job. Default: false, so the first bad line is an error. */
  readonly skipBadLines?: boolean | undefined
  /** Arrival times: `zero`, `trace` or `scale:FACTOR`. Default: the preset's; `zero` for synth, `trace` for files. */
  readonly arrivals?: string | undefined
  /** Time in Slurm's accounting at which a job arrives. Default: eligible. */
  readonly arrivesWhen?: 'eligible' | 'submit' | undefined
  /** Time zone of the times in Slurm's accounting, such as `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string | undefined
  /** Rule to make a new workload from the trace: `weeks:7` draws whole weeks with seed 7. Default: the trace itself. */
  readonly resample?: string | undefined
  /** The machine: a shape such as `radix:18`, a preset, or `slurm:FILE`, `ib:FILE`. */
  readonly topology: string
  /** Placement policy: the name of a built-in policy, a package or a file, with or without its config. */
  readonly policy: string | { readonly name: string; readonly config?: JsonObject }
  /** Configuration of the policy, a JSON object. Default: {}. */
  readonly config?: JsonObject | undefined
  /** Queue discipline, window and queue order, such as `easy:50,sjf`. Default: easy:50. */
  readonly queue?: string | undefined
  /** Reservations of easy and conservative: movable to other nodes, or fixed. Default: movable; fixed under `,kill`. */
  readonly reservation?: 'movable' | 'fixed' | undefined
  /** Order in which easy tries the jobs of its window. Default: queue, the queue order. */
  readonly windowOrder?: 'queue' | 'largest' | 'smallest' | 'shortest' | undefined
  /** Makes easy choose the reserved nodes and links again at every scheduling pass. Default: false. */
  readonly replan?: boolean | undefined
  /** Least size in nodes of a job that may move a movable reservation of easy. Default: 1. */
  readonly moveMinNodes?: number | undefined
  /**
   * Estimates of the scheduler: run times (exact) or walltimes (requested). Default: requested if arrivals are not zero
   * and most jobs have a walltime, else exact.
   */
  readonly estimates?: 'exact' | 'requested' | undefined
  /** Fate of a job whose run time exceeds its walltime. Default: kill. */
  readonly overrun?: 'kill' | 'run-on' | 'clamp' | 'extend' | undefined
  /**
   * Path of a file of failures and repairs of nodes and links. Default: the outages of the trace, if the trace is a log
   * of the same machine and jobs arrive as in the log; else none.
   */
  readonly outages?: string | undefined
  /** Queues jobs again that an outage or a reservation killed. Default: false. */
  readonly requeue?: boolean | undefined
  /** Speed-up of jobs on isolated partitions, such as `10%`. Default: none. */
  readonly scenario?: string | undefined
  /** Bandwidth of each job on its links: `classes` draws one of four bandwidths, in MB/s. Default: none. */
  readonly bandwidth?: 'none' | 'classes' | undefined
  /** Jobs that communicate, with pattern and share of time, such as `90%:recursive-doubling:50%`. Default: none. */
  readonly communication?: string | undefined
  /** Paths of files of communication matrices, separated by commas. Default: none. */
  readonly matrices?: string | undefined
  /** Model of the run time of communicating jobs. Default: fixed, as in the trace. */
  readonly runTimes?: 'fixed' | 'communication' | 'contention' | undefined
  /** Router whose changes of forwarding tables are recorded. Default: none. */
  readonly router?: 'none' | 'partition' | undefined
  /** Longest time for an answer of the policy, in ms. Default: no limit. */
  readonly maxPlaceMs?: number | undefined
  /** Seed of everything that the run draws. Default: 1. */
  readonly seed?: number | undefined
  /** Records refusals and notes of the policy, too. Default: false. */
  readonly refusals?: boolean | undefined
}

/** Value of an option, as the table of options and a canonical description have it. */
export type OptionValue<Name extends keyof GivenSpec> = Name extends 'policy' ? string : NonNullable<GivenSpec[Name]>
