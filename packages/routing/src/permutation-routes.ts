import { assignLacking, type LackingCables } from './lacking-cables.ts'
import { type UsableCables, sum } from './usable-cables.ts'
import { colourEdges } from './edge-colouring.ts'
import type { FullBandwidth } from './full-bandwidth.ts'
import type { OwnLevel } from './own-links.ts'
import { RoutingError } from './routing-error.ts'

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
 * Returns routes without contention for one permutation: at most one flow on each link in each direction. The function
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
  const { nodes, leafOf, podOf, pods, levels, placeOfLeaf, placeOfL2, toL2, toSpines } = allocation
  const none = (): Int32Array => new Int32Array(nodes.length).fill(-1)
  const links = { up: [none(), none()], down: [none(), none()] }
  if (toL2 === undefined) return links
  const flows = nodes.map((_, flow) => flow).filter((flow) => leafOf[flow] !== leafOf[permutation[flow]])
  const from = flows.map((flow) => leafOf[flow])
  const to = flows.map((flow) => leafOf[permutation[flow]])
  const { parent: index, cable } = assignCables(toL2, placeOfLeaf.length, from, to)
  flows.forEach((flow, i) => {
    links.up[0][flow] = linkOf(levels[0], placeOfLeaf[from[i]], index[i], cable[i])
    links.down[0][flow] = linkOf(levels[0], placeOfLeaf[to[i]], index[i], cable[i])
  })
  if (toSpines === undefined) return links
  toSpines.forEach((cables, each) => {
    const crossing = flows.filter((_, i) => index[i] === each && podOf[from[i]] !== podOf[to[i]])
    const podFrom = crossing.map((flow) => podOf[leafOf[flow]])
    const podTo = crossing.map((flow) => podOf[leafOf[permutation[flow]]])
    const assigned = assignCables(cables, pods, podFrom, podTo)
    const l2 = (pod: number): number => placeOfL2[pod * levels[0].parents + each]
    crossing.forEach((flow, i) => {
      links.up[1][flow] = linkOf(levels[1], l2(podFrom[i]), assigned.parent[i], assigned.cable[i])
      links.down[1][flow] = linkOf(levels[1], l2(podTo[i]), assigned.parent[i], assigned.cable[i])
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
