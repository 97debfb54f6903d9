import type { Resources, Routes } from '@cloister/placement'
import type { DownPorts } from '@cloister/topology'
import { type OwnLevel, placeOf } from './own-links.ts'
import { asParent, childTowards, type RegularTree } from './routes.ts'

/** Port of a switch towards a node for which the switch has no entry. */
const NO_PORT = -1

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
  readonly #ports: Int16Array

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
    this.#ports = new Int16Array(this.nodes.length)
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
    return this.#ports[j]
  }

  /** Fills `ports` with the port of a switch towards each node of the job, or NO_PORT. */
  rowOf(level: number, sw: number, ports: Int16Array): void {
    const at = level < this.levels.length ? placeOf(this.levels[level].switches, sw) : -1
    if (at < 0) ports.fill(NO_PORT)
    else this.row(level, at, ports)
  }

  /**
   * Fills `ports` with the port of a switch, at place `at` of a level, towards each node of the job, or NO_PORT.
   *
   * @returns the number of entries that are not NO_PORT
   */
  row(level: number, at: number, ports: Int16Array): number {
    let entries = 0
    for (let leaf = 0; leaf < this.#leaves.length; leaf++) {
      entries += this.#fill(level, at, leaf, this.#firstOfLeaf[leaf], this.#firstOfLeaf[leaf + 1], ports)
    }
    return entries
  }

  /** Fills the entries of a switch towards the job's nodes at places `start` to `end` - 1, all on one leaf. */
  #fill(level: number, at: number, leaf: number, start: number, end: number, ports: Int16Array): number {
    if (this.#reach.down(level, at, leaf)) this.#fillDown(level, at, leaf, start, end, ports)
    else if (this.#reach.any(level, at, leaf)) this.#fillUp(level, at, leaf, start, end, ports)
    else {
      ports.fill(NO_PORT, start, end)
      return 0
    }
    return end - start
  }

  #fillDown(level: number, at: number, leaf: number, start: number, end: number, ports: Int16Array): void {
    const { portOf } = this.#downPorts[level]
    if (level === 0) {
      for (let j = start; j < end; j++) ports[j] = portOf[this.nodes[j]]
      return
    }
    const { inTree, parents, first, links } = this.levels[level - 1]
    const sw = this.levels[level].inTree[at]
    const leafInTree = this.levels[0].inTree[this.#placeOfLeaf[leaf]]
    const row =
      placeOf(inTree, childTowards(this.#tree, level, sw, leafInTree)) * parents + asParent(this.#tree, level, sw)
    const begin = first[row]
    const cables = first[row + 1] - begin
    const cable = this.#descents.cable[level - 1]
    for (let j = start; j < end; j++) ports[j] = portOf[links[begin + (cable[j] % cables)]]
  }

  #fillUp(level: number, at: number, leaf: number, start: number, end: number, ports: Int16Array): void {
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

/**
 * Way down to each node of a job, its destination: D-mod-k applied to the job's links only. Read upwards from its leaf,
 * the way takes one link of the job on each level: number `key mod count` of the `count` cables of the current switch
 * up, in the order of `OwnLevel.slotRow`. The key is the number of destinations before, in the order of the job's
 * nodes, whose way reaches a parallel switch with the same number. For a job that owns the whole tree, the ways are the
 * ways of D-mod-k.
 */
interface Descents {
  /** Number of the parent on each destination's way, by level; -1 if the switch has no link of the job up. */
  readonly parent: ReadonlyArray<Int32Array>
  /** Number of the way's link among the job's cables between its two switches, by level and destination. */
  readonly cable: ReadonlyArray<Int32Array>
  readonly key: ReadonlyArray<Int32Array>
}

/** @param leafOf place of each destination's leaf among the switches of the job's lowest level */
function descents({ parallel }: RegularTree, levels: ReadonlyArray<OwnLevel>, leafOf: Int32Array): Descents {
  const count = leafOf.length
  const below = levels.slice(0, -1)
  const parent = below.map(() => new Int32Array(count).fill(-1))
  const cable = below.map(() => new Int32Array(count))
  const key = below.map(() => new Int32Array(count))
  const at = leafOf.slice()
  below.forEach(({ inTree, parents, first, above, slotRow, slotCable }, level) => {
    const before = new Int32Array(parallel[level])
    for (let j = 0; j < count; j++) {
      if (at[j] < 0) continue
      const mine = before[inTree[at[j]] % parallel[level]]++
      key[level][j] = mine
      const begin = first[at[j] * parents]
      const cables = first[(at[j] + 1) * parents] - begin
      if (cables === 0) {
        at[j] = -1
        continue
      }
      const row = slotRow[begin + (mine % cables)]
      parent[level][j] = row % parents
      cable[level][j] = slotCable[begin + (mine % cables)]
      at[j] = above[row]
    }
  })
  return { parent, cable, key }
}

/** Tests which leaves a switch reaches over a job's links. `at` is the switch's place in `OwnLevel.switches`. */
interface Reach {
  down(level: number, at: number, leaf: number): boolean
  /** Returns true if the links lead from the switch to the leaf: only down, or first up and then down. */
  any(level: number, at: number, leaf: number): boolean
}

/** @param leaves places of the job's leaves in `switches` of the lowest level */
function reachOver(levels: ReadonlyArray<OwnLevel>, leaves: Int32Array): Reach {
  const words = (leaves.length + 31) >>> 5
  const down = levels.map(({ switches }) => new Int32Array(switches.length * words))
  leaves.forEach((at, leaf) => {
    down[0][at * words + (leaf >>> 5)] |= 1 << (leaf & 31)
  })
  for (let level = 0; level + 1 < levels.length; level++)
    eachCable(levels[level], (at, above) => addBits(down[level], at, down[level + 1], above, words))
  const any = down.map((bits) => bits.slice())
  for (let level = levels.length - 2; level >= 0; level--)
    eachCable(levels[level], (at, above) => addBits(any[level + 1], above, any[level], at, words))
  const has = (bits: Int32Array, at: number, leaf: number): boolean =>
    ((bits[at * words + (leaf >>> 5)] >>> (leaf & 31)) & 1) === 1
  return { down: (level, at, leaf) => has(down[level], at, leaf), any: (level, at, leaf) => has(any[level], at, leaf) }
}

/** Calls `visit` for each pair of switches with a cable of the job, once for several parallel cables. */
function eachCable({ parents, above }: OwnLevel, visit: (at: number, above: number) => void): void {
  for (let row = 0; row < above.length; row++) if (above[row] >= 0) visit(Math.floor(row / parents), above[row])
}

function addBits(from: Int32Array, atFrom: number, into: Int32Array, atInto: number, words: number): void {
  for (let word = 0; word < words; word++) into[atInto * words + word] |= from[atFrom * words + word]
}
