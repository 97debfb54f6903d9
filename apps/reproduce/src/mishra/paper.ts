/**
 * Set-up (section 5) and values of the tables and the text (section 6) of P. Mishra, T. Agrawal and P. Malakar,
 * Communication-aware Job Scheduling using SLURM, ICPP Workshops 2020 (the Mishra paper).
 */
import type { PaperTrace } from '../experiment/services.ts'

/** Job log of the Mishra paper (5.1). */
export type Log = PaperTrace & { readonly name: 'Intrepid' | 'Theta' | 'Mira' }

/**
 * Machines of the Mishra paper's two topology files (5.2). `small`, of IIT Kanpur, has 512 nodes on leaves of 16.
 * `cori` has leaves of about 355 nodes, each leaf for a group of cabinets; `knl` is the part of Cori with a single kind
 * of nodes. A log's largest jobs (5.1) do not fit its machine, so sizes are divided by 2 (Theta) or 4 (others).
 */
export const machines = {
  small: 'pgft:2;16,32;1,16;1,1',
  cori: 'pgft:2;355,34;1,1;1,1',
  knl: 'pgft:2;359,27;1,1;1,1',
} as const

const log = (name: Log['name'], file: string, topology: string): Log => ({
  name,
  topology,
  arrivals: 'trace',
  source: {
    file,
    filter: 'nodes=power-of-two,first-jobs=1000',
    what: `a list of jobs of ${name} with their communication, of the columns Job_name Submit Runtime Nodes Comment Perc`,
  },
})
export const logs: ReadonlyArray<Log> = [
  log('Intrepid', 'iitk_sample_anl.swf', machines.cori),
  log('Theta', 'iitk_sample_theta.swf', machines.small),
  log('Mira', 'iitk_sample_mira.swf', machines.cori),
]

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

/**
 * Returns the reading of the Mishra paper for a log. On points about which the paper is silent, the reading follows the
 * authors' code and lists. Half of a communicating job's time is communication.
 */
export function readingOf({ name, topology }: Log): Reading {
  return {
    name: 'as in all other tables',
    scale: name === 'Theta' ? 2 : 4,
    topology,
    queue: 'reserves nothing',
    oldCost: 'default run',
    steps: 'weighted',
    pairs: 'code',
    ranks: 'chosen leaves',
    ties: 'code',
    share: 500,
  }
}

export const algorithms = ['Default', 'Greedy', 'Balanced', 'Adaptive'] as const
export type Algorithm = (typeof algorithms)[number]
export const ours = ['Greedy', 'Balanced', 'Adaptive'] as const

export type Pattern = 'RHVD' | 'RD' | 'Binomial'
/** Patterns of our runs by the pairs of `Reading`: the pairs of RD in the authors' program are those of a tree. */
export const patterns: Readonly<Record<Reading['pairs'], Readonly<Record<Pattern, string>>>> = {
  code: { RHVD: 'recursive-halving-vector-doubling', RD: 'binomial-tree', Binomial: 'binomial-doubling' },
  text: { RHVD: 'recursive-halving-vector-doubling', RD: 'recursive-doubling', Binomial: 'binomial-tree' },
}

/** Mixture of communication patterns in a job, with the weight of each pattern in the communication time. */
export interface Mix {
  readonly name: string
  readonly parts: ReadonlyArray<readonly [pattern: Pattern, weight: number]>
}
export const alone = (pattern: Pattern): Mix => ({ name: pattern, parts: [[pattern, 1]] })

/** Share of the jobs that communicate, in percent. Section 6.5 varies this share. */
export const communicating = 90

/** Table 3: hours of execution and of waiting, summed over all jobs, if 90 % of the jobs communicate. */
export const table3: Readonly<
  Record<
    Log['name'],
    Readonly<Record<'RHVD' | 'RD', Readonly<Record<'execution' | 'wait', Readonly<Record<Algorithm, number>>>>>>
  >
> = {
  Intrepid: {
    RHVD: {
      execution: { Default: 1382, Greedy: 1351, Balanced: 1256, Adaptive: 1251 },
      wait: { Default: 57, Greedy: 49, Balanced: 27, Adaptive: 27 },
    },
    RD: {
      execution: { Default: 1382, Greedy: 1345, Balanced: 1264, Adaptive: 1257 },
      wait: { Default: 57, Greedy: 52, Balanced: 32, Adaptive: 33 },
    },
  },
  Theta: {
    RHVD: {
      execution: { Default: 2189, Greedy: 1740, Balanced: 1700, Adaptive: 1663 },
      wait: { Default: 45_303, Greedy: 31_190, Balanced: 34_539, Adaptive: 33_092 },
    },
    RD: {
      execution: { Default: 2189, Greedy: 1810, Balanced: 1731, Adaptive: 1706 },
      wait: { Default: 45_303, Greedy: 34_901, Balanced: 35_874, Adaptive: 31_809 },
    },
  },
  Mira: {
    RHVD: {
      execution: { Default: 3289, Greedy: 3956, Balanced: 2342, Adaptive: 2435 },
      wait: { Default: 17_387, Greedy: 34_966, Balanced: 3685, Adaptive: 4751 },
    },
    RD: {
      execution: { Default: 3289, Greedy: 3285, Balanced: 2559, Adaptive: 2637 },
      wait: { Default: 17_387, Greedy: 15_845, Balanced: 6336, Adaptive: 5631 },
    },
  },
}

/** Experiment sets (section 6.2): patterns of the jobs, and the share of communication in a job's time, in 1/1000. */
export const sets: ReadonlyArray<Mix & { readonly share: number }> = [
  { ...alone('RHVD'), name: 'A', share: 330 },
  { ...alone('RHVD'), name: 'B', share: 500 },
  { ...alone('RHVD'), name: 'C', share: 700 },
  {
    name: 'D',
    parts: [
      ['RD', 15],
      ['Binomial', 35],
    ],
    share: 500,
  },
  {
    name: 'E',
    parts: [
      ['RD', 21],
      ['Binomial', 49],
    ],
    share: 700,
  },
]
/** Share of execution saved in the sets A to E (6.2): on Theta the algorithms' mean, else under the best algorithm. */
export const improvements: Readonly<Record<Log['name'], ReadonlyArray<number>>> = {
  Theta: [0.0589, 0.0892, 0.1249, 0.0794, 0.1111],
  Intrepid: [0.0259, 0.0392, 0.0549, 0.0371, 0.0519],
  Mira: [0.072, 0.109, 0.1527, 0.0668, 0.0936],
}

/** Table 4: share of execution that single jobs save, each placed alone into the same partly occupied machine. */
export const table4: Readonly<
  Record<Log['name'], Readonly<Record<'RHVD' | 'RD', Readonly<Record<Exclude<Algorithm, 'Default'>, number>>>>>
> = {
  Intrepid: {
    RHVD: { Greedy: 0.0365, Balanced: 0.0723, Adaptive: 0.0781 },
    RD: { Greedy: 0.017, Balanced: 0.0812, Adaptive: 0.0829 },
  },
  Theta: {
    RHVD: { Greedy: 0.0965, Balanced: 0.0965, Adaptive: 0.0965 },
    RD: { Greedy: 0.1356, Balanced: 0.1356, Adaptive: 0.1356 },
  },
  Mira: {
    RHVD: { Greedy: 0.1084, Balanced: 0.1969, Adaptive: 0.2171 },
    RD: { Greedy: 0.0945, Balanced: 0.2432, Adaptive: 0.2491 },
  },
}

/** Share of the communication cost saved, as the mean over the algorithms (6.4), by log and pattern. */
export const costs: Readonly<Record<Log['name'], Readonly<Record<Pattern, number>>>> = {
  Intrepid: { RD: 0.0556, RHVD: 0.0572, Binomial: 0.0572 },
  Theta: { RD: 0.1588, RHVD: 0.1784, Binomial: 0.1587 },
  Mira: { RD: 0.0548, RHVD: 0.0609, Binomial: 0.054 },
}

/** Shares of jobs that communicate in Figure 9, in percent; `adaptiveSaves`: shares saved on Intrepid with RHVD. */
export const shares = [30, 60, 90] as const
export const adaptiveSaves: Readonly<Record<30 | 90, { readonly turnaround: number; readonly nodeHours: number }>> = {
  30: { turnaround: 0.0255, nodeHours: 0.0261 },
  90: { turnaround: 0.111, nodeHours: 0.0785 },
}

/** Saved shares of waits (6.1) and of executions (7), as means over the algorithms (Mira's executions: not greedy). */
export const meanSaved: Readonly<Record<Log['name'], { readonly wait: number; readonly execution: number }>> = {
  Intrepid: { wait: 0.35, execution: 0.06 },
  Theta: { wait: 0.26, execution: 0.17 },
  Mira: { wait: 0.32, execution: 0.16 },
}

/** Largest share of execution time that a single job saves, in continuous and in individual runs (section 6.3). */
export const mostSaved: Readonly<Record<Log['name'], { readonly continuous: number; readonly individual: number }>> = {
  Intrepid: { continuous: 0.76, individual: 0.57 },
  Theta: { continuous: 0.7, individual: 0.15 },
  Mira: { continuous: 0.82, individual: 0.61 },
}

/** Share of the cost of binomial communication that each algorithm saves, as the mean over the logs (6.4). */
export const costsOfBinomial = { Greedy: 0.034, Balanced: 0.11, Adaptive: 0.11 } as const

/** Saved share of the turnaround, mean over the algorithms; `throughput`: largest growth of the throughput (6.5). */
export const turnaroundSaved = { Theta: 0.257, Mira: 0.287 } as const
export const throughput = { Theta: 0.31, Mira: 0.125 } as const

/** Largest overhead of the algorithms in seconds (section 5.2). */
export const decision = 0.1
