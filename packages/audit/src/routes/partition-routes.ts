import type { DownPorts, Topology } from '@cloister/topology'
import { JobTree } from './job-tree.ts'

/** The entries of one switch: its port towards each of the job's nodes, in their order, NO_ENTRY for none. */
export interface SwitchEntries {
  readonly level: number
  readonly sw: number
  readonly ports: Uint16Array
}

/** Ports are below it. */
export const NO_ENTRY = 0xffff

/** Where the nodes of a job are dealt out to at one level, going up from their leaves. */
interface Descent {
  /** Number among the parents of the switch that each node has come to, and which of the job's cables to it; -1 where there is none. */
  readonly parent: Int32Array
  readonly cable: Int32Array
  /** What the dealing counted by. */
  readonly key: Int32Array
}

/**
 * The forwarding entries of partition routing (scheme `partition`) for one job on a regular tree: all switches that have any,
 * leaves first and by id. Towards one of the job's nodes a switch sends
 *
 * 1. down, where the job's links lead down to the node, by the cable of its descent;
 * 2. else up to the parent with the number of its descent, by the same cable, where it can be reached from there;
 * 3. else up by one of those cables from which it can be reached, dealt out by the key of its descent.
 *
 * @param nodes ascending
 * @param links ascending, one set a level, leaves first
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

/** D-mod-k with the job's cables for all there are: nodes are dealt out in turn, on the leaves all of them, above those that came to switches of one number. */
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
  // Up-port u is port `down + u`.
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

/** A node without a descent takes the first cable. */
function inTurn(links: ReadonlyArray<number>, cable: number): number {
  return links[Math.max(cable, 0) % links.length]
}
