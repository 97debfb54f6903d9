import { parseTopology, switchGraph, switchOfLink, type Topology } from '@cloister/topology'
import type { Resources } from '../../allocations.ts'

/** Topology on which the suite checks routers. `code` makes the topology in a printed list of calls. */
export interface RoutedMachine {
  readonly topology: Topology
  readonly code: string
}

/**
 * Small trees of one to three levels: full, tapered, with parallel cables, and with more than 32 nodes on a leaf. The
 * suite shows a fault on the first machine that has the fault.
 */
const trees = [
  'pgft:2;4,4;1,4;1,1',
  'pgft:2;4,6;1,2;1,1',
  'pgft:2;4,3;1,2;1,2',
  'radix:4',
  'pgft:3;4,3,3;1,2,2;1,1,1',
  'pgft:3;4,3,3;1,2,2;1,2,2',
  'radix:6',
  'pgft:1;9;1;1',
  'pgft:2;40,3;1,40;1,1',
]

/** Returns the machines of the suite: regular trees, and a switch graph, which a router need not serve. */
export function routedMachines(given: ReadonlyArray<Topology>): ReadonlyArray<RoutedMachine> {
  const leaves = [3, 5, 2, 4]
  const parents = [
    [[0, 1], [0, 1], [1, 2], [2]],
    [[0], [0], [0]],
  ]
  return [
    ...trees.map((spec) => ({ topology: parseTopology(spec), code: `parseTopology('${spec}')` })),
    {
      topology: switchGraph({ name: 'graph', leaves, parents }),
      code: `switchGraph({ name: 'graph', leaves: ${JSON.stringify(leaves)}, parents: ${JSON.stringify(parents)} })`,
    },
    ...given.map((topology) => ({ topology, code: `topology /* ${topology.name} */` })),
  ]
}

/** Returns true if messages may use a link of a level. */
export type Usable = (level: number, link: number) => boolean

/** Returns for each leaf 1 if usable links lead from the leaf up and then down to another leaf; else 0. */
export function leavesThatReach(topology: Topology, leaf: number, usable: Usable): Uint8Array {
  const { levels } = topology
  const reach = levels.map(({ switches }) => new Uint8Array(switches))
  reach[0][leaf] = 1
  const eachLink = (level: number, visit: (below: number, above: number) => void): void => {
    for (let link = 0; link < levels[level].links; link++)
      if (usable(level, link)) visit(switchOfLink(topology, level, link), levels[level].parentOfLink[link])
  }
  const lower = levels.slice(0, -1).map((_, level) => level)
  for (const level of lower) eachLink(level, (below, above) => (reach[level + 1][above] |= reach[level][below]))
  for (const level of lower.toReversed())
    eachLink(level, (below, above) => (reach[level][below] |= reach[level + 1][above]))
  return reach[0]
}

/** Returns two nodes of a job that usable links do not connect; undefined if the links connect all nodes. */
export function unconnectedPair(
  topology: Topology,
  { nodes }: Pick<Resources, 'nodes'>,
  usable: Usable,
): readonly [from: number, to: number] | undefined {
  const { leafOfNode } = topology
  let reach: { readonly leaf: number; readonly from: Uint8Array } = { leaf: -1, from: new Uint8Array() }
  for (const to of Array.from(nodes)) {
    const leaf = leafOfNode[to]
    if (leaf !== reach.leaf) reach = { leaf, from: leavesThatReach(topology, leaf, usable) }
    const from = Array.from(nodes).find((node) => reach.from[leafOfNode[node]] === 0)
    if (from !== undefined) return [from, to]
  }
  return undefined
}
