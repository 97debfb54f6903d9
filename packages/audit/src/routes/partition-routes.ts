import type { DownPorts, Topology } from '@cloister/topology'
import { JobTree } from './job-tree.ts'

/**
 * Forwarding entries of one switch for one job. `ports`: port towards each of the job's nodes, in the order of the
 * nodes; NO_ENTRY for a missing entry.
 */
export interface SwitchEntries {
  readonly level: number
  readonly sw: number
  readonly ports: Uint16Array
}

/** Value that stands for a missing entry, above all port numbers. */
export const NO_ENTRY = 0xffff

/** For each node of a job: the cable up from one level by which messages come down to the node. */
interface Descent {
  /** Number of the upper switch among the parents of the lower switch; -1 if the node has no cable on this level. */
  readonly parent: Int32Array
  /** Number of the cable among the job's cables between the two switches; -1 if the node has no cable on this level. */
  readonly cable: Int32Array
  /** Value of the counter that chose the cable. */
  readonly key: Int32Array
}

/**
 * Returns the forwarding entries of partition routing (scheme `partition`) for one job on a regular tree. The result
 * has all switches with entries, leaves first, by id.
 *
 * First, D-mod-k over the job's cables alone assigns to each node a parent and a cable on each level: the node's
 * descent. The key of the descent is the value of the counter that chose the cable. The entry of a switch for a node of
 * the job is then the first of the following ports that exists; without such a port, the entry is missing.
 *
 * 1. If the job's links lead from the switch down to the node: the port down, by the cable of the descent.
 * 2. If the job's links lead down to the node from the parent that the descent has on this level: the port up to this
 *    parent, by the descent's cable.
 * 3. A port up by any cable of the job to a parent from which the job's links lead to the node. The key chooses among
 *    several cables.
 *
 * @param nodes ascending node ids
 * @param links ascending link ids, one list a level, leaf uplinks first
 * @param ports `downPorts(topology)`
 */
export function partitionRoutes(
  topology: Topology,
  ports: ReadonlyArray<DownPorts>,
  nodes: Int32Array,
  links: ReadonlyArray<Int32Array>,
): ReadonlyArray<SwitchEntries> {
  const tree = new JobTree(topology, nodes, links)
  const descents = descentsOf(tree)
  const all: Array<SwitchEntries> = []
  for (let level = 0; level < tree.levels.length; level++) {
    for (let at = 0; at < tree.levels[level].switches.length; at++) {
      const entries = entriesOf(tree, descents, topology, ports, level, at)
      if (entries.some((port) => port !== NO_ENTRY))
        all.push({ level, sw: tree.levels[level].switches[at], ports: entries })
    }
  }
  return all
}

/**
 * On the level of the leaves, one counter runs over all nodes. On a higher level, nodes whose descents have the same
 * parent numbers on all lower levels share a counter.
 */
function descentsOf(tree: JobTree): ReadonlyArray<Descent> {
  const count = tree.nodes.length
  const at = tree.leafOfNode.slice()
  const number = new Int32Array(count)
  return tree.levels.map(({ parents, cables }, level) => {
    const descent: Descent = {
      parent: new Int32Array(count).fill(-1),
      cable: new Int32Array(count).fill(-1),
      key: new Int32Array(count),
    }
    const dealt: Map<number, number> = new Map()
    for (let j = 0; j < count; j++) {
      if (at[j] < 0) continue
      const key = level === 0 ? j : (dealt.get(number[j]) ?? 0)
      dealt.set(number[j], key + 1)
      descent.key[j] = key
      const own = cables[at[j]]
      const cable = own.length === 0 ? undefined : own[key % own.length]
      at[j] = cable?.upper ?? -1
      if (cable === undefined) continue
      descent.parent[j] = cable.parent
      descent.cable[j] = cable.rank
      number[j] = number[j] * parents + cable.parent
    }
    return descent
  })
}

function entriesOf(
  tree: JobTree,
  descents: ReadonlyArray<Descent>,
  topology: Topology,
  ports: ReadonlyArray<DownPorts>,
  level: number,
  at: number,
): Uint16Array {
  const { cables, rows, parents, switches, number } = tree.levels[level]
  const sw = switches[at]
  const { parent, cable, key } = descents[level]
  const { first, portOf } = ports[level]
  // The port of a link up from the switch is `firstUp` plus the id of the link.
  const firstUp = first[sw + 1] - first[sw] - topology.levels[level].firstPort[sw]
  const entries = new Uint16Array(tree.nodes.length).fill(NO_ENTRY)
  let leaf = -1
  let usable = cables[at]
  for (let j = 0; j < entries.length; j++) {
    const below = tree.below(level, at, tree.leafOfNode[j])
    if (below >= 0) {
      const down =
        level === 0 ? undefined : tree.levels[level - 1].rows[below * tree.levels[level - 1].parents + number[at]]!
      entries[j] = portOf[down === undefined ? tree.nodes[j] : inTurn(down.links, descents[level - 1].cable[j])]
      continue
    }
    if (tree.leafOfNode[j] !== leaf) {
      leaf = tree.leafOfNode[j]
      usable = cables[at].filter(({ upper }) => tree.reaches(level + 1, upper, leaf))
    }
    const row = parent[j] < 0 ? undefined : rows[at * parents + parent[j]]
    if (row !== undefined && tree.reaches(level + 1, row.upper, leaf))
      entries[j] = firstUp + inTurn(row.links, cable[j])
    else if (usable.length > 0) entries[j] = firstUp + usable[key[j] % usable.length].link
  }
  return entries
}

/** The cable number -1 of a node without a descent gives the first link. */
function inTurn(links: ReadonlyArray<number>, cable: number): number {
  return links[Math.max(cable, 0) % links.length]
}
