import type { Router } from '@cloister/placement'
import { portCounts } from '@cloister/topology'
import { type Scheme, staticRouter } from './static-router.ts'

/**
 * Router `min-hop`: the tables of the routing engine `minhop` of OpenSM. Each switch sends messages for a node by the
 * port of a minimal route by which the switch sends messages for the fewest nodes so far, the lowest of several such
 * ports. The nodes come leaf by leaf, leaves with the most nodes first. After a failure, routes still go up and then
 * down, where OpenSM may take shortest routes that go up twice.
 */
export const minHopRouter: Router = staticRouter('min-hop', () => fewestNodes)

/**
 * Router `updn`: the tables of the routing engine `updn` of OpenSM (up/down routes). Links of a topology join
 * neighbouring levels only. On such machines every shortest route goes up and then down, and the tables equal the
 * tables of `min-hop`.
 */
export const updnRouter: Router = staticRouter('updn', () => fewestNodes)

/** Scheme that gives each entry the least used port of a minimal route. */
export const fewestNodes: Scheme = (live) => {
  const { firstNodeOfLeaf } = live.topology
  const counts = portCounts(live.topology)
  const usable: Array<number> = []
  return (level, sw, ports) => {
    const { portOf } = live.downPorts[level]
    const uses = new Int32Array(counts[level][sw])
    for (const leaf of live.leavesInOrder) {
      const count = live.portsTowards(level, sw, leaf, usable)
      for (let node = firstNodeOfLeaf[leaf]; node < firstNodeOfLeaf[leaf + 1]; node++) {
        if (level === 0 && leaf === sw) ports[node] = portOf[node]
        else ports[node] = count === 0 ? -1 : leastUsed(uses, usable, count)
      }
    }
  }
}

function leastUsed(uses: Int32Array, usable: ReadonlyArray<number>, count: number): number {
  let best = usable[0]
  for (let at = 1; at < count; at++) if (uses[usable[at]] < uses[best]) best = usable[at]
  uses[best]++
  return best
}
