import type { Resources, Routes } from '@cloister/placement'
import {
  describeIrregularity,
  downPorts,
  type PgftShape,
  seededDraws,
  switchOfLink,
  type Topology,
  wholeShape,
} from '@cloister/topology'

/** Error for invalid input, such as a topology that is no regular tree, and for routes that are broken or too many. */
export class RoutingError extends Error {
  readonly _tag = 'RoutingError' as const
  override readonly name: string = 'RoutingError'
}

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

/**
 * Returns routes with an entry for every node at every switch. An entry of a job's own routes has priority, so messages
 * between nodes of a job stay on the job's links. All other entries are entries of D-mod-k. For a node of a job, the
 * entry is the D-mod-k entry of a node on the same leaf whose way down uses an L2 switch with a link of the job to the
 * leaf, if there is one. On trees of up to three levels, no message goes up again after going down.
 *
 * @param own routes of the jobs over their own links
 * @param jobs allocations of the jobs
 * @throws RoutingError if the topology has no `pgft` shape: a switch graph is no regular tree
 */
export function fabricRoutes(topology: Topology, own: Routes, jobs: Iterable<Resources>): Routes {
  const base = dModK(topology)
  const like = Int32Array.from({ length: topology.nodes }, (_, node) => node)
  for (const job of jobs) standIns(topology, job, like)
  return {
    port(level, sw, node) {
      const port = own.port(level, sw, node)
      if (port >= 0) return port
      const isLeafOfNode = level === 0 && sw === topology.leafOfNode[node]
      return base.port(level, sw, isLeafOfNode ? node : like[node])
    },
  }
}

/**
 * Sets `like` for each node of a job: a node of its leaf, if possible itself, whose way down by D-mod-k uses an L2
 * switch with a link of the job to the leaf.
 */
function standIns(topology: Topology, { nodes, links }: Resources, like: Int32Array): void {
  const { leafOfNode, levels } = topology
  const { w, p } = regularTree(topology).shape
  if (levels.length < 2) return
  const parents = new Map<number, Set<number>>()
  const { firstPort } = levels[0]
  const ofLeaf = new Set(Array.from(nodes, (node) => leafOfNode[node]))
  const own = Array.from(links[0] ?? [])
  for (const leaf of ofLeaf) {
    const ports = own.filter((link) => link >= firstPort[leaf] && link < firstPort[leaf + 1])
    parents.set(leaf, new Set(ports.map((link) => (link - firstPort[leaf]) % w[1])))
  }
  const parentOf = (node: number): number => (Math.floor(node / w[0]) % (w[1] * p[1])) % w[1]
  for (const node of Array.from(nodes)) {
    const leaf = leafOfNode[node]
    const found = neighbours(topology, node).find((each) => parents.get(leaf)!.has(parentOf(each)))
    if (found !== undefined) like[node] = found
  }
}

/** The node itself comes first, because the caller prefers the node to the other nodes of its leaf. */
function neighbours({ leafOfNode, firstNodeOfLeaf }: Topology, node: number): ReadonlyArray<number> {
  const [first, end] = [firstNodeOfLeaf[leafOfNode[node]], firstNodeOfLeaf[leafOfNode[node] + 1]]
  return [node, ...Array.from({ length: end - first }, (_, at) => first + at)]
}

/**
 * Returns static routes with a random up-port for each switch and destination, as a subnet manager without knowledge of
 * the tree would choose. Down-ports are the ports of D-mod-k; on a tree without parallel cables, each is the only
 * down-port to its node.
 *
 * @param seed equal seeds give equal routes
 * @throws RoutingError if the topology is not a regular tree (`pgft` is undefined)
 */
export function randomUpPorts(topology: Topology, seed: number): Routes {
  const downwards = dModK(topology)
  const down = downPorts(topology)
  const drawn = topology.levels.map(({ switches, firstPort }) => {
    const draw = seededDraws(seed)
    return Array.from({ length: switches }, (_, sw) => {
      const upPorts = firstPort[sw + 1] - firstPort[sw]
      return Uint16Array.from({ length: upPorts === 0 ? 0 : topology.nodes }, () => draw(upPorts))
    })
  })
  return {
    port(level, sw, node) {
      const port = downwards.port(level, sw, node)
      const downCount = down[level].first[sw + 1] - down[level].first[sw]
      return port < downCount ? port : downCount + drawn[level][sw][node]
    },
  }
}

/**
 * Regular tree, or the whole tree of a machine with absent parts. All ids in the formulas are ids in the whole tree.
 * Switch `sw` of level `l` is number `sw mod parallel[l]` of the parallel switches of subtree `floor(sw /
 * parallel[l])`.
 */
export interface RegularTree {
  readonly topology: Topology
  readonly shape: PgftShape
  /** Number of parallel switches of a subtree, for each level `l`: the product w1 … w(l+1). */
  readonly parallel: ReadonlyArray<number>
  /** Number of leaves of a subtree, for each level `l`: the product m2 … m(l+1). */
  readonly leaves: ReadonlyArray<number>
}

/** @throws RoutingError if the topology is a switch graph, or if parts of its tree are absent */
export function regularTree(topology: Topology): RegularTree {
  if (topology.pgft === undefined) throw irregular(topology)
  return treeOf(topology)
}

/** @throws RoutingError if the topology is a switch graph */
export function treeOf(topology: Topology): RegularTree {
  const shape = wholeShape(topology)
  if (shape === undefined) throw irregular(topology)
  const products = (factors: ReadonlyArray<number>): number[] =>
    factors.map((_, level) => factors.slice(0, level + 1).reduce((a, b) => a * b, 1))
  return { topology, shape, parallel: products(shape.w), leaves: products([1, ...shape.m.slice(1)]) }
}

function irregular(topology: Topology): RoutingError {
  return new RoutingError(
    `${topology.name}: ${describeIrregularity(topology)}; routes are made on regular trees, such as radix:18 or pgft:3;18,18,4;1,18,2;1,1,9`,
  )
}

/** Returns the number of parents of each switch of a level; 0 at the top. */
export function parentsOf({ shape }: RegularTree, level: number): number {
  return level + 1 < shape.w.length ? shape.w[level + 1] : 0
}

function isAbove(tree: RegularTree, level: number, sw: number, leaf: number): boolean {
  return Math.floor(sw / tree.parallel[level]) === Math.floor(leaf / tree.leaves[level])
}

/** Returns the child of switch `sw` on the way down to a leaf below `sw`. */
export function childTowards(tree: RegularTree, level: number, sw: number, leaf: number): number {
  const { parallel, leaves, shape } = tree
  const number = Math.floor((sw % parallel[level]) / shape.w[level])
  return Math.floor(leaf / leaves[level - 1]) * parallel[level - 1] + number
}

/** Returns the number of a switch among the parents of its children, from 0; equal for all children. */
export function asParent({ shape }: RegularTree, level: number, sw: number): number {
  return sw % shape.w[level]
}
