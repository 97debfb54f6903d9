import type { Resources } from '@cloister/placement'
import { seededDraws, switchOfLink, type Topology } from '@cloister/topology'
import { colourEdges } from './colouring.ts'
import {
  assignLacking,
  type FlowLimits,
  flowLimitsOf,
  type FullBandwidth,
  type LackingCables,
  sum,
  type UsableCables,
} from './full-bandwidth.ts'
import type { OwnLevel } from './own-links.ts'
import { RoutingError } from './routes.ts'

/**
 * Links of one flow from every node of an allocation, in the order of the nodes: up from the leaf (`up[0]`), up from
 * the L2 switch (`up[1]`), down to an L2 switch (`down[1]`), and down to a leaf (`down[0]`). -1 if a flow does not use
 * the level.
 */
export interface FlowLinks {
  readonly up: ReadonlyArray<Int32Array>
  readonly down: ReadonlyArray<Int32Array>
}

/**
 * Returns routes for one permutation with at most one flow on each link in each direction, or at most as many flows as
 * the limits of the allocation allow. The function
 * follows the proof of the Jigsaw paper (section 3.3). First, each flow is an edge between its source leaf and its
 * target leaf. A colour of the edges stands for a cable from every leaf to one L2 index. Then each flow over an L2
 * index is an edge between two pods, and a colour stands for a cable to one spine. Added flows of the remainder leaf or
 * pod to itself use up the colours that the remainder lacks.
 *
 * @param permutation permutation of the places from 0 in the allocation's list of nodes: the node at place `i` sends to
 *   the node at place `permutation[i]`
 * @throws RoutingError if `permutation` is no permutation of the allocation's nodes
 */
export function routePermutation(allocation: FullBandwidth, permutation: ArrayLike<number>): FlowLinks {
  checkPermutation(permutation, allocation.nodes.length)
  const { nodes, leafOf, podOf, pods, levels, placeOfLeaf, placeOfL2, toL2, toSpines, limits } = allocation
  const { uplink, spine } = limits
  const none = (): Int32Array => new Int32Array(nodes.length).fill(-1)
  const links = { up: [none(), none()], down: [none(), none()] }
  if (toL2 === undefined) return links
  const flows = nodes.map((_, flow) => flow).filter((flow) => leafOf[flow] !== leafOf[permutation[flow]])
  const from = flows.map((flow) => leafOf[flow])
  const to = flows.map((flow) => leafOf[permutation[flow]])
  const { parent: index, cable } = assignCables(toL2, placeOfLeaf.length, from, to)
  flows.forEach((flow, i) => {
    links.up[0][flow] = linkOf(levels[0], placeOfLeaf[from[i]], index[i], Math.floor(cable[i] / uplink))
    links.down[0][flow] = linkOf(levels[0], placeOfLeaf[to[i]], index[i], Math.floor(cable[i] / uplink))
  })
  if (toSpines === undefined) return links
  toSpines.forEach((cables, each) => {
    const crossing = flows.filter((_, i) => index[i] === each && podOf[from[i]] !== podOf[to[i]])
    const podFrom = crossing.map((flow) => podOf[leafOf[flow]])
    const podTo = crossing.map((flow) => podOf[leafOf[permutation[flow]]])
    const assigned = assignCables(cables, pods, podFrom, podTo)
    const l2 = (pod: number): number => placeOfL2[pod * levels[0].parents + each]
    crossing.forEach((flow, i) => {
      links.up[1][flow] = linkOf(levels[1], l2(podFrom[i]), assigned.parent[i], Math.floor(assigned.cable[i] / spine))
      links.down[1][flow] = linkOf(levels[1], l2(podTo[i]), assigned.parent[i], Math.floor(assigned.cable[i] / spine))
    })
  })
  return links
}

/** Assigns to each flow a cable that both its switches have, at most one flow to a cable and direction. */
function assignCables(
  cables: UsableCables | LackingCables,
  switches: number,
  from: Int32Array,
  to: Int32Array,
): { readonly parent: Int32Array; readonly cable: Int32Array } {
  return 'usable' in cables ? assignUsable(cables, switches, from, to) : assignLacking(cables, from, to)
}

function assignUsable(
  { usable, exception, ofException }: UsableCables,
  switches: number,
  from: Int32Array,
  to: Int32Array,
): { readonly parent: Int32Array; readonly cable: Int32Array } {
  const colours = sum(usable)
  const lacking = exception < 0 ? 0 : colours - sum(ofException)
  const padded = (ends: Int32Array): Int32Array => {
    const all = new Int32Array(ends.length + lacking).fill(exception)
    all.set(ends)
    return all
  }
  const colourOf = colourEdges(switches, padded(from), padded(to), colours)
  const { parents, cables } = cablesInTurn(usable, ofException)
  const turnOf = new Int32Array(colours).fill(-1)
  for (let edge = from.length; edge < colourOf.length; edge++) turnOf[colourOf[edge]] = colours - colourOf.length + edge
  for (let colour = 0, turn = 0; colour < colours; colour++) if (turnOf[colour] < 0) turnOf[colour] = turn++
  const turns = colourOf.subarray(0, from.length).map((colour) => turnOf[colour])
  return { parent: turns.map((turn) => parents[turn]), cable: turns.map((turn) => cables[turn]) }
}

/** Lists the cables of `usable`; the cables that the exception has, too, come first. */
function cablesInTurn(
  usable: Int32Array,
  ofException: Int32Array,
): { readonly parents: ReadonlyArray<number>; readonly cables: ReadonlyArray<number> } {
  const parents: Array<number> = []
  const cables: Array<number> = []
  const add = (parent: number, begin: number, end: number): void => {
    for (let cable = begin; cable < end; cable++) {
      parents.push(parent)
      cables.push(cable)
    }
  }
  usable.forEach((_, parent) => add(parent, 0, ofException[parent]))
  usable.forEach((count, parent) => add(parent, ofException[parent], count))
  return { parents, cables }
}

function linkOf({ parents, first, links }: OwnLevel, at: number, parent: number, cable: number): number {
  return links[first[at * parents + parent] + cable]
}

function checkPermutation(permutation: ArrayLike<number>, count: number): void {
  if (permutation.length !== count)
    throw new RoutingError(
      `the permutation of ${count} nodes has ${permutation.length} places; expected one place for each node`,
    )
  const taken = new Uint8Array(count)
  for (let i = 0; i < count; i++) {
    const place = permutation[i]
    if (!Number.isInteger(place) || place < 0 || place >= count)
      throw new RoutingError(`place ${i} of the permutation is ${place}; expected a place from 0 to ${count - 1}`)
    if (taken[place] === 1)
      throw new RoutingError(
        `place ${i} of the permutation is ${place}, as an earlier place is; expected each place once`,
      )
    taken[place] = 1
  }
}

/** Permutations of the places 0 to n - 1, as traffic patterns: place `i` sends to place `permutation[i]`. */

/** Returns the permutation in which place `i` sends to place `(i + distance) mod n`. */
export function shift(n: number, distance: number): Int32Array {
  return Int32Array.from({ length: n }, (_, i) => (i + distance) % n)
}

/**
 * Returns the permutation in which every place sends to the place with the bits in reversed order. If `n` is no power
 * of two, a place sends to the position of its reversed number in the ascending list of all reversed numbers.
 */
export function bitReversal(n: number): Int32Array {
  const bits = n <= 1 ? 0 : 32 - Math.clz32(n - 1)
  const reversed = Int32Array.from({ length: n }, (_, i) => reverse(i, bits))
  const order = reversed.toSorted()
  const rank = new Map(Array.from(order, (value, i) => [value, i]))
  return reversed.map((value) => rank.get(value)!)
}

function reverse(value: number, bits: number): number {
  let result = 0
  for (let bit = 0; bit < bits; bit++) result |= ((value >> bit) & 1) << (bits - 1 - bit)
  return result
}

/** Returns a pseudo-random permutation of `n` places for a seed (Fisher-Yates shuffle). */
export function randomPermutation(n: number, seed: number): Int32Array {
  const places = shift(n, 0)
  const draw = seededDraws(seed)
  for (let i = n - 1; i > 0; i--) {
    const j = draw(i + 1)
    const place = places[i]
    places[i] = places[j]
    places[j] = place
  }
  return places
}

/** Result of `FlowChecker.check` for the routes of one permutation. */
export interface FlowCheck {
  /** Number of flows whose source and target are on different leaves. */
  readonly flows: number
  /** Greatest number of flows on any link in one direction. */
  readonly largestLoad: number
  /** Message about the first broken way, foreign link, or link with too many flows in a direction; else undefined. */
  readonly problem: string | undefined
}

/** Checks routes of a permutation, independently of the algorithm of the routes: follows every flow link by link. */
export class FlowChecker {
  readonly #topology: Topology
  /** Most flows on a link and direction, by level. */
  readonly #most: ReadonlyArray<number>
  /** Number of the last check in which each link, by level, belonged to the allocation. */
  readonly #ownedIn: ReadonlyArray<Int32Array>
  /** Number of flows on each link, by direction and level; 0 between checks. */
  readonly #loads: { readonly up: ReadonlyArray<Int32Array>; readonly down: ReadonlyArray<Int32Array> }
  #checks = 0
  #flows = 0
  #largestLoad = 0
  #problem: string | undefined

  /** @param limits most flows on each link and direction; default: one */
  constructor(topology: Topology, { uplink, spine }: FlowLimits = flowLimitsOf(undefined)) {
    this.#most = topology.levels.map((_, level) => (level === 0 ? uplink : spine))
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
    const most = this.#most[level]
    if (load > most)
      this.#problem ??= `link ${link} of level ${level} carries ${most === 1 ? 'two' : load} flows ${direction}${most === 1 ? '' : `, expected at most ${most}`}`
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
