import { type Halo, matrixPattern, parseHalo, trafficOf } from '@cloister/communication'
import { resourcesOf } from '@cloister/eventlog'
import type { GivenSpec } from '@cloister/run'
import { parseTopology, seededDraws } from '@cloister/topology'
import type { Job } from '@cloister/workload'
import { Effect } from 'effect'
import { type LocatedTrace, Records, type RunResult, Traces } from '../experiment/services.ts'
import type { Log } from './paper.ts'

/** Algorithm of the Combal slides: it chooses the nodes of a job, and the order of the job's ranks on these nodes. */
export type Way = 'Default' | 'TopoMatch' | 'Combal' | 'uCombal' | 'uCombal, ratio'

export const policies: Readonly<Record<Way, Pick<GivenSpec, 'policy' | 'config'>>> = {
  Default: { policy: 'slurm-tree' },
  TopoMatch: { policy: 'slurm-tree', config: { ranks: 'topomatch' } },
  Combal: { policy: 'combal' },
  uCombal: { policy: 'combal', config: { balance: 'unbalanced' } },
  'uCombal, ratio': { policy: 'combal', config: { balance: 'unbalanced', factor: 'ratio' } },
}

/**
 * Reading of the Combal slides' ratio of costs. A job's cost, with contention (`effective`) or without (`plain`), is
 * divided by the job's cost in the default run, or by the cost of Slurm's placement in the state at the job's start.
 */
export interface Reading {
  readonly cost: 'effective' | 'plain'
  readonly old: 'default run' | 'same state'
}

/** Programs of the Combal slides, each with the kind of its halo exchange: the programs' matrices are not public. */
const programs: ReadonlyArray<readonly [name: string, halo: Halo]> = [
  ['miniAMR', 'refined'],
  ['LAMMPS', 'staged'],
  ['MiniGhost', '7-point'],
  ['HPCG', '27-point'],
  ['miniFE', '27-point'],
  ['miniMD', 'staged'],
]
/** Greatest number of jobs of each of the six programs; at most 1002 jobs in all. */
const EACH = 167
const LARGEST = 256

/** A log with its jobs, whose sizes are divided for the machine. */
export type LoadedLog = Log & { readonly located: LocatedTrace; readonly jobs: ReadonlyArray<Job> }

/** Returns the six most frequent sizes of a log's jobs from 2 to 256 nodes, the most frequent first. */
export function sizesOf(jobs: ReadonlyArray<Job>): ReadonlyArray<number> {
  const counts = new Map<number, number>()
  for (const { size } of jobs) if (size > 1 && size <= LARGEST) counts.set(size, (counts.get(size) ?? 0) + 1)
  return Array.from(counts)
    .sort(([a, manyA], [b, manyB]) => manyB - manyA || a - b)
    .slice(0, programs.length)
    .map(([size]) => size)
}

/** Draws another program for each size, and returns the matrix of each as `halo:KIND:RANKS:SEED`. */
export function matricesOf(sizes: ReadonlyArray<number>, seed: number): ReadonlyArray<string> {
  const draw = seededDraws(seed)
  const rest = [...programs]
  let drawn = 0
  return sizes.map((size) => {
    drawn++
    const [[, halo]] = rest.splice(draw(rest.length), 1)
    if (halo !== 'refined') return `halo:${halo}:${size}`
    // Programs and refined blocks come from one sequence of draws.
    const from = seedAfter(seed, drawn)
    for (let rank = 0; rank < size; rank++, drawn++) draw(2)
    return `halo:${halo}:${size}:${from}`
  })
}

/** Returns the seed whose draws are those of `seed` after the first `drawn` draws; see `seededDraws`. */
function seedAfter(seed: number, drawn: number): number {
  return (seed + Math.imul(drawn, 0x6d2b79f5)) >>> 0
}

/**
 * Returns a run of the first 167 jobs of each of the six most frequent sizes under an algorithm. No job has a
 * reservation, as under Slurm if jobs have no time limits.
 *
 * @param matrices matrix of each size: a file or a rule
 * @param reading reading by which costs in earlier runs scale the run times; undefined for the run times of the log
 */
export function specOf(
  { located, jobs, topology }: LoadedLog,
  way: Way,
  matrices: ReadonlyArray<string>,
  reading: Reading | undefined,
): GivenSpec {
  const sizes = sizesOf(jobs).toSorted((a, b) => a - b)
  return {
    trace: located.trace,
    filter: `${located.filter},${sizes.map((size) => `nodes=${size}`).join('|')},first-of-size=${EACH}`,
    arrivals: 'trace',
    topology,
    ...policies[way],
    queue: 'unreserved:100',
    estimates: 'exact',
    overrun: 'run-on',
    communication: 'file:all-to-all',
    matrices: matrices.join(','),
    ...(reading && { cost: reading.cost, costsFrom: reading.old === 'default run' ? 'two-runs' : 'one-run' }),
  }
}

/** Returns the path of a matrix file; undefined if the file is not at hand. */
export const pathOf = Effect.fnUntraced(function* (file: string) {
  const { locate } = yield* Traces
  const what = 'a communication matrix, a line for each sending rank'
  const located = yield* locate({ name: file, source: { file, filter: '', what }, arrivals: 'trace' })
  return located?.trace
})

const HOUR = 3600

/** Returns the hours of execution and of waiting of a run, summed over its jobs. */
export function hoursOf({ metrics: { jobs, turnaround, wait } }: RunResult): {
  readonly execution: number
  readonly wait: number
} {
  const [inAll, waiting] = [turnaround.mean!, wait.mean!].map((each) => (each * jobs.started) / HOUR)
  return { execution: inAll - waiting, wait: waiting }
}

/** Returns the bytes of the messages between switches and inside switches, summed over the jobs of a run. */
export const bytesOf = Effect.fnUntraced(function* (spec: GivenSpec, matrices: ReadonlyArray<string>) {
  const { watch } = yield* Records
  const topology = parseTopology(spec.topology)
  const patterns = new Map(
    matrices.map((name) => {
      const bytes = parseHalo(name)!
      return [`matrix:${name.replaceAll(':', '-')}`, matrixPattern(name, bytes)]
    }),
  )
  const patternOf = new Map<string, string>()
  const sums = { interSwitch: 0, intraSwitch: 0 }
  yield* watch(spec, (record) => {
    if (record.type === 'submit' && record.communication !== undefined)
      patternOf.set(record.job, record.communication.pattern)
    if (record.type !== 'allocate') return
    const pattern = patterns.get(patternOf.get(record.job) ?? '')
    if (pattern === undefined) return
    const { interSwitch, intraSwitch } = trafficOf(topology, record.ranks ?? resourcesOf(record).nodes, pattern)
    sums.interSwitch += interSwitch.total
    sums.intraSwitch += intraSwitch.total
  })
  return sums
})
