import type { Router } from '@cloister/placement'
import { levelName, type Topology } from '@cloister/topology'
import { childrenOf, ftreeOrder, type Neighbours, parentsOf } from './ftree-order.ts'
import type { LiveLinks } from './live-links.ts'
import { type Scheme, staticRouter } from './static-router.ts'

/**
 * Router `ftree`: the tables of the routing engine `ftree` of OpenSM (Zahavi, Johnson, Kerbyson and Lang, "Optimized
 * InfiniBand fat-tree routing for shift all-to-all communication patterns", 2010). For each node, the engine walks from
 * the node's leaf upwards by the least used link of each switch, and from each switch on the way downwards to all
 * switches that have no shorter route. OpenSM refuses a fabric with failed links as no fat tree, unless the operator
 * names the roots; this router then makes the tables that follow from the same walk over the remaining links.
 */
export const ftreeRouter: Router = staticRouter(
  'ftree',
  (topology) => {
    const order = ftreeOrder(topology) as ReadonlyArray<Int32Array>
    return ftreeTables(order)
  },
  unsupported,
)

function ftreeTables(order: ReadonlyArray<Int32Array>): Scheme {
  return (live) => {
    // The walks compute all tables at once. A run asks for tables more often than for their rows.
    let walks: FtreeWalks | undefined
    return (level, sw, ports) => {
      walks ??= new FtreeWalks(live, order)
      ports.set(walks.rows[level][sw])
    }
  }
}

/** Returns the reason for which the engine refuses a machine: the shape differs from switch to switch. */
function unsupported(topology: Topology): string | undefined {
  const { levels, leaves, firstNodeOfLeaf } = topology
  if (levels.length < 2 || levels.length > 8)
    return `the tree has ${levels.length} levels of switches, ftree needs 2 to 8`
  for (let leaf = 0; leaf < leaves; leaf++)
    if (firstNodeOfLeaf[leaf] === firstNodeOfLeaf[leaf + 1]) return `leaf ${leaf} has no nodes`
  if (leaves < 2) return 'the tree has a single leaf'
  for (let level = 0; level < levels.length; level++) {
    const differs = (found: string): string => `the ${levelName(level)} switches differ in ${found}`
    const parents = Array.from({ length: levels[level].switches }, (_, sw) => parentsOf(topology, level, sw))
    const children = level === 0 ? [] : childrenOf(topology, level)
    if (level + 1 < levels.length && parents[0].switches.length === 0) return differs('their parents')
    for (const { switches, links } of parents) {
      if (switches.length !== parents[0].switches.length) return differs('their numbers of parents')
      if (links.some((each) => each.length !== parents[0].links[0].length)) return differs('their cables up')
    }
    for (const { switches, links } of children) {
      if (switches.length !== children[0].switches.length) return differs('their numbers of children')
      if (links.some((each) => each.length !== children[0].links[0].length)) return differs('their cables down')
    }
  }
  const order = ftreeOrder(topology)
  return typeof order === 'string' ? order : undefined
}

/** Cables between a switch and one neighbour, with the numbers of routes by which the engine chooses. */
interface Group {
  readonly neighbour: number
  readonly links: ReadonlyArray<number>
  /** Routes over all cables of the group, and over each cable. */
  uses: number
  readonly usesOfLink: Int32Array
}

/** Value of the hops of a switch without a route to the present node. */
const FAR = 255

class FtreeWalks {
  /** Port of every switch towards every node, by level and switch. */
  readonly rows: ReadonlyArray<ReadonlyArray<Int16Array>>
  readonly #live: LiveLinks
  readonly #order: ReadonlyArray<Int32Array>
  /** Groups of every switch in the order of their uses, then of their neighbours. */
  readonly #up: ReadonlyArray<ReadonlyArray<Array<Group>>>
  readonly #down: ReadonlyArray<ReadonlyArray<Array<Group>>>
  /** Switches whose groups downwards are out of order. */
  readonly #unsorted: ReadonlyArray<Uint8Array>
  /** Hops of each switch to the present node. */
  readonly #hops: ReadonlyArray<Uint8Array>
  /** Present node; -1 for a missing node, which counts as a destination for the balance only. */
  #node = -1

  constructor(live: LiveLinks, order: ReadonlyArray<Int32Array>) {
    const { topology } = live
    const { levels, nodes } = topology
    this.#live = live
    this.#order = order
    this.rows = levels.map(({ switches }) => Array.from({ length: switches }, () => new Int16Array(nodes).fill(-1)))
    this.#hops = levels.map(({ switches }) => new Uint8Array(switches))
    this.#unsorted = levels.map(({ switches }) => new Uint8Array(switches))
    this.#up = levels.map(({ switches }, level) =>
      Array.from({ length: switches }, (_, sw) =>
        this.#groups(
          level + 1,
          parentsOf(topology, level, sw, (at, link) => live.isLive(at, link)),
        ),
      ),
    )
    this.#down = levels.map((_, level) =>
      level === 0
        ? []
        : childrenOf(topology, level).map((children) => this.#groups(level - 1, this.#living(level, children))),
    )
    this.#routeAll()
  }

  #living(level: number, { switches, links }: Neighbours): Neighbours {
    const alive = links.map((each) => each.filter((link) => this.#live.isLive(level - 1, link)))
    return {
      switches: switches.filter((_, at) => alive[at].length > 0),
      links: alive.filter((each) => each.length > 0),
    }
  }

  #groups(neighbourLevel: number, { switches, links }: Neighbours): Array<Group> {
    const groups = switches.map((neighbour, at) => ({
      neighbour,
      links: links[at],
      uses: 0,
      usesOfLink: new Int32Array(links[at].length),
    }))
    return this.#sort(neighbourLevel, groups)
  }

  /** Sorts groups by their uses, then by the places of their neighbours. Groups are nearly in order already. */
  #sort(neighbourLevel: number, groups: Array<Group>): Array<Group> {
    const place = this.#order[neighbourLevel]
    for (let at = 1; at < groups.length; at++) {
      const moved = groups[at]
      let to = at
      for (; to > 0; to--) {
        const before = groups[to - 1]
        if (before.uses < moved.uses) break
        if (before.uses === moved.uses && place[before.neighbour] < place[moved.neighbour]) break
        groups[to] = before
      }
      groups[to] = moved
    }
    return groups
  }

  /** Routes to the nodes of each leaf, and to as many missing nodes as the leaf has fewer nodes than the largest leaf. */
  #routeAll(): void {
    const { leaves, firstNodeOfLeaf } = this.#live.topology
    const places = this.#order[0]
    const inOrder = Array.from({ length: leaves }, (_, leaf) => leaf).sort((a, b) => places[a] - places[b])
    const most = inOrder.reduce((found, leaf) => Math.max(found, firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf]), 0)
    for (const leaf of inOrder) {
      const [first, end] = [firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]]
      for (let node = first; node < first + most; node++) this.#routeTo(leaf, node < end ? node : -1)
    }
  }

  #routeTo(leaf: number, node: number): void {
    this.#node = node
    for (const hops of this.#hops) hops.fill(FAR)
    this.#hops[0][leaf] = 1
    if (node >= 0) this.rows[0][leaf][node] = this.#live.downPorts[0].portOf[node]
    this.#ascend(0, leaf, -1, true, 1)
  }

  /** Routes from all switches above a switch that has a route down to the node. */
  #ascend(level: number, sw: number, from: number, isMain: boolean, hops: number): void {
    this.#descend(level, sw, from, hops)
    const groups = this.#up[level][sw]
    if (groups.length === 0) return
    this.#sort(level + 1, groups)
    groups.forEach((group, at) => {
      const isChosen = isMain && at === 0
      const link = leastUsed(group)
      if (isChosen) {
        group.uses++
        group.usesOfLink[link]++
      }
      const isNearer = hops + 1 < this.#hops[level + 1][group.neighbour]
      if (isNearer)
        this.#set(level + 1, group.neighbour, this.#live.downPorts[level + 1].portOf[group.links[link]], hops + 1)
      if (isNearer || isChosen) this.#ascend(level + 1, group.neighbour, sw, isChosen, hops + 1)
    })
  }

  /**
   * Routes from the switches below a switch, except the child from which the walk came, by links up to the switch.
   *
   * @returns true if a route of a leaf begins here
   */
  #descend(level: number, sw: number, from: number, hops: number): boolean {
    if (level === 0) return true
    const groups = this.#down[level][sw]
    if (this.#unsorted[level][sw] === 1) {
      this.#sort(level - 1, groups)
      this.#unsorted[level][sw] = 0
    }
    let isRouted = false
    for (const group of groups) {
      if (group.neighbour === from || hops + 1 >= this.#hops[level - 1][group.neighbour]) continue
      const link = leastUsed(group)
      this.#set(level - 1, group.neighbour, this.#upPort(level - 1, group.neighbour, group.links[link]), hops + 1)
      if (!this.#descend(level - 1, group.neighbour, -1, hops + 1)) continue
      isRouted = true
      group.uses++
      group.usesOfLink[link]++
      this.#unsorted[level][sw] = 1
    }
    return isRouted
  }

  #upPort(level: number, sw: number, link: number): number {
    const { first } = this.#live.downPorts[level]
    return first[sw + 1] - first[sw] + link - this.#live.topology.levels[level].firstPort[sw]
  }

  #set(level: number, sw: number, port: number, hops: number): void {
    this.#hops[level][sw] = hops
    if (this.#node >= 0) this.rows[level][sw][this.#node] = port
  }
}

/** Returns the index of the cable with the fewest routes, the first of several such cables. */
function leastUsed({ usesOfLink }: Group): number {
  let best = 0
  for (let at = 1; at < usesOfLink.length; at++) if (usesOfLink[at] < usesOfLink[best]) best = at
  return best
}
