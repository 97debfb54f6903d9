/**
 * Set-up (section 5) and results (section 6) of S. A. Smith and D. K. Lowenthal, Jigsaw: A High-Utilization,
 * Interference-Free Job Scheduler for Fat-Tree Clusters, HPDC 2021, doi 10.1145/3431379.3460635 (the Jigsaw paper). The
 * results are all values of the text and the tables. Values that only a figure shows are left out.
 */
import type { Scenario, Scheme } from '../experiment/planned-runs.ts'
import type { PaperTrace } from '../experiment/services.ts'

/**
 * Schemes in the order of the Jigsaw paper's figures, the scheme with the best utilisation first. Links have 5 GB/s,
 * and LC+S allocates at most 80 % of a link's bandwidth (section 5.4.2).
 */
export const schemes: ReadonlyArray<Scheme> = [
  { name: 'Baseline', spec: { policy: 'baseline' } },
  {
    name: 'LC+S',
    spec: { policy: { name: 'least-constrained', config: { sharing: { capacity: 4000 } } }, bandwidth: 'classes' },
  },
  { name: 'Jigsaw', spec: { policy: 'jigsaw' } },
  { name: 'LaaS', spec: { policy: 'laas' } },
  { name: 'TA', spec: { policy: 'ta' } },
  // TA's rules of 2017, which the Jigsaw paper cites. The TA paper of 2018 withdraws the rule of whole leaves for jobs
  // of several leaves.
  { name: 'TA 2017', spec: { policy: { name: 'ta', config: { wholeLeaves: true } } } },
]

/** Least-constrained placement without shared links. By section 5.2.3, its utilization is below Jigsaw's. */
export const leastConstrained: Scheme = { name: 'LC', spec: { policy: 'least-constrained' } }

/**
 * Schemes of Table 2 under other readings of the Jigsaw paper. `uplinks for all`: a job on one leaf also holds uplinks,
 * as in Algorithm 1. `whole pods`: jobs of several pods take whole pods, which the paper does not say.
 * `fewest free first`: TA takes the pods with the fewest free nodes first, like the code of TA's authors.
 */
export const readings: ReadonlyArray<Scheme> = [
  { name: 'Jigsaw, uplinks for all', spec: { policy: { name: 'jigsaw', config: { leafJobsHoldUplinks: true } } } },
  { name: 'LaaS, uplinks for all', spec: { policy: { name: 'laas', config: { leafJobsHoldUplinks: true } } } },
  { name: 'TA 2017, whole pods', spec: { policy: { name: 'ta', config: { wholeLeaves: true, wholePods: true } } } },
  { name: 'TA, fewest free first', spec: { policy: { name: 'ta', config: { podsFirst: 'fewest-free' } } } },
]

/**
 * Jigsaw and LaaS on the authors' bench. The Jigsaw paper implements all schemes in the code that Zahavi et al. released
 * with LaaS (section 5.3), so the schemes search like this code. The paper does not describe its code of TA; the bench
 * has the two forms of TA that come closest to the paper's values.
 */
export const bench: ReadonlyArray<Scheme> = [
  { name: 'Jigsaw bench', spec: { policy: { name: 'jigsaw', config: { search: 'as-released' } } } },
  { name: 'LaaS bench', spec: { policy: { name: 'laas', config: { search: 'as-released' } } } },
]

/** Queue discipline: EASY with a window of 50 jobs (section 5.4.3). */
export const queue = 'easy:50'

/** Assumptions on how much sooner isolated jobs end (5.4.1), under the names in the Jigsaw paper's figures. */
export const scenarios: ReadonlyArray<Scenario> = [
  { name: 'None', scenario: 'none' },
  { name: '5%', scenario: '5%' },
  { name: '10%', scenario: '10%' },
  { name: '20%', scenario: '20%' },
  { name: 'V2', scenario: 'v2' },
  { name: 'Random', scenario: 'random' },
]

/** Trace of the Jigsaw paper, with the machine of our runs. `table1`: the trace's line of Table 1, times in seconds. */
export interface Trace extends PaperTrace {
  readonly table1: {
    readonly jobs: number
    readonly largest: number
    readonly shortest: number
    readonly longest: number
  }
}

/** Description of a file with a month of Cab's jobs, for the message that the file is missing. */
export const cabLog = 'the job log of that month as CSV (Cab 2014, doi 10.5281/zenodo.3908771)'

// The Jigsaw paper does not say which jobs of Cab are left out. With these filter terms our jobs of Thunder and Atlas
// agree with Table 1.
const cab = (month: string): PaperTrace['source'] => ({
  file: `${month}-cab.csv`,
  filter: 'status!=5,runtime>0',
  what: cabLog,
})

export const traces: ReadonlyArray<Trace> = [
  {
    name: 'Synth-16',
    source: { trace: 'synth:16' },
    arrivals: 'zero',
    topology: 'radix:16',
    table1: { jobs: 10_000, largest: 138, shortest: 20, longest: 3000 },
  },
  {
    name: 'Synth-22',
    source: { trace: 'synth:22' },
    arrivals: 'zero',
    topology: 'radix:22',
    table1: { jobs: 10_000, largest: 190, shortest: 20, longest: 3000 },
  },
  {
    name: 'Synth-28',
    source: { trace: 'synth:28' },
    arrivals: 'zero',
    topology: 'radix:28',
    table1: { jobs: 10_000, largest: 241, shortest: 20, longest: 3000 },
  },
  {
    name: 'Aug-Cab',
    source: cab('aug'),
    arrivals: 'scale:0.5',
    topology: 'radix:18',
    table1: { jobs: 30_691, largest: 257, shortest: 1, longest: 86_429 },
  },
  {
    name: 'Sep-Cab',
    source: cab('sep'),
    arrivals: 'trace',
    topology: 'radix:18',
    table1: { jobs: 87_564, largest: 256, shortest: 1, longest: 57_629 },
  },
  {
    name: 'Oct-Cab',
    source: cab('oct'),
    arrivals: 'trace',
    topology: 'radix:18',
    table1: { jobs: 125_228, largest: 258, shortest: 1, longest: 93_623 },
  },
  {
    name: 'Nov-Cab',
    source: cab('nov'),
    arrivals: 'scale:0.5',
    topology: 'radix:18',
    table1: { jobs: 50_353, largest: 256, shortest: 1, longest: 86_426 },
  },
  {
    name: 'Thunder',
    source: { trace: 'thunder' },
    arrivals: 'zero',
    topology: 'radix:18',
    table1: { jobs: 105_764, largest: 965, shortest: 1, longest: 172_362 },
  },
  {
    name: 'Atlas',
    source: { trace: 'atlas' },
    arrivals: 'zero',
    topology: 'radix:18',
    table1: { jobs: 29_700, largest: 1024, shortest: 1, longest: 342_754 },
  },
]

/**
 * Synthetic traces of the authors' bench, by the rules of the generator that Zahavi et al. released with LaaS: the Jigsaw
 * paper makes its traces in the same way (section 5.1). The paper does not state a seed. The largest jobs of its three
 * traces all fit one largest draw of 8.636 to 8.643 times the mean; seed 49 is the first with such a draw.
 */
export const benchTraces: ReadonlyArray<Trace> = [16, 22, 28].map((mean) => {
  const synthetic = traces.find(({ name }) => name === `Synth-${mean}`)!
  return { ...synthetic, name: `${synthetic.name} bench`, source: { trace: `synth:laas:${mean}:10000:49` } }
})

/** Public traces with recorded arrivals instead of Cab's traces, each on a machine of about its own machine's size. */
export const realArrivals: ReadonlyArray<PaperTrace> = [
  { name: 'SDSC-BLUE', source: { trace: 'sdsc-blue' }, arrivals: 'trace', topology: 'pgft:3;6,6,4;1,6,6;1,1,1' },
  { name: 'Theta', source: { trace: 'theta' }, arrivals: 'trace', topology: 'radix:26' },
  { name: 'CEA-Curie', source: { trace: 'cea-curie' }, arrivals: 'trace', topology: 'radix:28' },
]

/**
 * Average utilisation in steady state (6.1, Figure 6), as shares from `low` to `high`, for all traces, for the traces
 * of `only`, or for all `except` some. The Jigsaw paper rounds to whole percents.
 */
export const utilization: ReadonlyArray<{
  readonly scheme: string
  readonly low: number
  readonly high: number
  readonly only?: ReadonlyArray<string>
  readonly except?: ReadonlyArray<string>
}> = [
  // The Jigsaw paper says without a value that Baseline's utilisation is lower on Atlas.
  { scheme: 'Baseline', low: 0.97, high: 1, except: ['Atlas'] },
  { scheme: 'Jigsaw', low: 0.95, high: 0.96, except: ['Oct-Cab', 'Atlas'] },
  { scheme: 'Jigsaw', low: 0.93, high: 0.93, only: ['Oct-Cab'] },
  { scheme: 'Jigsaw', low: 0.92, high: 0.92, only: ['Atlas'] },
  // On one trace, which the Jigsaw paper does not name, LaaS has 93 %.
  { scheme: 'LaaS', low: 0.9, high: 0.91 },
  { scheme: 'TA', low: 0.85, high: 0.88 },
  { scheme: 'TA 2017', low: 0.85, high: 0.88 },
]
/** Utilization under LaaS on LaaS's best trace, which the Jigsaw paper does not name (6.1). */
export const bestLaasUtilization = 0.93
/** Average share of all nodes that LaaS allocates beyond the requests (6.1); about 3 % on Thunder. */
export const laasInternalFragmentation = { low: 0.03, high: 0.07, thunder: 0.03 } as const
/** Usual difference of the utilizations of Baseline and Jigsaw (section 6), as shares. */
export const behindBaseline = { low: 0.03, high: 0.05 } as const
/** Difference of the utilizations of Jigsaw and of the better of LaaS and TA (section 1), as shares. */
export const aheadOfOthers = { low: 0.04, high: 0.07 } as const
/** Difference of the utilizations of LC+S and Jigsaw, as shares: largest on Aug-Cab, and 0 on some traces (6.1). */
export const lcsAheadOfJigsaw = { low: 0, high: 0.037 } as const

/** Lower ends, in percent, of the bins of Table 2. `table2` has the samples of instantaneous utilization on Thunder. */
export const table2Bins = [98, 95, 90, 80, 60, 0] as const
export const table2: Readonly<Record<string, ReadonlyArray<number>>> = {
  LaaS: [4133, 53_720, 78_072, 52_546, 21_261, 1717],
  Jigsaw: [54_186, 51_789, 50_299, 36_586, 17_086, 1503],
  TA: [20_443, 27_134, 46_923, 68_262, 42_923, 5764],
}

/** Mean turnaround relative to Baseline in the text of section 6.2 (Figure 7); `large`: jobs of over 100 nodes. */
export const turnaround: ReadonlyArray<{
  readonly trace: string
  readonly scheme: string
  readonly scenarios: ReadonlyArray<string>
  readonly of: 'all' | 'large'
  readonly low: number
  readonly high: number
}> = [
  { trace: 'Oct-Cab', scheme: 'LaaS', scenarios: ['10%'], of: 'all', low: 1, high: 1 },
  { trace: 'Oct-Cab', scheme: 'LaaS', scenarios: ['10%'], of: 'large', low: 1.05, high: 1.05 },
  { trace: 'Oct-Cab', scheme: 'Jigsaw', scenarios: ['10%'], of: 'all', low: 0.89, high: 0.89 },
  { trace: 'Oct-Cab', scheme: 'Jigsaw', scenarios: ['10%'], of: 'large', low: 0.95, high: 0.95 },
  { trace: 'Oct-Cab', scheme: 'Jigsaw', scenarios: ['20%'], of: 'all', low: 0, high: 1 },
  { trace: 'Oct-Cab', scheme: 'Jigsaw', scenarios: ['20%'], of: 'large', low: 0, high: 1 },
  { trace: 'Oct-Cab', scheme: 'Jigsaw', scenarios: ['None', '5%', 'V2', 'Random'], of: 'all', low: 1.01, high: 1.03 },
  { trace: 'Oct-Cab', scheme: 'Jigsaw', scenarios: ['None', '5%', 'V2', 'Random'], of: 'large', low: 1, high: 1.1 },
  { trace: 'Aug-Cab', scheme: 'Jigsaw', scenarios: ['5%', '10%', '20%', 'V2', 'Random'], of: 'all', low: 0, high: 1 },
  { trace: 'Aug-Cab', scheme: 'Jigsaw', scenarios: ['10%', '20%'], of: 'large', low: 0, high: 1 },
]
/** Jigsaw's best mean turnaround relative to Baseline: nearly 50 % less than Baseline's (section 1). */
export const bestTurnaround = 0.5

/** Makespan relative to Baseline without speed-ups, on the worse of Thunder and Atlas (6.3, Figure 8). */
export const worstMakespan: Readonly<Record<string, number>> = {
  'LC+S': 1.05,
  Jigsaw: 1.06,
  LaaS: 1.08,
  TA: 1.14,
  'TA 2017': 1.14,
}
/** Best makespan under Jigsaw with speed-ups, relative to Baseline; with speed-ups the ratio is never above 1 (6.3). */
export const bestMakespan = 0.85

/** Traces of Table 3, in order; `table3` has the scheduling time per job on each of these traces, in seconds. */
export const table3Traces = ['Synth-16', 'Sep-Cab', 'Thunder', 'Synth-28'] as const
export const table3: Readonly<Record<string, ReadonlyArray<number>>> = {
  TA: [0.00283, 0.00252, 0.00128, 0.00709],
  LaaS: [0.00294, 0.00257, 0.00106, 0.00947],
  Jigsaw: [0.00305, 0.00283, 0.00104, 0.00998],
  'LC+S': [0.0555, 0.09239, 0.05333, 0.255],
}
/** Largest scheduling times per job in seconds, on 5488 nodes: under Jigsaw, and under LC+S (6.4). */
export const mostSchedulingTime = { jigsaw: 0.01, sharing: 0.255 } as const
