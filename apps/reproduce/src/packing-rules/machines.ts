import type { PaperTrace } from '../experiment/traces.ts'

/** Job log, with the blocks of the machine of its runs. */
export interface Workload extends PaperTrace {
  readonly queue: string
  readonly leaf: number
  /** Nodes of the blocks: two leaves, and twice and four times as many, up to 72. */
  readonly blocks: ReadonlyArray<number>
}

/** Queue discipline with its window; equal for all logs. */
const queue = 'easy:50'

/** Number of jobs run of each log, from its end: whole logs take hours. */
export const lastJobs = 2000

/** Thunder's log has no arrivals. Curie's jobs come twice as fast as recorded, because otherwise few would wait. */
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
