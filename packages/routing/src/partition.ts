import type { Resources, Routes } from '@cloister/placement'
import type { DownPorts } from '@cloister/topology'
import { type Descents, descents } from './descents.ts'
import { type OwnLevel, placeOf } from './own-links.ts'
import { type Reach, reachOver } from './reach.ts'
import { asParent, childTowards, type RegularTree } from './regular-tree.ts'

/** Port of a switch towards a node for which the switch has no entry. */
export const NO_PORT = 0xffff

/**
 * Routes of one job over its own links: D-mod-k mapped onto the job's partition (Jigsaw paper, section 4 and Figure 5).
 * The switches at the ends of the job's links, and the leaves with nodes of the job, have entries for the job's nodes.
 * A switch forwards messages for a node by the first of three rules that applies:
 *
 * 1. Down, if the job's links lead down to the node: by the cable of the node's descent (`Descents`), modulo the number
 * of the job's cables to the switch below.
 * 2. Up to the parent with the number of the parent in the node's descent, if the node is reachable from this parent:
 * by the cable of the descent, modulo the number of the job's cables to the parent.
 * 3. Wrapping around (at remainder leaves and pods, which own fewer links): up by number `key mod count` of the job's
 * `count` cables from the switch to parents that reach the node, in the order of `OwnLevel.slotRow`. The key is the key
 * of the node's descent.
 */
export class PartitionRoutes implements Routes {
  readonly nodes: Int32Array
  readonly levels: ReadonlyArray<OwnLevel>
  readonly #tree: RegularTree
  readonly #downPorts: ReadonlyArray<DownPorts>
  /** Ids of the job's leaves, their places on the lowest level, and the places of their first nodes in `nodes`. */
  readonly #leaves: Int32Array
  readonly #placeOfLeaf: Int32Array
  readonly #firstOfLeaf: Int32Array
  readonly #reach: Reach
  readonly #descents: Descents
  readonly #ports: Uint16Array

  /**
   * @param ports `downPorts` of the topology
   * @param nodes nodes of the job, ascending
   * @param levels links of the job, from `ownLinks`
   */
  constructor(
    tree: RegularTree,
    ports: ReadonlyArray<DownPorts>,
    nodes: Resources['nodes'],
    levels: ReadonlyArray<OwnLevel>,
  ) {
    const { leafOfNode } = tree.topology
    this.#tree = tree
    this.#downPorts = ports
    this.nodes = Int32Array.from(nodes)
    this.#ports = new Uint16Array(this.nodes.length)
    this.levels = levels
    const leafOf = this.nodes.map((node) => leafOfNode[node])
    const starts = leafOf.map((_, j) => j).filter((j) => leafOf[j] !== leafOf[j - 1])
    this.#leaves = starts.map((j) => leafOf[j])
    this.#firstOfLeaf = Int32Array.of(...starts, this.nodes.length)
    this.#placeOfLeaf = this.#leaves.map((leaf) => placeOf(this.levels[0].switches, leaf))
    this.#reach = reachOver(this.levels, this.#placeOfLeaf)
    this.#descents = descents(
      tree,
      this.levels,
      leafOf.map((leaf) => placeOf(this.levels[0].switches, leaf)),
    )
  }

  /** Returns two nodes without a way from `from` to `to` over the job's links; undefined if all nodes are connected. */
  unconnected(): readonly [from: number, to: number] | undefined {
    for (let from = 0; from < this.#leaves.length; from++) {
      for (let to = 0; to < this.#leaves.length; to++) {
        if (!this.#reach.any(0, this.#placeOfLeaf[from], to))
          return [this.nodes[this.#firstOfLeaf[from]], this.nodes[this.#firstOfLeaf[to]]]
      }
    }
    return undefined
  }

  port(level: number, sw: number, node: number): number {
    const at = level < this.levels.length ? placeOf(this.levels[level].switches, sw) : -1
    const j = at < 0 ? -1 : placeOf(this.nodes, node)
    if (j < 0) return -1
    this.#fill(level, at, placeOf(this.#leaves, this.#tree.topology.leafOfNode[node]), j, j + 1, this.#ports)
    return this.#ports[j] === NO_PORT ? -1 : this.#ports[j]
  }

  /**
   * Fills `ports` with the port of a switch, at place `at` of a level, towards each node of the job, or NO_PORT.
   *
   * @returns the number of entries that are not NO_PORT
   */
  row(level: number, at: number, ports: Uint16Array): number {
    let entries = 0
    for (let leaf = 0; leaf < this.#leaves.length; leaf++) {
      entries += this.#fill(level, at, leaf, this.#firstOfLeaf[leaf], this.#firstOfLeaf[leaf + 1], ports)
    }
    return entries
  }

  /** Fills the entries of a switch towards the job's nodes at places `start` to `end` - 1, all on one leaf. */
  #fill(level: number, at: number, leaf: number, start: number, end: number, ports: Uint16Array): number {
    if (this.#reach.down(level, at, leaf)) this.#fillDown(level, at, leaf, start, end, ports)
    else if (this.#reach.any(level, at, leaf)) this.#fillUp(level, at, leaf, start, end, ports)
    else {
      ports.fill(NO_PORT, start, end)
      return 0
    }
    return end - start
  }

  #fillDown(level: number, at: number, leaf: number, start: number, end: number, ports: Uint16Array): void {
    const { portOf } = this.#downPorts[level]
    if (level === 0) {
      for (let j = start; j < end; j++) ports[j] = portOf[this.nodes[j]]
      return
    }
    const { switches, parents, first, links } = this.levels[level - 1]
    const sw = this.levels[level].switches[at]
    const row =
      placeOf(switches, childTowards(this.#tree, level, sw, this.#leaves[leaf])) * parents +
      asParent(this.#tree, level, sw)
    const begin = first[row]
    const cables = first[row + 1] - begin
    const cable = this.#descents.cable[level - 1]
    for (let j = start; j < end; j++) ports[j] = portOf[links[begin + (cable[j] % cables)]]
  }

  #fillUp(level: number, at: number, leaf: number, start: number, end: number, ports: Uint16Array): void {
    const { switches, parents, first, links, above } = this.levels[level]
    const sw = switches[at]
    const below = this.#downPorts[level].first
    const toPort = below[sw + 1] - below[sw] - this.#tree.topology.levels[level].firstPort[sw]
    const parent = this.#descents.parent[level]
    const cable = this.#descents.cable[level]
    const key = this.#descents.key[level]
    let wrapped: ReadonlyArray<number> | undefined
    for (let j = start; j < end; j++) {
      const row = at * parents + parent[j]
      if (parent[j] >= 0 && above[row] >= 0 && this.#reach.any(level + 1, above[row], leaf)) {
        ports[j] = toPort + links[first[row] + (cable[j] % (first[row + 1] - first[row]))]
      } else {
        wrapped ??= this.#linksTowards(level, at, leaf)
        ports[j] = toPort + wrapped[key[j] % wrapped.length]
      }
    }
  }

  /** Returns the job's links up from a switch to parents that reach a leaf, in the order of `slotRow`. */
  #linksTowards(level: number, at: number, leaf: number): ReadonlyArray<number> {
    const { parents, first, links, above, slotRow, slotCable } = this.levels[level]
    const towards: Array<number> = []
    for (let slot = first[at * parents]; slot < first[(at + 1) * parents]; slot++) {
      const row = slotRow[slot]
      if (this.#reach.any(level + 1, above[row], leaf)) towards.push(links[first[row] + slotCable[slot]])
    }
    return towards
  }
}
