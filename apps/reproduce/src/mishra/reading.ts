/** Reading of points that the paper leaves open, by its authors' code and lists or by its text. */
export interface Reading {
  readonly name: string
  /** Divisor of job sizes: nodes of the log for one node of the machine. */
  readonly scale: number
  readonly topology: string
  /**
   * Queue discipline. Without time limits Slurm takes a year for every job, and its plan does not reach starts that far
   * off. Slurm therefore reserves nothing for the queue's head, and any job that fits starts.
   */
  readonly queue: 'reserves nothing' | 'EASY'
  /** Base of a job's cost: its cost in the default run, or the cost of the default's placement in the same state. */
  readonly oldCost: 'default run' | 'same state'
  /**
   * Weights of the steps of halving with doubling: by message sizes (5.3), or equal (equation 6). Message sizes double
   * from the farthest step to the nearest.
   */
  readonly steps: 'weighted' | 'equal'
  /**
   * Pairs of ranks in the other patterns. `text`: all pairs. `code`: pairs with the head of a block or, for binomial
   * trees, with one of the first ranks.
   */
  readonly pairs: 'code' | 'text'
  /** Order of ranks under balanced and adaptive: by the order in which leaves were chosen, or by nodes' numbers. */
  readonly ranks: 'chosen leaves' | 'ids'
  /**
   * Choice between equal leaves. `ids`: the lower number. `code`: under greedy a leaf that suffices, then the leaf with
   * fewer communicating nodes; for a job without communication the leaf with more.
   */
  readonly ties: 'code' | 'ids'
  /** Share of communication in the run time of a communicating job, in 1/1000; or the list's own flags and shares. */
  readonly share: number | 'list'
}
