import { switchName } from './names.ts'
import { pgft } from './pgft.ts'
import { connectedByLevel, type Parents } from './switch-graph.ts'
import { TopologyError } from './topology-error.ts'
import type { PgftShape, Topology } from './topology.ts'

/**
 * Returns a graph of switches as a regular tree, with the names of the graph. A graph is a PGFT if some numbering of
 * its switches gives the links of PGFT(h; m; w; p). Leaves and nodes of a graph in tree order keep their ids; other
 * switches may get new ids. If the graph is no PGFT, returns the graph with an `irregularity`: a message with a switch
 * that prevents a regular tree.
 */
export function recognisePgft(graph: Topology): Topology {
  const shape = pgftShapeOf(graph)
  if (typeof shape === 'string') return { ...graph, irregularity: shape }
  const order = pgftOrder(graph, shape)
  if (typeof order === 'string') return { ...graph, irregularity: order }
  try {
    const tree = pgft(shape, graph.name)
    const levels = tree.levels.map((level, at) => ({
      ...level,
      names: order[at].map((sw) => switchName(graph, at, sw)),
    }))
    return { ...tree, levels, ...(graph.nodeNames && { nodeNames: nodesInOrder(graph, order[0]) }) }
  } catch (error) {
    if (error instanceof TopologyError) return { ...graph, irregularity: error.message }
    throw error
  }
}

function nodesInOrder({ nodeNames, firstNodeOfLeaf }: Topology, leaves: ReadonlyArray<number>): ReadonlyArray<string> {
  return leaves.flatMap((leaf) => nodeNames!.slice(firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]))
}

/**
 * Returns a clause for messages about a machine that is no regular tree, such as "it is a switch graph (switch leaf1
 * has 1 node, most leaves have 2)". The clause has no reason in brackets if the topology has no `irregularity`.
 */
export function describeIrregularity({ irregularity }: Topology): string {
  return `it is a switch graph${irregularity === undefined ? '' : ` (${irregularity})`}`
}

/**
 * Returns the shape of a regular graph: the nodes of a leaf, and the children, parents and cables of a switch of each
 * level. If a switch has other numbers than most switches of its level, returns a message with this switch.
 */
function pgftShapeOf(graph: Topology): PgftShape | string {
  const { levels, leaves, firstNodeOfLeaf } = graph
  const leafSizes = Array.from({ length: leaves }, (_, leaf) => firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf])
  const size = mostCommon(leafSizes)!
  const oddLeaf = leafSizes.findIndex((each) => each !== size)
  if (oddLeaf >= 0)
    return `${named(graph, 0, oddLeaf)} has ${counted(leafSizes[oddLeaf], 'node')}, most leaves have ${size}`
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
  const parents = mostCommon(all.map((each) => each.length))!
  const odd = all.findIndex((each) => each.length !== parents)
  if (odd >= 0) return oddParents(graph, level, odd, all, parents)
  const cables = mostCommon(all.flatMap((each, sw) => each.map((parent) => cablesTo(graph, level, sw, parent))))!
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
  const usual = mostCommon(children)!
  const odd = children.findIndex((each) => each !== usual)
  if (odd < 0) return usual
  return `${named(graph, level, odd)} leads down to ${counted(children[odd], 'switch', 'es')}, most switches of the level to ${usual}`
}

/** Returns the most common value of a list; of several equally common values, the first in the list. */
export function mostCommon<Value>(values: ReadonlyArray<Value>): Value | undefined {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
}

function named(graph: Topology, level: number, sw: number): string {
  return `switch ${switchName(graph, level, sw)}`
}

function counted(count: number, what: string, plural: string = 's'): string {
  return `${count} ${what}${count === 1 ? '' : plural}`
}

/** Order of a graph's switches by the ids of a PGFT: entry `[level][id]` is the number of the switch in the graph. */
type PgftOrder = ReadonlyArray<ReadonlyArray<number>>

/**
 * Numbers the switches of a graph like a PGFT of a given shape, if the graph is such a PGFT.
 *
 * A subtree of level l has w1 · … · wl top switches (tops), which connect the subtree. The first digits of the number
 * of a top, b1 … b(l-1), are the number of the top's child in each subtree below. Tops above the same child form a
 * group; the last digit, bl, is the number of a top in its group. The numbering of the children in the first subtree
 * below is free, and a group has the number of its child there. In every other subtree below, the child of a group must
 * have the number of the group.
 *
 * @returns the order of the switches, or a message with a switch that prevents an order
 */
function pgftOrder(graph: Topology, shape: PgftShape): PgftOrder | string {
  const roots = subtreesOf(graph)
  if (roots.length > 1)
    return `switch ${nameOfTop(graph, roots[1])} is not connected with ${nameOfTop(graph, roots[0])}`
  const order: Array<Array<number>> = graph.levels.map(() => [])
  const problem = place(roots[0], undefined, { graph, shape, order })
  return problem ?? order
}

/** Connected part of a graph below the switches `tops` of a level. */
interface Subtree {
  readonly level: number
  readonly tops: ReadonlyArray<number>
  /** Subtrees of the level below, in the order of their leaves. */
  readonly below: ReadonlyArray<Subtree>
}

interface Numbering {
  readonly graph: Topology
  readonly shape: PgftShape
  readonly order: Array<Array<number>>
}

/** Number of each top switch within its subtree, by the number of the switch in the graph. */
type Labels = ReadonlyMap<number, number>

/** Returns the subtrees of the highest level: one for each connected part of the graph. */
function subtreesOf(graph: Topology): ReadonlyArray<Subtree> {
  const { levels, leaves } = graph
  const parents: Parents = levels
    .slice(0, -1)
    .map(({ switches }, level) => Array.from({ length: switches }, (_, sw) => parentsOf(graph, level, sw)))
  const connected = connectedByLevel(
    leaves,
    parents,
    levels.map(({ switches }) => switches),
  )
  let trees = Array.from({ length: leaves }, (_, leaf): Subtree => ({ level: 0, tops: [leaf], below: [] }))
  let firstLeaves = trees.map((_, leaf) => leaf)
  connected.forEach(({ ofLeaf, ofSwitch }, at) => {
    const members = Map.groupBy(trees.keys(), (tree) => ofLeaf[firstLeaves[tree]])
    const tops = Map.groupBy(ofSwitch.keys(), (sw) => ofSwitch[sw])
    trees = Array.from(members, ([leaf, below]) => ({
      level: at + 1,
      tops: tops.get(leaf) ?? [],
      below: below.map((tree) => trees[tree]),
    }))
    firstLeaves = [...members.keys()]
  })
  return trees
}

/**
 * Appends the switches of a subtree to the order; `required` has the numbers of its tops, or is undefined for free
 * numbers. Returns a message if a switch prevents an order.
 */
function place(subtree: Subtree, required: Labels | undefined, numbering: Numbering): string | undefined {
  const labels = required ?? freeLabels(subtree, numbering)
  if (typeof labels === 'string') return labels
  const below = labelsBelow(subtree, labels, numbering)
  if (typeof below === 'string') return below
  const tops = [...subtree.tops].sort((a, b) => labels.get(a)! - labels.get(b)!)
  numbering.order[subtree.level].push(...tops)
  for (const child of subtree.below) {
    const problem = place(child, below, numbering)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Numbers the tops of a subtree: tops above the same switch of the first subtree below have consecutive numbers. */
function freeLabels(subtree: Subtree, numbering: Numbering): Labels | string {
  const { graph } = numbering
  const { level, tops, below } = subtree
  if (level === 0) return new Map(tops.map((leaf) => [leaf, 0]))
  const first = freeLabels(below[0], numbering)
  if (typeof first === 'string') return first
  const labels = new Map<number, number>()
  for (const child of [...below[0].tops].sort((a, b) => first.get(a)! - first.get(b)!)) {
    for (const parent of parentsOf(graph, level - 1, child)) {
      if (labels.has(parent)) return crossed(subtree, parent, numbering)
      labels.set(parent, labels.size)
    }
  }
  const odd = tops.find((top) => !labels.has(top))
  if (odd === undefined) return labels
  return `switch ${switchName(graph, level, odd)} does not lead down to ${nameOfTop(graph, below[0])}, as ${switchName(
    graph,
    level,
    tops.find((top) => labels.has(top))!,
  )} does`
}

/** Returns the number of the group above each top of the subtrees below; a message if a switch prevents groups. */
function labelsBelow(subtree: Subtree, labels: Labels, numbering: Numbering): Labels | string {
  const { graph, shape } = numbering
  const required = new Map<number, number>()
  for (const child of subtree.below) {
    const taken = new Set<number>()
    for (const top of child.tops) {
      const groups = new Set(
        parentsOf(graph, child.level, top).map((parent) => Math.floor(labels.get(parent)! / shape.w[subtree.level])),
      )
      const [group] = groups
      if (groups.size !== 1 || taken.has(group)) return mixed(child, top, numbering)
      taken.add(group)
      required.set(top, group)
    }
  }
  return required
}

/** Returns the message for two tops of the first subtree below with links to the same top of the subtree. */
function crossed({ level, below }: Subtree, top: number, { graph }: Numbering): string {
  const [one, other] = below[0].tops.filter((child) => parentsOf(graph, level - 1, child).includes(top))
  return `switches ${switchName(graph, level - 1, one)} and ${switchName(graph, level - 1, other)}, which are connected below, both lead to ${switchName(graph, level, top)}`
}

/** Message for a switch with links to several groups of tops, or to the group of another switch of its subtree. */
function mixed({ level, tops }: Subtree, top: number, { graph }: Numbering): string {
  const parents = parentsOf(graph, level, top).map((parent) => switchName(graph, level + 1, parent))
  const what =
    tops.length > 1
      ? ` of the subtree with ${switchName(
          graph,
          level,
          tops.find((each) => each !== top)!,
        )}`
      : ''
  return `switch ${switchName(graph, level, top)}${what} leads to ${parents.join(', ')}, and in another subtree no switch leads to the same switches`
}

function nameOfTop(graph: Topology, { level, tops }: Subtree): string {
  return switchName(graph, level, tops[0])
}

/** Returns the parents of a switch, ascending and without repetitions. */
function parentsOf({ levels }: Topology, level: number, sw: number): ReadonlyArray<number> {
  const { firstPort, parentOfLink } = levels[level]
  return [...new Set(parentOfLink.subarray(firstPort[sw], firstPort[sw + 1]))].sort((a, b) => a - b)
}

/** Returns the number of cables from a switch to a parent. */
function cablesTo({ levels }: Topology, level: number, sw: number, parent: number): number {
  const { firstPort, parentOfLink } = levels[level]
  return parentOfLink.subarray(firstPort[sw], firstPort[sw + 1]).filter((each) => each === parent).length
}
