import type { Resources, RouteChange } from '@cloister/placement'
import type { LiveLinks } from './live-links.ts'
import { NO_ROUTE } from './live-links.ts'

interface Connected {
  /** First node of the job on each of its leaves, by leaf. */
  readonly firstOfLeaf: ReadonlyMap<number, number>
  /** True if a failure has separated nodes of the job. */
  isLost: boolean
}

/** Running jobs, to find the jobs whose nodes a failure separates. */
export class ConnectedJobs {
  readonly #live: LiveLinks
  /** Running jobs in the order of their starts. */
  readonly #jobs: Map<string, Connected> = new Map()

  constructor(live: LiveLinks) {
    this.#live = live
  }

  /** Adds a job. If two nodes of the job have no route, returns a message about the nodes, and adds no job. */
  start(job: string, { nodes }: Resources): string | undefined {
    const { leafOfNode } = this.#live.topology
    const firstOfLeaf = new Map<number, number>()
    for (const node of Array.from(nodes))
      if (!firstOfLeaf.has(leafOfNode[node])) firstOfLeaf.set(leafOfNode[node], node)
    const gap = this.#gap(firstOfLeaf)
    if (gap === undefined) this.#jobs.set(job, { firstOfLeaf, isLost: false })
    return gap
  }

  end(job: string): void {
    this.#jobs.delete(job)
  }

  /** Returns a change for each job that the last change of links has separated or joined, in the order of starts. */
  lostAndBack(): ReadonlyArray<RouteChange> {
    return Array.from(this.#jobs).flatMap(([job, connected]) => {
      const unroutable = this.#gap(connected.firstOfLeaf)
      if (connected.isLost === (unroutable !== undefined)) return []
      connected.isLost = !connected.isLost
      return [{ job, entries: [], ...(unroutable !== undefined && { unroutable }) }]
    })
  }

  #gap(firstOfLeaf: ReadonlyMap<number, number>): string | undefined {
    for (const [leaf, from] of firstOfLeaf)
      for (const [other, to] of firstOfLeaf)
        if (this.#live.peak(0, leaf, other) === NO_ROUTE) return `no links lead from node ${from} to node ${to}`
    return undefined
  }
}
