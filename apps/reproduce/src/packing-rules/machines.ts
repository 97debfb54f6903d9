import type { PaperTrace } from '../experiment/traces.ts'

/** Job log with the machine of its runs: queue discipline, nodes of a leaf, and block sizes. */
export interface Workload extends PaperTrace {
  readonly queue: string
  readonly leaf: number
  /** Block sizes in nodes: two, four and eight leaves, up to 72 nodes. */
  readonly blocks: ReadonlyArray<number>
}

/** Queue discipline of all logs: EASY with a window of 50 jobs. */
const queue = 'easy:50'

/** Number of jobs of each log that run, from the log's end. Whole logs would take hours. */
export const lastJobs = 2000

/**
 * Workloads of the experiment. Thunder's jobs arrive all at once. CEA-Curie's jobs arrive twice as fast as recorded,
 * because few jobs would wait with recorded arrivals.
 */
export const workloads: ReadonlyArray<Workload> = [
  {
    name: 'Thunder',
    source: { trace: 'thunder' },
    arrivals: 'zero',
    topology: 'radix:18',
    queue,
    leaf: 9,
    blocks: [18, 36, 72],
  },
  {
    name: 'CEA-Curie',
    source: { trace: 'cea-curie' },
    arrivals: 'scale:0.5',
    topology: 'radix:28',
    queue,
    leaf: 14,
    blocks: [28, 56],
  },
  {
    name: 'Theta',
    source: { trace: 'theta' },
    arrivals: 'trace',
    topology: 'radix:26',
    queue,
    leaf: 13,
    blocks: [26, 52],
  },
  {
    name: 'Synth-16',
    source: { trace: 'synth:16' },
    arrivals: 'zero',
    topology: 'radix:16',
    queue,
    leaf: 8,
    blocks: [16, 32, 64],
  },
]
