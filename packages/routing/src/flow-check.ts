import type { Resources } from '@cloister/placement'
import { switchOfLink, type Topology } from '@cloister/topology'
import type { FlowLinks } from './permutation-routes.ts'

/** Result of `FlowChecker.check` for the routes of one permutation. */
export interface FlowCheck {
  /** Number of flows whose source and target are on different leaves. */
  readonly flows: number
  /** Greatest number of flows on any link in one direction. */
  readonly largestLoad: number
  /** Message about the first broken way, foreign link, or link with two flows in a direction; undefined if correct. */
  readonly problem: string | undefined
}

/** Checks routes of a permutation, independently of the algorithm of the routes: follows every flow link by link. */
export class FlowChecker {
  readonly #topology: Topology
  /** Number of the last check in which each link, by level, belonged to the allocation. */
  readonly #ownedIn: ReadonlyArray<Int32Array>
  /** Number of flows on each link, by direction and level; 0 between checks. */
  readonly #loads: { readonly up: ReadonlyArray<Int32Array>; readonly down: ReadonlyArray<Int32Array> }
  #checks = 0
  #flows = 0
  #largestLoad = 0
  #problem: string | undefined

  constructor(topology: Topology) {
    const perLink = (): ReadonlyArray<Int32Array> => topology.levels.map(({ links }) => new Int32Array(links))
    this.#topology = topology
    this.#ownedIn = perLink()
    this.#loads = { up: perLink(), down: perLink() }
  }

  check(resources: Resources, permutation: ArrayLike<number>, links: FlowLinks): FlowCheck {
    this.#checks++
    this.#flows = 0
    this.#largestLoad = 0
    this.#problem = undefined
    for (let level = 0; level < resources.links.length; level++) {
      for (let i = 0; i < resources.links[level].length; i++)
        this.#ownedIn[level][resources.links[level][i]] = this.#checks
    }
    for (let flow = 0; flow < permutation.length; flow++)
      this.#follow(resources.nodes[flow], resources.nodes[permutation[flow]], flow, links)
    for (let flow = 0; flow < permutation.length; flow++) this.#forget(flow, links)
    return { flows: this.#flows, largestLoad: this.#largestLoad, problem: this.#problem }
  }

  #follow(source: number, target: number, flow: number, { up, down }: FlowLinks): void {
    const { levels, leafOfNode } = this.#topology
    let sw = leafOfNode[source]
    let height = 0
    for (; height < up.length && up[height][flow] >= 0; height++) {
      const link = up[height][flow]
      this.#take('up', height, link)
      if (switchOfLink(this.#topology, height, link) !== sw) this.#lost(source, target, height, sw)
      sw = levels[height].parentOfLink[link]
    }
    if (height > 0) this.#flows++
    for (let level = height - 1; level >= 0; level--) {
      const link = down[level][flow]
      this.#take('down', level, link)
      if (levels[level].parentOfLink[link] !== sw) this.#lost(source, target, level + 1, sw)
      sw = switchOfLink(this.#topology, level, link)
    }
    if (sw !== leafOfNode[target]) this.#lost(source, target, 0, sw)
  }

  #take(direction: 'up' | 'down', level: number, link: number): void {
    if (this.#ownedIn[level][link] !== this.#checks)
      this.#problem ??= `link ${link} of level ${level} does not belong to the allocation`
    const load = ++this.#loads[direction][level][link]
    if (load > 1) this.#problem ??= `link ${link} of level ${level} carries two flows ${direction}`
    this.#largestLoad = Math.max(this.#largestLoad, load)
  }

  #lost(source: number, target: number, level: number, sw: number): void {
    this.#problem ??= `the way from node ${source} to node ${target} is broken at switch ${sw} of level ${level}`
  }

  #forget(flow: number, { up, down }: FlowLinks): void {
    for (let level = 0; level < up.length && up[level][flow] >= 0; level++) {
      this.#loads.up[level][up[level][flow]] = 0
      this.#loads.down[level][down[level][flow]] = 0
    }
  }
}
