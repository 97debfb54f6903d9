import { switchOfLink } from '@cloister/topology'
import type { JobLoads } from './job-loads.ts'
import type { LiveLinks } from './live-links.ts'
import type { ReadableRows } from './rows.ts'

/**
 * Minimal routes to one node with the least sum of loads over the links of the route. Of several such routes a switch
 * keeps its present port, else takes the lowest port.
 */
export class LightestRoutes {
  readonly #live: LiveLinks
  readonly #loads: JobLoads
  readonly #rows: () => ReadableRows
  /** Scratch memory: cost and port of each switch for the search with the number in `#stamps`. */
  readonly #costs: ReadonlyArray<Float64Array>
  readonly #ports: ReadonlyArray<Int16Array>
  readonly #stamps: ReadonlyArray<Int32Array>
  /** A list of ports for each level, because the search is recursive. */
  readonly #usable: ReadonlyArray<Array<number>>
  #search = 0
  #node = 0
  #leaf = 0

  /** @param rows returns the present tables */
  constructor(live: LiveLinks, loads: JobLoads, rows: () => ReadableRows) {
    const { levels } = live.topology
    this.#live = live
    this.#loads = loads
    this.#rows = rows
    this.#costs = levels.map(({ switches }) => new Float64Array(switches))
    this.#ports = levels.map(({ switches }) => new Int16Array(switches))
    this.#stamps = levels.map(({ switches }) => new Int32Array(switches))
    this.#usable = Array.from({ length: 2 * levels.length }, () => [])
  }

  /** Finds the routes from some leaves to a node, and calls `use` with each switch on these routes and its port. */
  find(node: number, leaves: ReadonlyArray<number>, use: (level: number, sw: number, port: number) => void): void {
    this.#node = node
    this.#leaf = this.#live.topology.leafOfNode[node]
    this.#search++
    for (const leaf of leaves) {
      if (leaf === this.#leaf) continue
      this.#cost(0, leaf, 0)
      for (let [level, sw] = [0, leaf]; (level > 0 || sw !== this.#leaf) && this.#ports[level][sw] >= 0;) {
        use(level, sw, this.#ports[level][sw])
        const hop = this.#hop(level, sw, this.#ports[level][sw])
        level = hop.level
        sw = hop.sw
      }
    }
  }

  #cost(level: number, sw: number, depth: number): number {
    if (level === 0 && sw === this.#leaf) return 0
    if (this.#stamps[level][sw] === this.#search) return this.#costs[level][sw]
    const usable = this.#usable[depth]
    const count = this.#live.portsTowards(level, sw, this.#leaf, usable)
    const present = this.#rows().of(level, sw)[this.#node]
    let [best, port] = [Infinity, -1]
    for (let at = 0; at < count; at++) {
      const hop = this.#hop(level, sw, usable[at])
      const cost = hop.load + this.#cost(hop.level, hop.sw, depth + 1)
      if (cost > best || (cost === best && usable[at] !== present)) continue
      best = cost
      port = usable[at]
    }
    this.#stamps[level][sw] = this.#search
    this.#costs[level][sw] = best
    this.#ports[level][sw] = port
    return best
  }

  #hop(
    level: number,
    sw: number,
    port: number,
  ): { readonly level: number; readonly sw: number; readonly load: number } {
    const { topology, downPorts } = this.#live
    const { first, below } = downPorts[level]
    const downCount = first[sw + 1] - first[sw]
    if (port < downCount) {
      const link = below[first[sw] + port]
      return { level: level - 1, sw: switchOfLink(topology, level - 1, link), load: this.#loads.down(level - 1, link) }
    }
    const link = topology.levels[level].firstPort[sw] + port - downCount
    return { level: level + 1, sw: topology.levels[level].parentOfLink[link], load: this.#loads.up(level, link) }
  }
}
