import { type Follow, followOn, RoutingError } from '@cloister/network'
import type { LiveLinks } from './live-links.ts'
import type { ReadableRows } from './rows.ts'

/** Load of all messages to one node of a job. The power of two leaves precision for the shares of large jobs. */
const FULL = 2 ** 30

/** Running job with nodes on several leaves: a set of messages whose routes load the links between switches. */
export interface LoadingJob {
  readonly nodes: ReadonlyArray<number>
  /** Leaves of the job, ascending, and the number of nodes on each of these leaves. */
  readonly leaves: ReadonlyArray<number>
  readonly sizes: ReadonlyArray<number>
  /** Load of the messages from one node to another node. All messages to a node together load at most FULL. */
  readonly weight: number
}

/** Returns the job with the given nodes, ascending; undefined if all nodes are on one leaf. */
export function loadingJob(leafOfNode: Int32Array, nodes: ArrayLike<number>): LoadingJob | undefined {
  const counts = new Map<number, number>()
  for (const node of Array.from(nodes)) counts.set(leafOfNode[node], (counts.get(leafOfNode[node]) ?? 0) + 1)
  if (counts.size < 2) return undefined
  return {
    nodes: Array.from(nodes),
    leaves: [...counts.keys()],
    sizes: [...counts.values()],
    weight: Math.floor(FULL / (nodes.length - 1)),
  }
}

/**
 * Load of the links between switches in each direction, if in each running job all nodes send to all other nodes at the
 * same rate. Loads are integers below 2^53, so the order of additions does not matter.
 */
export class JobLoads {
  readonly #live: LiveLinks
  readonly #up: ReadonlyArray<Float64Array>
  readonly #down: ReadonlyArray<Float64Array>
  readonly #along: Follow

  constructor(live: LiveLinks) {
    this.#live = live
    this.#along = followOn(live.topology)
    this.#up = live.topology.levels.map(({ links }) => new Float64Array(links))
    this.#down = live.topology.levels.map(({ links }) => new Float64Array(links))
  }

  up(level: number, link: number): number {
    return this.#up[level][link]
  }

  down(level: number, link: number): number {
    return this.#down[level][link]
  }

  clear(): void {
    for (const loads of [...this.#up, ...this.#down]) loads.fill(0)
  }

  /** Adds the messages of a job to one of its nodes, over the routes in `rows`. @param sign 1 to add, -1 to remove */
  add(job: LoadingJob, node: number, rows: ReadableRows, sign: 1 | -1): void {
    const home = this.#live.topology.leafOfNode[node]
    for (let at = 0; at < job.leaves.length; at++)
      if (job.leaves[at] !== home) this.#follow(job.leaves[at], node, rows, sign * job.sizes[at] * job.weight)
  }

  #follow(leaf: number, node: number, rows: ReadableRows, load: number): void {
    const from = this.#live.topology.firstNodeOfLeaf[leaf]
    const routes = { port: (level: number, sw: number, to: number) => rows.of(level, sw)[to] }
    try {
      this.#along(routes, from, node, (level, link, up) => {
        const loads = up ? this.#up : this.#down
        loads[level][link] += load
      })
    } catch (error) {
      // A failure can separate nodes of a running job.
      if (!(error instanceof RoutingError)) throw error
    }
  }
}
