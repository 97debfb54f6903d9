import type { Resources } from '@cloister/placement'
import type { Draw } from '@cloister/placement/testing'
import { parseTopology, type Topology, TopologyError } from '@cloister/topology'
import { range } from './allocations.ts'

/** Returns a machine without the given parts of a regular tree; undefined if no switch of a level is left. */
export function machineWithout(tree: Topology, parts: ReadonlyArray<string>): Topology | undefined {
  try {
    return parts.length === 0 ? tree : parseTopology(`${tree.name} without ${parts.join('; ')}`)
  } catch (error) {
    if (error instanceof TopologyError) return undefined
    throw error
  }
}

/** Draws absent parts of a regular tree: a sixth of the nodes, a tenth of the links, and sometimes a switch of a level. */
export function someParts(tree: Topology, draw: Draw, isKept: (level: number, id: number) => boolean): Array<string> {
  const names = ['leaf', 'L2', 'spine', 'L4']
  const nodes = range(0, tree.nodes).filter((node) => draw.once(6) && !isKept(-1, node))
  const ofLevel = tree.levels.flatMap(({ switches, links, firstPort }, level) => {
    const cables = range(0, links).filter((link) => draw.once(10) && !isKept(level, link))
    const sw = draw.below(switches)
    const mayGo = switches > 1 && draw.once(4) && !isKept(-1, -1)
    return [
      ...(mayGo ? [`${names[level]} ${sw}`] : []),
      ...cables.map((link) => `${names[level]} ${Math.floor(link / firstPort[1])} ports ${link % firstPort[1]}`),
    ]
  })
  return [...(nodes.length === 0 ? [] : [`nodes ${nodes.join()}`]), ...ofLevel]
}

/** Returns the present parts of an allocation on the whole tree, with the ids of the machine. */
export function inMachine(machine: Topology, { nodes, links }: Resources): Resources {
  const places = machine.envelope!
  const present = (ids: ArrayLike<number>, of: Int32Array): ReadonlyArray<number> =>
    Array.from(ids, (id) => of.indexOf(id)).filter((id) => id >= 0)
  return {
    nodes: present(nodes, places.nodes),
    links: places.links.map((of, level) => present(links[level] ?? [], of)),
  }
}

/** Returns the parts of an allocation on the machine, with their ids in the whole tree. */
export function inTree(machine: Topology, { nodes, links }: Resources): Resources {
  const places = machine.envelope!
  return {
    nodes: Array.from(nodes, (node) => places.nodes[node]),
    links: links.map((ids, level) => Array.from(ids, (link) => places.links[level][link])),
  }
}
