/** What the paper leaves open, and can be read in its authors' code and lists or in its text. */
export interface Reading {
  readonly name: string
  /** Nodes of the log for one of the machine's. */
  readonly scale: number
  readonly topology: string
  /**
   * Without time limits Slurm takes a year for every job; starts that far off are outside of what it plans, so that nothing is reserved
   * for the queue's head, and whatever fits starts.
   */
  readonly queue: 'reserves nothing' | 'EASY'
  /** What the cost of a job is compared with: what it had in the default run, or what the default would cost at that moment. */
  readonly oldCost: 'default run' | 'same state'
  /** Of halving with doubling: weighed by message sizes, which double from the farthest step to the nearest (5.3), or not (equation 6). */
  readonly steps: 'weighted' | 'equal'
  /** Of the other patterns: pairs of which one is the head of its block or, of binomial trees, one of the first ranks (code), or all (text). */
  readonly pairs: 'code' | 'text'
  /** Of balanced and adaptive: the order in which leaves were chosen, or of nodes' numbers. */
  readonly ranks: 'chosen leaves' | 'ids'
  /** Of equal leaves: one that suffices, then one where fewer communicate (code), or the lower number. */
  readonly ties: 'code' | 'ids'
  /** Of communication in the run time of a job that communicates, in 1/1000; or the list's own flags and shares. */
  readonly share: number | 'list'
}
