import type { Resources } from '@cloister/placement'
import { lowerBound } from '@cloister/topology'
import { parentsOf, type RegularTree } from './regular-tree.ts'

/** One level of a job's links with the switches at both ends. Switches are places in `switches`. */
export interface OwnLevel {
  /** Switches, ascending. On the lowest level also leaves with nodes of the job and without links. */
  readonly switches: Int32Array
  /** Number of parents of each switch, used by the job or not; 0 at the top. */
  readonly parents: number
  /**
   * Row `at * parents + b`: begin in `links` of the job's cables from switch `at` to its parent `b`; one more row at
   * the end.
   */
  readonly first: Int32Array
  /** Links row by row, ascending. */
  readonly links: Int32Array
  /** Place of each row's parent on the level above; -1 if the job has no cable to the parent. */
  readonly above: Int32Array
  /**
   * Cables of each switch in the order in which destinations are assigned: the first cable to each parent, then the
   * second cables, and so on. The order thus does not depend on which of several parallel cables a job owns. Each slot
   * is a row and a number of a cable in the row, beginning where the switch's links begin.
   */
  readonly slotRow: Int32Array
  readonly slotCable: Int32Array
}

/** Returns the links of a job, level by level, up to the highest switches that the links reach. */
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

/** Returns the place of an id in an ascending list, or -1. */
export function placeOf(ids: Int32Array, id: number): number {
  const at = lowerBound(ids.length, (place) => ids[place] < id)
  return ids[at] === id ? at : -1
}

function lowerSwitches({ topology }: RegularTree, level: number, links: ArrayLike<number>): Int32Array {
  const ports = topology.levels[level].firstPort[1]
  const switches = new Int32Array(links.length)
  for (let i = 0; i < links.length; i++) switches[i] = Math.floor(links[i] / ports)
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
  const { firstPort, parentOfLink } = tree.topology.levels[level]
  const first = new Int32Array(switches.length * parents + 1)
  const above = new Int32Array(switches.length * parents).fill(-1)
  const links = new Int32Array(ids.length)
  const rows = new Int32Array(ids.length)
  for (let i = 0, at = 0; i < ids.length; i++) {
    while (switches[at] < lowerEnds[i]) at++
    rows[i] = at * parents + ((ids[i] - firstPort[lowerEnds[i]]) % parents)
    first[rows[i] + 1]++
    if (above[rows[i]] < 0) above[rows[i]] = placeOf(switchesAbove!, parentOfLink[ids[i]])
  }
  for (let row = 0; row < above.length; row++) first[row + 1] += first[row]
  const next = first.slice()
  for (let i = 0; i < ids.length; i++) links[next[rows[i]]++] = ids[i]
  return { switches, parents, first, links, above, ...slots(switches.length, parents, first) }
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
