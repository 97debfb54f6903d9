import { switchOfLink, type Topology } from '@cloister/topology'

/** Cable of the job from a switch to a parent of the switch. */
export interface Cable {
  readonly link: number
  /** Number of the upper switch among the parents of the lower switch, from 0. */
  readonly parent: number
  /** Number of the cable among the job's cables between the two switches, from 0. */
  readonly rank: number
  /** Index of the upper switch in the job's switches of the level above. */
  readonly upper: number
}

/** All cables of the job between two switches. */
export interface Row {
  /** Index of the upper switch in the job's switches of the level above. */
  readonly upper: number
  /** Link ids of the cables, ascending. */
  readonly links: ReadonlyArray<number>
}

/** The job's switches of one level of the tree. The place of a switch is its index in `switches`. */
export interface JobLevel {
  /** Ids of the job's switches of the level, ascending. */
  readonly switches: ReadonlyArray<number>
  /** Number of each switch among the parents of a switch below it. The number is the same for all switches below. */
  readonly number: Int32Array
  /** Number of parents that a switch of the level has in the topology. */
  readonly parents: number
  /** The job's cables up from each switch, in the order of use: the first cable to each parent, then the second, …. */
  readonly cables: ReadonlyArray<ReadonlyArray<Cable>>
  /** Cables between switch `at` and its parent number `b`, at index `at * parents + b`; undefined if there are none. */
  readonly rows: ReadonlyArray<Row | undefined>
}

/** The nodes, links and switches of a job in a regular tree, up to the highest switches at the job's links. */
export class JobTree {
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
    const { parentOfLink, firstPort } = topology.levels[level]
    const ids = links[level] ?? new Int32Array(0)
    const parents = topology.pgft!.w[level + 1] ?? 0
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
      const parent = (link - firstPort[sw]) % parents
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
