import { type DownPorts, portInTree, switchOfLink, type Topology, wholeShape } from '@cloister/topology'

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
 * Returns the forwarding entries of partition routing (scheme `partition`) for one job on a regular tree, or on a
 * machine with absent parts. The result has all switches with entries, leaves first, by id.
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

/** Cable of the job from a switch to a parent of the switch. */
interface Cable {
  readonly link: number
  /** Number of the upper switch among the parents of the lower switch in the whole tree, from 0. */
  readonly parent: number
  /** Number of the cable among the job's cables between the two switches, from 0. */
  readonly rank: number
  /** Index of the upper switch in the job's switches of the level above. */
  readonly upper: number
}

/** All cables of the job between two switches. */
interface Row {
  /** Index of the upper switch in the job's switches of the level above. */
  readonly upper: number
  /** Link ids of the cables, ascending. */
  readonly links: ReadonlyArray<number>
}

/** The job's switches of one level of the tree. The place of a switch is its index in `switches`. */
interface JobLevel {
  /** Ids of the job's switches of the level, ascending. */
  readonly switches: ReadonlyArray<number>
  /** Number of each switch among the parents of a switch below it. The number is the same for all switches below. */
  readonly number: Int32Array
  /** Number of parents that a switch of the level has in the whole tree. */
  readonly parents: number
  /** The job's cables up from each switch, in the order of use: the first cable to each parent, then the second, …. */
  readonly cables: ReadonlyArray<ReadonlyArray<Cable>>
  /** Cables between switch `at` and its parent number `b`, at index `at * parents + b`; undefined if there are none. */
  readonly rows: ReadonlyArray<Row | undefined>
}

/** The nodes, links and switches of a job in a regular tree, up to the highest switches at the job's links. */
class JobTree {
  /** Node ids of the job, ascending. */
  readonly nodes: Int32Array
  readonly levels: ReadonlyArray<JobLevel>
  /** For each of `nodes`: the place of its leaf on level 0. */
  readonly leafOfNode: Int32Array
  readonly #below: ReadonlyArray<Int32Array>
  readonly #reached: ReadonlyArray<Uint8Array>

  /** @param links ascending link ids, one list a level, leaf uplinks first */
  constructor(topology: Topology, nodes: Int32Array, links: ReadonlyArray<Int32Array>) {
    this.nodes = nodes
    this.levels = levelsOf(topology, nodes, links)
    const placeOfLeaf = placesOf(this.levels[0].switches)
    this.leafOfNode = nodes.map((node) => placeOfLeaf.get(topology.leafOfNode[node])!)
    this.#below = this.#waysDown()
    this.#reached = this.#waysAtAll()
  }

  /**
   * Returns the next switch, as a place on the level below, on the way over the job's cables from the switch `at` down
   * to a leaf. Returns -1 if the job's cables have no way down. On level 0, returns the leaf if `at` is the leaf. A
   * regular tree has at most one way down to a leaf.
   */
  below(level: number, at: number, leaf: number): number {
    return this.#below[level][at * this.levels[0].switches.length + leaf]
  }

  /** Returns true if the job's cables lead from the switch `at` to a leaf, straight down or first up and then down. */
  reaches(level: number, at: number, leaf: number): boolean {
    return this.#reached[level][at * this.levels[0].switches.length + leaf] === 1
  }

  #waysDown(): ReadonlyArray<Int32Array> {
    const leaves = this.levels[0].switches.length
    const below = this.levels.map(({ switches }) => new Int32Array(switches.length * leaves).fill(-1))
    for (let leaf = 0; leaf < leaves; leaf++) below[0][leaf * leaves + leaf] = leaf
    this.#eachRow((level, at, upper) => {
      for (let leaf = 0; leaf < leaves; leaf++) {
        if (below[level][at * leaves + leaf] >= 0) below[level + 1][upper * leaves + leaf] = at
      }
    })
    return below
  }

  #waysAtAll(): ReadonlyArray<Uint8Array> {
    const leaves = this.levels[0].switches.length
    const reached = this.#below.map((ways) => Uint8Array.from(ways, (way) => (way >= 0 ? 1 : 0)))
    for (let level = this.levels.length - 2; level >= 0; level--) {
      this.#eachRow((rowLevel, at, upper) => {
        if (rowLevel !== level) return
        for (let leaf = 0; leaf < leaves; leaf++)
          reached[level][at * leaves + leaf] |= reached[level + 1][upper * leaves + leaf]
      })
    }
    return reached
  }

  /** Calls `visit` for all pairs of switches with cables of the job, from the leaves up. */
  #eachRow(visit: (level: number, at: number, upper: number) => void): void {
    this.levels.forEach(({ rows, parents }, level) => {
      rows.forEach((row, i) => {
        if (row !== undefined) visit(level, Math.floor(i / parents), row.upper)
      })
    })
  }
}

function levelsOf(topology: Topology, nodes: Int32Array, links: ReadonlyArray<Int32Array>): ReadonlyArray<JobLevel> {
  const switchesOf = links.map((ids, level) => ids.map((link) => switchOfLink(topology, level, link)))
  let switches = ascending([...Array.from(nodes, (node) => topology.leafOfNode[node]), ...(switchesOf[0] ?? [])])
  let number = new Int32Array(switches.length)
  const levels: Array<JobLevel> = []
  for (let level = 0; switches.length > 0; level++) {
    const { parentOfLink } = topology.levels[level]
    const ids = links[level] ?? new Int32Array(0)
    const parents = wholeShape(topology)!.w[level + 1] ?? 0
    const above = ascending([...Array.from(ids, (link) => parentOfLink[link]), ...(switchesOf[level + 1] ?? [])])
    const numberAbove = new Int32Array(above.length)
    const placeOf = placesOf(switches)
    const placeAbove = placesOf(above)
    const rows: Array<{ upper: number; links: Array<number> } | undefined> = Array.from({
      length: switches.length * parents,
    })
    const cables: Array<Array<Cable>> = Array.from(switches, () => [])
    ids.forEach((link, i) => {
      const sw = switchesOf[level][i]
      const at = placeOf.get(sw)!
      const parent = portInTree(topology, level, link) % parents
      const upper = placeAbove.get(parentOfLink[link])!
      const row = (rows[at * parents + parent] ??= { upper, links: [] })
      numberAbove[upper] = parent
      cables[at].push({ link, parent, rank: row.links.length, upper })
      row.links.push(link)
    })
    for (const own of cables) own.sort((a, b) => a.rank - b.rank || a.parent - b.parent)
    levels.push({ switches, number, parents, cables, rows })
    switches = above
    number = numberAbove
  }
  return levels
}

function ascending(ids: Iterable<number>): ReadonlyArray<number> {
  return [...new Set(ids)].sort((a, b) => a - b)
}

function placesOf(ids: ReadonlyArray<number>): ReadonlyMap<number, number> {
  return new Map(ids.map((id, at) => [id, at]))
}
