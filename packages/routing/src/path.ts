import type { Routes } from '@cloister/placement'
import { downPorts, switchOfLink, type Topology } from '@cloister/topology'
import { RoutingError } from './routing-error.ts'

/** Calls `visit` with each link on the way between two nodes, in order. */
export type Follow = (
  routes: Routes,
  from: number,
  to: number,
  visit: (level: number, link: number, up: boolean) => void,
) => void

/**
 * Returns a `Follow`, which throws a RoutingError if the way breaks off, does not end at `to`, or goes up after going
 * down.
 */
export function followOn(topology: Topology): Follow {
  const down = downPorts(topology)
  const { levels, leafOfNode } = topology
  return (routes, from, to, visit) => {
    let level = 0
    let sw = leafOfNode[from]
    let descending = false
    for (;;) {
      const { first, below } = down[level]
      const port = routes.port(level, sw, to)
      const upPort = port - (first[sw + 1] - first[sw])
      if (port < 0)
        throw new RoutingError(
          `switch ${sw} of level ${level} has no entry for node ${to}, on the way from node ${from}`,
        )
      if (upPort >= 0) {
        if (descending)
          throw new RoutingError(
            `the way from node ${from} to node ${to} goes up again at switch ${sw} of level ${level}`,
          )
        const link = levels[level].firstPort[sw] + upPort
        visit(level, link, true)
        sw = levels[level++].parentOfLink[link]
        continue
      }
      const next = below[first[sw] + port]
      if (level === 0) {
        if (next !== to) throw new RoutingError(`the way from node ${from} to node ${to} ends at node ${next}`)
        return
      }
      descending = true
      visit(--level, next, false)
      sw = switchOfLink(topology, level, next)
    }
  }
}
