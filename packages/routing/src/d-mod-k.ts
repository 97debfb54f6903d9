import type { Routes } from '@cloister/placement'
import { downPorts, type Topology } from '@cloister/topology'
import { asParent, childTowards, isAbove, regularTree } from './regular-tree.ts'

/**
 * Returns the D-mod-k routes of the whole tree (Zahavi, "D-Mod-K routing providing non-blocking traffic for shift
 * permutations on real life fat trees", 2010). Towards node `d`, a switch of level l uses up-port `floor(d / (w1 … wl))
 * mod (w(l+1) p(l+1))`. Downwards, a switch uses the cable to the switch below whose number the formula gives at the
 * switch below.
 *
 * @throws RoutingError if the topology has no `pgft` shape: a switch graph is no regular tree
 */
export function dModK(topology: Topology): Routes {
  const tree = regularTree(topology)
  const {
    shape: { w, p },
    parallel,
  } = tree
  const ports = downPorts(topology)
  const upPort = (level: number, node: number): number =>
    Math.floor(node / parallel[level]) % (w[level + 1] * p[level + 1])
  return {
    port(level, sw, node) {
      const leaf = topology.leafOfNode[node]
      if (!isAbove(tree, level, sw, leaf))
        return ports[level].first[sw + 1] - ports[level].first[sw] + upPort(level, node)
      if (level === 0) return ports[0].portOf[node]
      const child = childTowards(tree, level, sw, leaf)
      const cable = Math.floor(upPort(level - 1, node) / w[level])
      return ports[level].portOf[
        topology.levels[level - 1].firstPort[child] + asParent(tree, level, sw) + w[level] * cable
      ]
    },
  }
}
