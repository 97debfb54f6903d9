import type { Resources } from '@cloister/placement'
import { type DownPorts, downPorts, switchOfLink, type Topology } from '@cloister/topology'

/** Value of `LiveLinks.peak` for a switch without a route to a leaf. */
export const NO_ROUTE = 255

/**
 * Links of a machine that have not failed, and the minimal routes over these links. A route goes up, and then down. A
 * route is minimal if no route between the same switches turns at a lower level.
 *
 * The rest of a minimal route is again a minimal route. So the entries of a table can be any ports of minimal routes: the
 * table has no loop, and reaches every node that links connect.
 */
export class LiveLinks {
  readonly topology: Topology
  readonly downPorts: ReadonlyArray<DownPorts>
  /** Ids of the leaves in the order in which OpenSM routes to leaves: most nodes first, then by id. */
  readonly leavesInOrder: ReadonlyArray<number>
  /** 1 for each failed link, by level. */
  readonly #failed: ReadonlyArray<Uint8Array>
  #failures = 0
  /** For each switch and leaf, the level where the minimal routes turn: `#peaks[level][sw * leaves + leaf]`. */
  #peaks: ReadonlyArray<Uint8Array>

  constructor(topology: Topology) {
    const { levels, leaves, firstNodeOfLeaf } = topology
    this.topology = topology
    this.downPorts = downPorts(topology)
    const sizeOf = (leaf: number): number => firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf]
    this.leavesInOrder = Array.from({ length: leaves }, (_, leaf) => leaf).sort((a, b) => sizeOf(b) - sizeOf(a))
    this.#failed = levels.map(({ links }) => new Uint8Array(links))
    this.#peaks = this.#computePeaks()
  }

  /** True if no link has failed. */
  get isWhole(): boolean {
    return this.#failures === 0
  }

  isLive(level: number, link: number): boolean {
    return this.#failed[level][link] === 0
  }

  /** Marks links as failed (`down`) or repaired (`up`). Returns false if no link changes. */
  change(change: 'down' | 'up', links: Resources['links']): boolean {
    const value = change === 'down' ? 1 : 0
    const before = this.#failures
    let changed = 0
    links.forEach((ids, level) => {
      for (const link of Array.from(ids)) {
        if (this.#failed[level][link] === value) continue
        this.#failed[level][link] = value
        changed++
      }
    })
    this.#failures = before + (change === 'down' ? changed : -changed)
    if (changed > 0) this.#peaks = this.#computePeaks()
    return changed > 0
  }

  /**
   * Returns the level at which the minimal routes from a switch to a leaf turn down: the switch's own level if the
   * switch is above the leaf, and NO_ROUTE if no route leads to the leaf.
   */
  peak(level: number, sw: number, leaf: number): number {
    return this.#peaks[level][sw * this.topology.leaves + leaf]
  }

  /** Returns a message that names two leaves without a route between them; undefined if all leaves are connected. */
  unconnectedLeaves(): string | undefined {
    const { leaves } = this.topology
    const at = this.#peaks[0].indexOf(NO_ROUTE)
    return at < 0
      ? undefined
      : `no links lead up and then down from leaf ${Math.floor(at / leaves)} to leaf ${at % leaves}`
  }

  /**
   * Writes the ports of all minimal routes from a switch to another leaf into `ports`, ascending, and returns their
   * number. A leaf has no ports to itself here: its own nodes each have a port of their own.
   */
  portsTowards(level: number, sw: number, leaf: number, ports: Array<number>): number {
    const { levels, leaves } = this.topology
    const { first, below } = this.downPorts[level]
    const peak = this.peak(level, sw, leaf)
    let count = 0
    if (peak === NO_ROUTE) return 0
    if (peak > level) {
      const { firstPort, parentOfLink } = levels[level]
      const toPort = first[sw + 1] - first[sw] - firstPort[sw]
      const above = this.#peaks[level + 1]
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++)
        if (this.#failed[level][link] === 0 && above[parentOfLink[link] * leaves + leaf] === peak)
          ports[count++] = toPort + link
    } else if (level > 0) {
      for (let at = first[sw]; at < first[sw + 1]; at++) {
        const child = switchOfLink(this.topology, level - 1, below[at])
        if (this.#failed[level - 1][below[at]] === 0 && this.peak(level - 1, child, leaf) === level - 1)
          ports[count++] = at - first[sw]
      }
    }
    return count
  }

  #computePeaks(): ReadonlyArray<Uint8Array> {
    const { levels, leaves } = this.topology
    const peaks = levels.map(({ switches }) => new Uint8Array(switches * leaves).fill(NO_ROUTE))
    for (let leaf = 0; leaf < leaves; leaf++) peaks[0][leaf * leaves + leaf] = 0
    for (let level = 0; level + 1 < levels.length; level++)
      this.#eachLiveLink(level, (sw, parent) => {
        for (let leaf = 0; leaf < leaves; leaf++)
          if (peaks[level][sw * leaves + leaf] === level) peaks[level + 1][parent * leaves + leaf] = level + 1
      })
    for (let level = levels.length - 2; level >= 0; level--)
      this.#eachLiveLink(level, (sw, parent) => {
        const [own, above] = [peaks[level], peaks[level + 1]]
        for (let leaf = 0; leaf < leaves; leaf++) {
          const peak = above[parent * leaves + leaf]
          if (peak < own[sw * leaves + leaf]) own[sw * leaves + leaf] = peak
        }
      })
    return peaks
  }

  #eachLiveLink(level: number, visit: (sw: number, parent: number) => void): void {
    const { switches, firstPort, parentOfLink } = this.topology.levels[level]
    for (let sw = 0; sw < switches; sw++)
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++)
        if (this.#failed[level][link] === 0) visit(sw, parentOfLink[link])
  }
}
