import { switchName } from '../names/names.ts'
import type { PgftShape, Topology } from '../topology.ts'
import { cablesTo, parentsOf } from './uplinks.ts'

/**
 * Returns the shape of a regular graph: the nodes of a leaf, and the children, parents and cables of a switch of each
 * level. If a switch has other numbers than most switches of its level, returns a message with this switch.
 */
export function pgftShapeOf(graph: Topology): PgftShape | string {
  const { levels, leaves, firstNodeOfLeaf } = graph
  const leafSizes = Array.from({ length: leaves }, (_, leaf) => firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf])
  const size = mostCommon(leafSizes)
  const oddLeaf = leafSizes.findIndex((each) => each !== size)
  if (oddLeaf >= 0) return `${named(graph, 0, oddLeaf)} has ${nodes(leafSizes[oddLeaf])}, most leaves have ${size}`
  const [m, w, p] = [[size], [1], [1]]
  for (let level = 0; level + 1 < levels.length; level++) {
    const up = uplinksOf(graph, level)
    if (typeof up === 'string') return up
    const down = childrenOf(graph, level + 1)
    if (typeof down === 'string') return down
    m.push(down)
    w.push(up.parents)
    p.push(up.cables)
  }
  return { m, w, p }
}

function uplinksOf(graph: Topology, level: number): { readonly parents: number; readonly cables: number } | string {
  const all = Array.from({ length: graph.levels[level].switches }, (_, sw) => parentsOf(graph, level, sw))
  const parents = mostCommon(all.map((each) => each.length))
  const odd = all.findIndex((each) => each.length !== parents)
  if (odd >= 0) return oddParents(graph, level, odd, all, parents)
  const cables = mostCommon(all.flatMap((each, sw) => each.map((parent) => cablesTo(graph, level, sw, parent))))
  for (const [sw, each] of all.entries()) {
    const parent = each.find((candidate) => cablesTo(graph, level, sw, candidate) !== cables)
    if (parent !== undefined)
      return `${named(graph, level, sw)} has ${counted(cablesTo(graph, level, sw, parent), 'cable')} to ${named(graph, level + 1, parent)}, most links of the level have ${cables}`
  }
  return { parents, cables }
}

/**
 * Returns the message for a switch with an unusual number of parents. If the number is too small, the message names a
 * missing parent, if a switch with a common parent has it.
 */
function oddParents(
  graph: Topology,
  level: number,
  odd: number,
  all: ReadonlyArray<ReadonlyArray<number>>,
  usual: number,
): string {
  const sibling = all.find((each) => each.length === usual && each.some((parent) => all[odd].includes(parent)))
  const missing = sibling?.find((parent) => !all[odd].includes(parent))
  if (all[odd].length < usual && missing !== undefined)
    return `${named(graph, level, odd)} has no cable to ${named(graph, level + 1, missing)}, as ${named(graph, level, all.indexOf(sibling!))} has`
  return `${named(graph, level, odd)} leads up to ${counted(all[odd].length, 'switch', 'es')}, most switches of the level to ${usual}`
}

function childrenOf(graph: Topology, level: number): number | string {
  const children = Array.from({ length: graph.levels[level].switches }, () => 0)
  for (let sw = 0; sw < graph.levels[level - 1].switches; sw++)
    for (const parent of parentsOf(graph, level - 1, sw)) children[parent]++
  const usual = mostCommon(children)
  const odd = children.findIndex((each) => each !== usual)
  if (odd < 0) return usual
  return `${named(graph, level, odd)} leads down to ${counted(children[odd], 'switch', 'es')}, most switches of the level to ${usual}`
}

/** Returns the most common number of a list; of several equally common numbers, the first in the list. */
function mostCommon(values: ReadonlyArray<number>): number {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0]
}

function named(graph: Topology, level: number, sw: number): string {
  return `switch ${switchName(graph, level, sw)}`
}

function nodes(count: number): string {
  return counted(count, 'node')
}

function counted(count: number, what: string, plural: string = 's'): string {
  return `${count} ${what}${count === 1 ? '' : plural}`
}
