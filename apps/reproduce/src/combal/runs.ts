import {
  type Halo,
  haloMatrix,
  hopBytes,
  type HopBytes,
  matrixPattern,
  topomatch,
  trafficOf,
} from '@cloister/communication'
import type { RunTimes } from '@cloister/kernel'
import { bindPolicy, type ByteMatrix, type Placement, type Placer } from '@cloister/placement'
import combal from '@cloister/policy-combal'
import slurmTree from '@cloister/policy-slurm-tree'
import { parseTopology, seededDraws, type Topology } from '@cloister/topology'
import { type Job, jobListSha256, makeWorkload, type Workload } from '@cloister/workload'
import { runReserved } from '../experiment/own-queues.ts'
import type { Log } from './paper.ts'

/** Sums over a run's jobs: `execution` and `wait` in hours; bytes of messages, 0 if run times are adjusted. */
export interface Outcome {
  readonly execution: number
  readonly wait: number
  readonly interSwitch: number
  readonly intraSwitch: number
  /**
   * Communication cost of each communicating job, by the job's id: `here` on the job's own nodes, `byDefault` on the
   * nodes that Slurm's tree placement would choose at the job's start. Empty for a run with adjusted run times.
   */
  readonly costs: ReadonlyMap<string, { readonly here: HopBytes; readonly byDefault: HopBytes }>
}

/** Algorithm of the Combal slides: it chooses the nodes of a job, and the order of the job's ranks on these nodes. */
export type Way = 'Default' | 'TopoMatch' | 'Combal' | 'uCombal' | 'uCombal, ratio'

const HOUR = 3_600_000

/** Runs of jobs on one machine under the algorithms of the Combal slides; keeps the rank orders of TopoMatch. */
export class CombalRuns {
  readonly #topology: Topology
  readonly #placers: Readonly<Record<Way, Placer>>
  readonly #orders = new Map<string, ArrayLike<number>>()

  constructor(topology: string) {
    this.#topology = parseTopology(topology)
    const bound = (config: object): Placer => bindPolicy(combal, this.#topology, config).placer
    const byDefault = bindPolicy(slurmTree, this.#topology).placer
    this.#placers = {
      Default: byDefault,
      TopoMatch: byDefault,
      Combal: bound({}),
      uCombal: bound({ balance: 'unbalanced' }),
      'uCombal, ratio': bound({ balance: 'unbalanced', factor: 'ratio' }),
    }
  }

  /**
   * Simulates a workload under an algorithm.
   *
   * @param timeOf returns a job's adjusted run time in ms, from the job's id and its run time in the workload. With
   *   `timeOf` the run measures only hours; without `timeOf` also bytes and costs.
   */
  run(way: Way, workload: Workload, timeOf?: (job: string, time: number) => number): Outcome {
    const topology = this.#topology
    const sums = { execution: 0, wait: 0, interSwitch: 0, intraSwitch: 0 }
    const costs = new Map<string, { readonly here: HopBytes; readonly byDefault: HopBytes }>()
    const runTimes: RunTimes = (state, request, placement, time) => {
      const { job, now, submitted, communication } = request
      const taken = timeOf?.(job, time) ?? time
      sums.execution += taken / HOUR
      sums.wait += (now - submitted) / HOUR
      const matrix = communication?.matrix
      if (matrix === undefined || timeOf !== undefined) return taken
      const others = (leaf: number): number => state.communicatingNodesOnLeaf(leaf)
      const ranks = this.#ranks(way, placement, matrix)
      const slurms = this.#placers.Default.place(state, request, undefined)
      costs.set(job, {
        here: hopBytes(topology, others, ranks, matrix.bytes),
        byDefault: hopBytes(topology, others, (slurms as Placement).nodes, matrix.bytes),
      })
      const { interSwitch, intraSwitch } = trafficOf(topology, ranks, matrixPattern(matrix.name, matrix.bytes))
      sums.interSwitch += interSwitch.total
      sums.intraSwitch += intraSwitch.total
      return taken
    }
    runReserved(topology, this.#placers[way], workload, 'requested', runTimes)
    return { ...sums, costs }
  }

  #ranks(
    way: Way,
    { nodes, ranks }: Placement,
    { sha256, bytes }: { sha256: string; bytes: ByteMatrix },
  ): ArrayLike<number> {
    if (way !== 'TopoMatch') return ranks ?? nodes
    const { leafOfNode } = this.#topology
    // All leaves are equally far apart, so TopoMatch's order depends only on the number of nodes on each leaf.
    const key = `${sha256} ${Array.from(nodes, (node, at) => (leafOfNode[node] === leafOfNode[nodes[at - 1]] ? '' : at)).join()}`
    const order = this.#orders.get(key) ?? positions(nodes, topomatch.map(this.#topology, nodes, bytes))
    this.#orders.set(key, order)
    return Array.from(order, (at) => nodes[at])
  }
}

function positions(nodes: ArrayLike<number>, ranks: ArrayLike<number>): ArrayLike<number> {
  const at = new Map(Array.from(nodes, (node, position) => [node, position]))
  return Array.from(ranks, (node) => at.get(node)!)
}

/** Programs of the Combal slides, each with a halo exchange for `haloMatrix`: the programs' matrices are not public. */
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

/**
 * Returns a workload: the first 167 jobs of each of the six most frequent job sizes from 2 to 256 nodes, after sizes
 * are divided by `scale`. The seed draws another program for each size. Every job outlives its walltime of 1 ms, so the
 * head's reservation holds back no job, as under Slurm if jobs have no time limits.
 */
export function programsOf(jobs: ReadonlyArray<Job>, { name, scale }: Log, seed: number): Workload {
  const draw = seededDraws(seed)
  const scaled = jobs.map((job) => ({ ...job, size: Math.max(1, Math.round(job.size / scale)) }))
  const counts = new Map<number, number>()
  for (const { size } of scaled) if (size > 1 && size <= LARGEST) counts.set(size, (counts.get(size) ?? 0) + 1)
  const sizes = Array.from(counts)
    .sort(([a, manyA], [b, manyB]) => manyB - manyA || a - b)
    .slice(0, programs.length)
  const rest = [...programs]
  const matrices = new Map(
    sizes.map(([size]) => {
      const [[program, halo]] = rest.splice(draw(rest.length), 1)
      return [
        size,
        { name: `${program}-${size}`, sha256: `${program}-${size}-${seed}`, bytes: haloMatrix(halo, size, draw) },
      ]
    }),
  )
  const taken = new Map<number, number>()
  const chosen = scaled.filter(({ size }) => {
    const before = taken.get(size) ?? 0
    taken.set(size, before + 1)
    return matrices.has(size) && before < EACH
  })
  const list = chosen.map(({ communication, ...job }): Job => {
    const matrix = matrices.get(job.size)!
    const communicates =
      communication === undefined
        ? {}
        : { communication: { ...communication, pattern: `matrix:${matrix.name}`, matrix } }
    return { ...job, submit: job.submit - chosen[0].submit, walltime: 1, ...communicates }
  })
  return makeWorkload(list, { name: `${name}, seed ${seed}, ${jobListSha256(list).slice(0, 8)}`, filter: '' })
}
