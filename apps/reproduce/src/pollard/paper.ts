/**
 * Set-up (section IV) and all values of the text and the table (section V) of S. D. Pollard, N. Jain, S. Herbein and A.
 * Bhatele, Evaluation of an Interference-free Node Allocation Policy on Fat-tree Clusters, SC 2018 (the Pollard paper).
 */
import type { Scheme } from '../experiment/planned-runs.ts'
import type { PaperTrace } from '../experiment/services.ts'
import { cabLog } from '../jigsaw/paper.ts'

/** Job log of the Pollard paper or a public log, with a machine. */
export interface Workload extends PaperTrace {
  /** True if the Pollard paper calls the machine overloaded (V-C); absent for logs that the paper does not have. */
  readonly overloaded?: boolean
}

// Cab's logs have job sizes in nodes. Of September, only the first half runs (section IV-B).
const cab = (name: string, month: string, terms: string, topology: string, overloaded: boolean): Workload => ({
  name: `${name} on ${topology === 'cab' ? 'Cab' : 'Pinot'}`,
  topology,
  arrivals: 'trace',
  overloaded,
  source: {
    file: `${month}-cab.csv`,
    filter: ['status!=5', 'runtime>0', ...(terms === '' ? [] : [terms])].join(','),
    what: cabLog,
  },
})
export const workloads: ReadonlyArray<Workload> = [
  cab('Aug', 'aug', '', 'cab', false),
  cab('Sept', 'sep', 'first-days=15', 'cab', true),
  cab('Nov', 'nov', '', 'cab', false),
  cab('Aug-2x', 'aug', 'size=requested*2', 'cab', true),
  cab('Nov-2x', 'nov', 'size=requested*2', 'cab', true),
  cab('Aug-2x', 'aug', 'size=requested*2', 'pinot', false),
  cab('Nov-2x', 'nov', 'size=requested*2', 'pinot', false),
  cab('Aug-3x', 'aug', 'size=requested*3', 'pinot', true),
]

/** Returns a public log that the Pollard paper does not have, on a machine of about the size of the log's machine. */
const stand = (name: string, log: string, size: string, topology: string): Workload => ({
  name,
  topology,
  arrivals: 'trace',
  source: { log, filter: `${size},runtime>0` },
})
export const standIns: ReadonlyArray<Workload> = [
  stand('HPC2N', 'hpc2n', 'size=requested', 'radix:10'),
  stand('HPC2N-2x', 'hpc2n', 'size=requested*2', 'radix:10'),
  stand('SDSC-BLUE', 'sdsc-blue', 'size=requested/8', 'pgft:3;6,6,4;1,6,6;1,1,1'),
  stand('SDSC-BLUE-2x', 'sdsc-blue', 'size=requested/8*2', 'pgft:3;6,6,4;1,6,6;1,1,1'),
  stand('Theta', 'theta', 'size=requested', 'radix:26'),
  stand('CEA-Curie', 'cea-curie', 'size=requested/16', 'radix:28'),
]

/** Topology-oblivious allocation, by our policy `baseline`. `aware`: the Pollard paper's topology-aware allocation. */
export const oblivious: Scheme = { name: 'TO', spec: { policy: 'baseline' } }
export const aware: Scheme = { name: 'TA', spec: { policy: 'ta' } }

/** Queue discipline: EASY (section III). The Pollard paper does not state the window; here the window has 50 jobs. */
export const queue = 'easy:50'

/** Assumptions on how much sooner jobs end under the topology-aware policy (section IV-B). */
export const speedups = [
  { name: 'None', scenario: 'none' },
  { name: '5%', scenario: '5%' },
  { name: '10%', scenario: '10%' },
  { name: '20%', scenario: '20%' },
  { name: 'V1', scenario: 'v1' },
  { name: 'V2', scenario: 'v2' },
  // A job draws a bin (range of speed-ups). In V2 the speed-up inside the bin is largest from 512 nodes on, as the
  // Pollard paper says; in V2 by class it is largest at the largest size of the job's class.
  { name: 'V2 by class', scenario: 'v2-by-class' },
] as const

/** Table I: mean waits in hours. */
export const waits: Readonly<
  Record<string, { readonly TO: number; readonly None: number; readonly V1: number; readonly V2: number }>
> = {
  'Aug on Cab': { TO: 0.15, None: 0.98, V1: 0.8, V2: 0.3 },
  'Sept on Cab': { TO: 295, None: 330, V1: 327, V2: 307 },
  'Nov on Cab': { TO: 0.01, None: 0.41, V1: 0.31, V2: 0.1 },
  'Aug-2x on Cab': { TO: 269, None: 322, V1: 296, V2: 270 },
  'Nov-2x on Cab': { TO: 240, None: 300, V1: 266, V2: 240 },
  'Aug-2x on Pinot': { TO: 0.15, None: 1.2, V1: 0.65, V2: 0.29 },
  'Nov-2x on Pinot': { TO: 0.01, None: 0.69, V1: 0.13, V2: 0.04 },
  'Aug-3x on Pinot': { TO: 110, None: 148, V1: 126, V2: 103 },
}

/** Share of jobs of fewer than 18 nodes: in September, and the largest share in the other logs (section V-D). */
export const small = { september: 0.87, others: 0.8 } as const
/** Largest average pairwise hops (`most`) of jobs below 128 nodes (`small`), and nodes of a pod of Cab (V-A). */
export const hops = { small: 128, most: 2, pod: 324 } as const
/** Mean waits in hours, of all jobs or of jobs of 65 to 256 nodes (V-E); with `beyondTO`, minus TO's mean wait. */
export const waitsInText: ReadonlyArray<{
  readonly name: string
  readonly of: 'all' | '65-256'
  readonly way: 'None' | '20%' | 'TO' | 'V2'
  readonly beyondTO: boolean
  readonly hours: number
}> = [
  { name: 'Aug on Cab', of: 'all', way: 'None', beyondTO: true, hours: 0.75 },
  { name: 'Aug-3x on Pinot', of: 'all', way: 'None', beyondTO: true, hours: 38 },
  { name: 'Aug on Cab', of: '65-256', way: 'None', beyondTO: false, hours: 8 },
  { name: 'Aug on Cab', of: '65-256', way: 'TO', beyondTO: false, hours: 0.167 },
  { name: 'Aug on Cab', of: '65-256', way: '20%', beyondTO: false, hours: 0.5 },
  { name: 'Aug on Cab', of: 'all', way: 'V2', beyondTO: false, hours: 0.3 },
]
/** Cost of isolation on an overloaded machine: utilization in points (section V-C), makespan as a share (V-D). */
export const cost = { utilization: 0.1, makespan: 0.09 } as const
/** Makespans of September on Cab under TA, relative to TO (section V-D). */
export const september = { V1: 1.09, V2: 1.04 } as const

/** Communication patterns of section V-B, in the order of the Pollard paper. */
export const proxies = ['stencil', 'mesh', 'pairs', 'all-to-all'] as const
export type Proxy = (typeof proxies)[number]

/** Study of section V-B, which the Pollard paper gives without a figure: speed-ups of iterations under TA over TO. */
export interface InterferenceStudy {
  readonly name: string
  readonly topology: string
  /** Job sizes in nodes, each drawn with the same probability. The Pollard paper states only ranges of sizes. */
  readonly sizes: ReadonlyArray<number>
  /** Greatest number of jobs of a workload with the same pattern; no limit if absent. */
  readonly mostOfPattern?: number
  /** Mean speed-ups by pattern and of all jobs. The last study of `interference` has only the speed-up of all jobs. */
  readonly speedups: Readonly<Partial<Record<Proxy, number>> & Record<'all', number>>
  /** Largest speed-ups that the text of the Pollard paper states. */
  readonly largest?: Readonly<Partial<Record<Proxy | 'all', number>>>
  /**
   * Bandwidth in GB/s of a node's link and of links between switches. The Pollard paper states no bandwidths: the
   * values are public settings of the paper's simulator, and Cab's QDR links.
   */
  readonly capacities: { readonly node: number; readonly levels: ReadonlyArray<number> }
  /** Number of grid dimensions along which all-to-all has rows of ranks: 2, as the Pollard paper says, or all 3. */
  readonly rowsOfAllToAll: 2 | 3
  /** Share of communication in a job's time under TA; if absent, jobs communicate all the time. */
  readonly communicationShare?: number
  /** Time in ms of a job's measured iterations (at least two), if only the links of the job's nodes limited them. */
  readonly measured: number
}

const onCab = { topology: 'cab', capacities: { node: 4, levels: [4] }, rowsOfAllToAll: 3, measured: 150 } as const
/** Job sizes from 4 to 128 nodes: powers of two and sizes halfway between, which is about log-uniform. */
const smallSizes = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]
const smallJobs = { ...onCab, sizes: smallSizes } as const

export const interference: ReadonlyArray<InterferenceStudy> = [
  {
    name: 'simulation',
    topology: 'pgft:3;22,22,22;1,22,22;1,1,1',
    // Job sizes in public scripts of the group of the Pollard paper's authors.
    sizes: [500, 1000, 2000, 3000, 4000],
    mostOfPattern: 2,
    speedups: { stencil: 1.58, mesh: 1.68, pairs: 1.06, 'all-to-all': 1.14, all: 1.36 },
    capacities: { node: 24, levels: [11.9] },
    rowsOfAllToAll: 2,
    measured: 25,
  },
  {
    ...onCab,
    name: 'Cab, all sizes',
    sizes: [...smallSizes, 192, 256, 384, 512],
    speedups: { stencil: 1.26, mesh: 1.14, pairs: 1.1, 'all-to-all': 1.55, all: 1.3 },
    largest: { stencil: 1.5, mesh: 1.4 },
  },
  {
    ...smallJobs,
    name: 'Cab, small jobs',
    speedups: { stencil: 1.32, mesh: 1.29, pairs: 1.08, 'all-to-all': 1.74, all: 1.35 },
  },
  {
    ...smallJobs,
    name: 'Cab, small jobs, 30 % communication',
    speedups: { all: 1.08 },
    largest: { all: 1.31 },
    communicationShare: 0.3,
  },
]

/**
 * Models of iteration times. `fluid`: jobs go through phases event by event. `snapshot`: message rates are constant, as
 * if all jobs sent all messages at once.
 */
export const models = ['fluid', 'snapshot'] as const
export type Model = (typeof models)[number]

/** Routings of messages. The Pollard paper argues with static routing, but does not state the routes. */
export const routings = ['D-mod-k', 'random up-ports', 'spread'] as const
export type Routing = (typeof routings)[number]
