/**
 * What P. Mishra, T. Agrawal and P. Malakar say, Communication-aware Job Scheduling using SLURM, ICPP Workshops 2020: the set-up
 * (section 5) and the values of its tables and text (section 6).
 */
import type { Scheme } from '../experiment/outcomes.ts'
import type { PaperTrace } from '../experiment/traces.ts'

/** A log (5.1) and a machine like those of 5.2: leaves of 16 nodes, or of 330 to 380, below switches that all reach all leaves. */
export type Log = PaperTrace & { readonly name: 'Intrepid' | 'Theta' | 'Mira' }

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
  log('Intrepid', 'iitk_sample_anl.swf', 'pgft:2;360,114;1,16;1,1'),
  log('Theta', 'iitk_sample_theta.swf', 'pgft:2;16,275;1,16;1,1'),
  log('Mira', 'iitk_sample_mira.swf', 'pgft:2;360,137;1,16;1,1'),
]

/** The smaller of the paper's two topologies, 512 nodes, as its source publishes it: Theta's largest job fills it. */
export const smallTopology = { name: 'Theta on 512', of: 'Theta', file: 'iitk-hpc2010-topology.conf' } as const

export type Algorithm = 'Default' | 'Greedy' | 'Balanced' | 'Adaptive'
const algorithm = (name: Algorithm, policy: string): Scheme & { readonly name: Algorithm } => ({
  name,
  spec: { policy, runTimes: 'communication' },
})
export const algorithms: ReadonlyArray<Scheme & { readonly name: Algorithm }> = [
  algorithm('Default', 'slurm-tree'),
  algorithm('Greedy', 'greedy'),
  algorithm('Balanced', 'balanced'),
  algorithm('Adaptive', 'adaptive'),
]

/** Backfilling as Slurm does it; over how many jobs is not said. */
export const queue = 'easy:50'

export type Pattern = 'RHVD' | 'RD' | 'Binomial'
export const patterns: Readonly<Record<Pattern, string>> = {
  RHVD: 'recursive-halving-vector-doubling',
  RD: 'recursive-doubling',
  Binomial: 'binomial-tree',
}

/** Outside of its sets A to E the paper does not say for how long jobs communicate: here half their time. */
export const communication = (pattern: Pattern, percentOfJobs: number): string =>
  `${percentOfJobs}%:${patterns[pattern]}:50%`

/** Table 3: hours of execution and of waiting, over all jobs; 90 % communicate. */
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

/** Experiment sets (6.2): which jobs communicate how, and for which share of their time. */
export const sets: ReadonlyArray<{ readonly name: string; readonly communication: string }> = [
  { name: 'A', communication: '90%:recursive-halving-vector-doubling:33%' },
  { name: 'B', communication: '90%:recursive-halving-vector-doubling:50%' },
  { name: 'C', communication: '90%:recursive-halving-vector-doubling:70%' },
  { name: 'D', communication: '90%:recursive-doubling*15+binomial-tree*35:50%' },
  { name: 'E', communication: '90%:recursive-doubling*21+binomial-tree*49:70%' },
]
/** By how much execution gets shorter under each set: for Theta on average over the algorithms, for the others under the best of them. */
export const improvements: Readonly<Record<Log['name'], ReadonlyArray<number>>> = {
  Theta: [0.0589, 0.0892, 0.1249, 0.0794, 0.1111],
  Intrepid: [0.0259, 0.0392, 0.0549, 0.0371, 0.0519],
  Mira: [0.072, 0.109, 0.1527, 0.0668, 0.0936],
}

/** Table 4: by how much the executions of single jobs get shorter, each put alone into the same machine. */
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

/** By how much communication costs less on average over the algorithms (6.4), by pattern. */
export const costs: Readonly<Record<Log['name'], Readonly<Record<Pattern, number>>>> = {
  Intrepid: { RD: 0.0556, RHVD: 0.0572, Binomial: 0.0572 },
  Theta: { RD: 0.1588, RHVD: 0.1784, Binomial: 0.1587 },
  Mira: { RD: 0.0548, RHVD: 0.0609, Binomial: 0.054 },
}

/** Figure 9: Intrepid, RHVD, by the share of jobs that communicate: what adaptive allocation saves in turnaround and in node-hours. */
export const shares = [30, 60, 90] as const
export const adaptiveSaves: Readonly<Record<30 | 90, { readonly turnaround: number; readonly nodeHours: number }>> = {
  30: { turnaround: 0.0255, nodeHours: 0.0261 },
  90: { turnaround: 0.111, nodeHours: 0.0785 },
}
