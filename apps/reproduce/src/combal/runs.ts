import { hopBytes, type HopBytes, matrixPattern, topomatch, trafficOf } from '@cloister/communication'
import { countingRecorder } from '@cloister/eventlog'
import { type RunTimes, simulate } from '@cloister/kernel'
import { bindPolicy, type ByteMatrix, type Placement, type Placer } from '@cloister/placement'
import combal from '@cloister/policy-combal'
import slurmTree from '@cloister/policy-slurm-tree'
import { parseTopology, type Topology } from '@cloister/topology'
import type { Workload } from '@cloister/workload'

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
/** Number of jobs behind the head that backfilling tries: Slurm's default. */
const WINDOW = 100

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
    simulate({
      topology,
      policyName: way,
      placer: this.#placers[way],
      workload,
      queue: { order: 'submit', backfill: 'easy', window: WINDOW },
      estimates: 'requested',
      overrun: 'run-on',
      refusals: false,
      recorder: countingRecorder(),
      runTimes,
    })
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
