import type { ForwardingTables, Resources, RouteChange, Router, SwitchEntries } from '@cloister/placement'
import { type DownPorts, downPorts, switchOfLink, type Topology } from '@cloister/topology'
import { version } from './version.ts'

/**
 * Router with one table for the whole machine. A switch sends messages down if working links lead down to the node, else
 * up. Of the ports that lead up, the number of the node chooses one.
 */
export const templated: Router = {
  contract: 1,
  name: 'templated',
  version,
  claims: { links: 'shared', changes: 'none' },
  make: (topology) => new Tables(topology),
}
export default templated

class Tables implements ForwardingTables {
  readonly #topology: Topology
  readonly #down: ReadonlyArray<DownPorts>
  readonly #failed: ReadonlyArray<Set<number>>
  readonly #jobs: Map<string, Resources> = new Map()
  /** Jobs that failures left without routes. */
  readonly #lost: Set<string> = new Set()
  /** For each level: the ports of switch 0 towards all nodes, then of switch 1, and so on; -1 for no entry. */
  #ports: ReadonlyArray<Int16Array>

  constructor(topology: Topology) {
    this.#topology = topology
    this.#down = downPorts(topology)
    this.#failed = topology.levels.map(() => new Set())
    this.#ports = this.#make()
  }

  port(level: number, sw: number, node: number): number {
    return this.#ports[level][sw * this.#topology.nodes + node]
  }

  initial(): Iterable<SwitchEntries> {
    return this.#differences(this.#ports.map((ports) => new Int16Array(ports.length).fill(-1)))
  }

  start(job: string, resources: Resources): Iterable<SwitchEntries> | { readonly unroutable: string } {
    const unroutable = this.#gap(resources)
    if (unroutable !== undefined) return { unroutable }
    this.#jobs.set(job, resources)
    return []
  }

  end(job: string): Iterable<SwitchEntries> {
    this.#jobs.delete(job)
    this.#lost.delete(job)
    return []
  }

  change(change: 'down' | 'up', { links }: Resources): Iterable<RouteChange> {
    links.forEach((ids, level) => {
      for (const link of Array.from(ids))
        if (change === 'down') this.#failed[level].add(link)
        else this.#failed[level].delete(link)
    })
    const before = this.#ports
    this.#ports = this.#make()
    const changes: Array<RouteChange> = [{ entries: this.#differences(before) }]
    for (const [job, resources] of this.#jobs) {
      const unroutable = this.#gap(resources)
      if ((unroutable !== undefined) === this.#lost.has(job)) continue
      if (unroutable === undefined) this.#lost.delete(job)
      else this.#lost.add(job)
      changes.push({ job, entries: [], ...(unroutable !== undefined && { unroutable }) })
    }
    return changes
  }

  #make(): ReadonlyArray<Int16Array> {
    const { levels, leafOfNode, nodes } = this.#topology
    const tables = levels.map(({ switches }) => new Int16Array(switches * nodes).fill(-1))
    for (let node = 0; node < nodes; node++) tables[0][leafOfNode[node] * nodes + node] = this.#down[0].portOf[node]
    for (let level = 0; level + 1 < levels.length; level++) this.#goDown(tables, level)
    for (let level = levels.length - 2; level >= 0; level--) this.#goUp(tables, level)
    return tables
  }

  /** A switch above the level sends messages down over a link if the switch below the link sends them down, too. */
  #goDown(tables: ReadonlyArray<Int16Array>, level: number): void {
    const { levels, nodes } = this.#topology
    for (let link = 0; link < levels[level].links; link++) {
      if (this.#failed[level].has(link)) continue
      const below = switchOfLink(this.#topology, level, link) * nodes
      const above = levels[level].parentOfLink[link] * nodes
      for (let node = 0; node < nodes; node++)
        if (tables[level][below + node] >= 0) tables[level + 1][above + node] = this.#down[level + 1].portOf[link]
    }
  }

  /** A switch without a way down sends messages up to a switch that has an entry for the node. */
  #goUp(tables: ReadonlyArray<Int16Array>, level: number): void {
    const { levels, nodes } = this.#topology
    const { switches, firstPort, parentOfLink } = levels[level]
    const { first } = this.#down[level]
    for (let sw = 0; sw < switches; sw++)
      for (let node = 0; node < nodes; node++) {
        if (tables[level][sw * nodes + node] >= 0) continue
        const ports: Array<number> = []
        for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++)
          if (!this.#failed[level].has(link) && tables[level + 1][parentOfLink[link] * nodes + node] >= 0)
            ports.push(first[sw + 1] - first[sw] + link - firstPort[sw])
        if (ports.length > 0) tables[level][sw * nodes + node] = ports[node % ports.length]
      }
  }

  /** Returns a message about two nodes of a job without a route; undefined if all nodes are connected. */
  #gap({ nodes }: Resources): string | undefined {
    const ids = Array.from(nodes)
    for (const from of ids)
      for (const to of ids)
        if (this.port(0, this.#topology.leafOfNode[from], to) < 0)
          return `no links lead from node ${from} to node ${to}`
    return undefined
  }

  /** Yields the entries that differ from earlier tables, switch by switch. */
  *#differences(before: ReadonlyArray<Int16Array>): Generator<SwitchEntries> {
    const { levels, nodes: count } = this.#topology
    for (const [level, { switches }] of levels.entries())
      for (let sw = 0; sw < switches; sw++) {
        const row = this.#ports[level].subarray(sw * count, (sw + 1) * count)
        const nodes = Array.from(row.keys()).filter((node) => row[node] !== before[level][sw * count + node])
        if (nodes.length > 0) yield { level, sw, nodes, ports: nodes.map((node) => row[node]) }
      }
  }
}
