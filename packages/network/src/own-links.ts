import type { Resources } from '@cloister/placement'
import { lowerBound, portInTree, switchInTree, switchOfLink } from '@cloister/topology'
import { parentsOf, type RegularTree } from './routes.ts'

/** The job's links between one level of switches and the next. Fields refer to a switch by its place in `switches`. */
export interface OwnLevel {
  /** Ids of the switches with a link of the job, and of the leaves with its nodes, ascending. */
  readonly switches: Int32Array
  /** Id in the whole tree of each of `switches`, ascending; the same ids if no part of the machine is absent. */
  readonly inTree: Int32Array
  /** Number of parents of each switch of the level in the whole tree; 0 at the top. */
  readonly parents: number
  /**
   * Index in `links` of the job's first cable from switch `at` to its parent `b` of the whole tree, at index `at *
   * parents + b` (a row).
   * The last entry is the number of links.
   */
  readonly first: Int32Array
  /** Ids of the job's links, row by row, ascending in each row. */
  readonly links: Int32Array
  /** Place of each row's parent in `switches` of the level above; -1 if the job has no cable in the row. */
  readonly above: Int32Array
  /**
   * Row of each slot, and number of the slot's cable in this row. Slots list the job's cables of a switch in the order
   * in which destinations are assigned to cables: the first cable to each parent, then the second cable to each parent,
   * and so on. The order does not depend on the choice of a job's cables among parallel cables. The slots of a switch
   * have the same indices as its links.
   */
  readonly slotRow: Int32Array
  readonly slotCable: Int32Array
}

/** Returns the levels of a job's links, from the leaves up to the highest switches that the links reach. */
export function ownLinks(tree: RegularTree, resources: Resources): ReadonlyArray<OwnLevel> {
  const { leafOfNode } = tree.topology
  let height = Math.min(resources.links.length, tree.topology.levels.length - 1)
  while (height > 0 && resources.links[height - 1].length === 0) height--
  const levels = tree.topology.levels.slice(0, height + 1)
  const lowerEnds = levels.map((_, level) => lowerSwitches(tree, level, resources.links[level] ?? []))
  const switches = levels.map((_, level) => {
    const below =
      level === 0
        ? lookUp(leafOfNode, resources.nodes)
        : lookUp(levels[level - 1].parentOfLink, resources.links[level - 1] ?? [])
    return ascendingSet(lowerEnds[level], below)
  })
  return levels.map((_, level) =>
    ownLevel(tree, level, resources.links[level] ?? [], lowerEnds[level], switches[level], switches[level + 1]),
  )
}

/** Returns the index of an id in an ascending list; -1 if the list does not have the id. */
export function placeOf(ids: Int32Array, id: number): number {
  const at = lowerBound(ids.length, (place) => ids[place] < id)
  return ids[at] === id ? at : -1
}

function lowerSwitches({ topology }: RegularTree, level: number, links: ArrayLike<number>): Int32Array {
  const switches = new Int32Array(links.length)
  for (let i = 0; i < links.length; i++) switches[i] = switchOfLink(topology, level, links[i])
  return switches
}

function lookUp(values: Int32Array, ids: ArrayLike<number>): Int32Array {
  const found = new Int32Array(ids.length)
  for (let i = 0; i < ids.length; i++) found[i] = values[ids[i]]
  return found
}

function ascendingSet(a: Int32Array, b: Int32Array): Int32Array {
  const all = new Int32Array(a.length + b.length)
  all.set(a)
  all.set(b, a.length)
  all.sort()
  let count = 0
  for (let i = 0; i < all.length; i++) if (i === 0 || all[i] !== all[i - 1]) all[count++] = all[i]
  return all.slice(0, count)
}

function ownLevel(
  tree: RegularTree,
  level: number,
  ids: ArrayLike<number>,
  lowerEnds: Int32Array,
  switches: Int32Array,
  switchesAbove: Int32Array | undefined,
): OwnLevel {
  const parents = parentsOf(tree, level)
  const { topology } = tree
  const { parentOfLink } = topology.levels[level]
  const first = new Int32Array(switches.length * parents + 1)
  const above = new Int32Array(switches.length * parents).fill(-1)
  const links = new Int32Array(ids.length)
  const rows = new Int32Array(ids.length)
  for (let i = 0, at = 0; i < ids.length; i++) {
    while (switches[at] < lowerEnds[i]) at++
    rows[i] = at * parents + (portInTree(topology, level, ids[i]) % parents)
    first[rows[i] + 1]++
    if (above[rows[i]] < 0) above[rows[i]] = placeOf(switchesAbove!, parentOfLink[ids[i]])
  }
  for (let row = 0; row < above.length; row++) first[row + 1] += first[row]
  const next = first.slice()
  for (let i = 0; i < ids.length; i++) links[next[rows[i]]++] = ids[i]
  const inTree = topology.envelope === undefined ? switches : switches.map((sw) => switchInTree(topology, level, sw))
  return { switches, inTree, parents, first, links, above, ...slots(switches.length, parents, first) }
}

function slots(switches: number, parents: number, first: Int32Array): Pick<OwnLevel, 'slotRow' | 'slotCable'> {
  const count = first[switches * parents]
  const slotRow = new Int32Array(count)
  const slotCable = new Int32Array(count)
  for (let at = 0, slot = 0; at < switches; at++) {
    const end = first[(at + 1) * parents]
    for (let cable = 0; slot < end; cable++) {
      for (let row = at * parents; row < (at + 1) * parents; row++) {
        if (first[row + 1] - first[row] <= cable) continue
        slotRow[slot] = row
        slotCable[slot++] = cable
      }
    }
  }
  return { slotRow, slotCable }
}
