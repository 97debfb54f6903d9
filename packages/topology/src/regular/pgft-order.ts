import { switchName } from '../names/names.ts'
import type { PgftShape, Topology } from '../topology.ts'
import { type Connected, connectedByLevel, type Parents } from '../tree-order.ts'
import { parentsOf } from './uplinks.ts'

/** Order of a graph's switches by the ids of a PGFT: entry `[level][id]` is the number of the switch in the graph. */
export type PgftOrder = ReadonlyArray<ReadonlyArray<number>>

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
export function pgftOrder(graph: Topology, shape: PgftShape): PgftOrder | string {
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
  connected.forEach((connection, at) => {
    const grouped = groupBy(firstLeaves, (leaf) => connection.ofLeaf[leaf])
    const tops = topsOf(connection)
    const above = [...grouped].map(([leaf, members]): Subtree => ({
      level: at + 1,
      tops: tops.get(leaf) ?? [],
      below: members.map((member) => trees[member]),
    }))
    firstLeaves = [...grouped.keys()]
    trees = above
  })
  return trees
}

function topsOf({ ofSwitch }: Connected): ReadonlyMap<number, ReadonlyArray<number>> {
  const tops = new Map<number, Array<number>>()
  ofSwitch.forEach((leaf, sw) => tops.set(leaf, [...(tops.get(leaf) ?? []), sw]))
  return tops
}

function groupBy(items: ReadonlyArray<number>, keyOf: (item: number) => number): Map<number, Array<number>> {
  const groups = new Map<number, Array<number>>()
  items.forEach((item, at) => {
    const key = keyOf(item)
    if (!groups.has(key)) groups.set(key, [])
    groups.get(key)!.push(at)
  })
  return groups
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
