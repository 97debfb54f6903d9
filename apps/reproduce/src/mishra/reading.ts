/** Reading of points that the Mishra paper leaves open: by the authors' code and lists, or by the paper's text. */
export interface Reading {
  readonly name: string
  /** Divisor of job sizes: number of nodes of the log that become one node of the machine. */
  readonly scale: number
  readonly topology: string
  /**
   * Queue discipline. `reserves nothing`: like Slurm without time limits. Slurm then assumes a year for every job,
   * plans no start that far ahead, reserves nothing for the queue's head, and starts any job that fits.
   */
  readonly queue: 'reserves nothing' | 'EASY'
  /** Divisor of a job's cost: its cost in the default run, or the cost of the default's nodes in the same state. */
  readonly oldCost: 'default run' | 'same state'
  /**
   * Weights of the steps of recursive halving with doubling. `weighted`: by message sizes (5.3), which double from the
   * farthest step to the nearest. `equal`: the same weight for each step (equation 6).
   */
  readonly steps: 'weighted' | 'equal'
  /**
   * Pairs of ranks that communicate in recursive doubling and in binomial trees. `text`: all pairs of the paper's text.
   * `code`, as in the authors' program: in recursive doubling only the first rank of each block of 2·distance ranks,
   * in a binomial tree only the ranks below the step's distance.
   */
  readonly pairs: 'code' | 'text'
  /** Order of ranks under balanced and adaptive: by the order in which leaves were chosen, or by nodes' numbers. */
  readonly ranks: 'chosen leaves' | 'ids'
  /**
   * Choice between equal leaves. `ids`: the leaf with the lower number. `code`: under greedy first a leaf on which the
   * job fits; then the leaf with fewer communicating nodes, or with more for a job without communication.
   */
  readonly ties: 'code' | 'ids'
  /** Share of communication in a communicating job's run time, in 1/1000; `list`: as in the job list. */
  readonly share: number | 'list'
}
