import { checkNodeNames, checkSwitchNames } from './names.ts'
import { MAX_IDS, MAX_LEVELS, show, TopologyError } from './topology-error.ts'
import type { SwitchLevel, Topology } from './topology.ts'

/** Machine as a graph of switches, for machines that are no regular tree. Switch ids are indices, in tree order. */
export interface SwitchGraph {
  readonly name: string
  /** Number of nodes of each leaf, at least 1. */
  readonly leaves: ReadonlyArray<number>
  /**
   * Parents of each switch below the top level, `parents[level][sw]`: switches of the next level, one entry for each
   * link, in the order of the up-ports; `[]` for a switch without links up.
   */
  readonly parents: Parents
  readonly nodeNames?: ReadonlyArray<string>
  /** Name of each switch, `switchNames[level][sw]`. */
  readonly switchNames?: ReadonlyArray<ReadonlyArray<string>>
}

/**
 * Builds a topology from a switch graph. The graph may have any depth up to 16 levels, leaves of different sizes,
 * switches with several parents, and parallel cables.
 *
 * @throws TopologyError if an id is out of range, a switch above the leaves has no child, a name is missing or
 *   repeated, the machine is too large, or the leaves or L2 switches of a pod are not contiguous
 */
export function switchGraph(graph: SwitchGraph): Topology {
  const place = { source: graph.name }
  const firstNodeOfLeaf = nodeStarts(graph)
  const leaves = graph.leaves.length
  const switches = switchCounts(graph)
  const nodes = firstNodeOfLeaf[leaves]
  const leafOfNode = new Int32Array(nodes)
  for (let leaf = 0; leaf < leaves; leaf++) leafOfNode.fill(leaf, firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1])
  if (graph.nodeNames !== undefined) checkNodeNames(graph.nodeNames, nodes, place)
  if (graph.switchNames !== undefined) checkSwitchNames(graph.switchNames, switches, place)
  const levels = switches.map((count, level) => switchLevel(graph, level, count))

  return {
    name: graph.name,
    nodes,
    leaves,
    levels,
    firstNodeOfLeaf,
    leafOfNode,
    ...pods(graph, switches),
    ...(graph.nodeNames === undefined ? {} : { nodeNames: [...graph.nodeNames] }),
  }
}

/** Switch that has no id yet. */
export interface UnnumberedSwitch {
  readonly name: string
  /** Names of a leaf's nodes; empty for any other switch. */
  readonly nodes: ReadonlyArray<string>
  /** Switches of the next level, one entry for each link. */
  readonly parents: ReadonlyArray<UnnumberedSwitch>
}

/**
 * Numbers the switches of each level in tree order, and builds the topology. If the switches below a common switch
 * allow several orders, the switches keep the order of `levels`.
 *
 * @param arePortsAscending true if the up-ports of a switch are in the order of the parents' ids; false if they are in
 *   the order of `parents`
 * @throws TopologyError like `switchGraph`
 */
export function numberedGraph(
  name: string,
  levels: ReadonlyArray<ReadonlyArray<UnnumberedSwitch>>,
  arePortsAscending: boolean,
): Topology {
  const counts = levels.map((level) => level.length)
  const index = new Map(levels.flatMap((level) => level.map((each, i) => [each, i] as const)))
  const parents = levels
    .slice(0, -1)
    .map((level) => level.map((each) => each.parents.map((parent) => index.get(parent)!)))
  const order = treeOrder(counts[0], parents, counts)
  const ids = order.map(inverse)
  const ordered = order.map((of, level) => of.map((i) => levels[level][i]))
  return switchGraph({
    name,
    leaves: ordered[0].map(({ nodes }) => nodes.length),
    parents: parents.map((lists, level) =>
      order[level].map((i) => {
        const list = lists[i].map((parent) => ids[level + 1][parent])
        return arePortsAscending ? list.sort((a, b) => a - b) : list
      }),
    ),
    nodeNames: ordered[0].flatMap(({ nodes }) => nodes),
    switchNames: ordered.map((level) => level.map((each) => each.name)),
  })
}

function nodeStarts({ name, leaves }: SwitchGraph): Int32Array {
  if (!Array.isArray(leaves) || leaves.length === 0)
    throw new TopologyError('expected the number of nodes of each leaf', { source: name, field: 'leaves' })
  let nodes = 0
  const starts = new Int32Array(leaves.length + 1)
  for (const [leaf, size] of leaves.entries()) {
    if (!Number.isInteger(size) || size < 1)
      throw new TopologyError(`expected a positive number of nodes, found ${show(size)}`, {
        source: name,
        field: `leaves[${leaf}]`,
      })
    nodes += size
    if (nodes > MAX_IDS)
      throw new TopologyError(`too large: at most ${MAX_IDS} nodes are supported`, {
        source: name,
        field: `leaves[${leaf}]`,
      })
    starts[leaf + 1] = nodes
  }
  return starts
}

function switchCounts({ name, leaves, parents }: SwitchGraph): number[] {
  if (!Array.isArray(parents) || parents.length >= MAX_LEVELS) {
    throw new TopologyError(`expected the parents of each level below the top, at most ${MAX_LEVELS - 1} lists`, {
      source: name,
      field: 'parents',
    })
  }
  const counts = [leaves.length]
  for (const [level, lists] of (parents as ReadonlyArray<unknown>).entries()) {
    const found = Array.isArray(lists) ? lists.length : 'none'
    if (found !== counts[level]) {
      throw new TopologyError(`expected ${counts[level]} lists, one a switch of this level, found ${found}`, {
        source: name,
        field: `parents[${level}]`,
      })
    }
    const above: ReadonlyArray<unknown> | undefined = parents[level + 1]
    counts.push(checkParents(name, level, lists as ReadonlyArray<unknown>, above?.length))
  }
  return counts
}

/** Returns the number of switches of the level above: `above`, or the highest parent id + 1 if `above` is undefined. */
function checkParents(source: string, level: number, lists: ReadonlyArray<unknown>, above: number | undefined): number {
  const limit = above ?? MAX_IDS
  const hasChild: boolean[] = []
  let links = 0
  for (const [sw, list] of lists.entries()) {
    const field = `parents[${level}][${sw}]`
    if (!Array.isArray(list))
      throw new TopologyError('expected a list of switches of the level above', { source, field })
    for (const parent of list as unknown[]) {
      if (!Number.isInteger(parent) || (parent as number) < 0 || (parent as number) >= limit) {
        throw new TopologyError(`expected a switch from 0 to ${limit - 1}, found ${show(parent)}`, { source, field })
      }
      hasChild[parent as number] = true
    }
    links += list.length
    if (links > MAX_IDS)
      throw new TopologyError(`too large: at most ${MAX_IDS} links a level are supported`, { source, field })
  }
  const count = above ?? hasChild.length
  for (let parent = 0; parent < Math.max(count, 1); parent++) {
    if (!hasChild[parent])
      throw new TopologyError(
        `switch ${parent} of level ${level + 1} has no child: every switch above the leaves needs a child`,
        { source, field: `parents[${level}]` },
      )
  }
  return count
}

function switchLevel({ parents, switchNames }: SwitchGraph, level: number, switches: number): SwitchLevel {
  const parentOfLink = Int32Array.from((parents[level] ?? []).flat())
  const firstPort = new Int32Array(switches + 1)
  parents[level]?.forEach((list, sw) => {
    firstPort[sw + 1] = firstPort[sw] + list.length
  })
  const names = switchNames === undefined ? {} : { names: [...switchNames[level]] }
  return { switches, links: parentOfLink.length, firstPort, parentOfLink, ...names }
}

type Pods = Pick<Topology, 'pods' | 'firstLeafOfPod' | 'podOfLeaf' | 'firstL2OfPod'>

function pods(graph: SwitchGraph, switches: ReadonlyArray<number>): Pods {
  const leaves = graph.leaves.length
  if (switches.length === 1) {
    return {
      pods: 1,
      firstLeafOfPod: Int32Array.of(0, leaves),
      podOfLeaf: new Int32Array(leaves),
      firstL2OfPod: new Int32Array(2),
    }
  }
  const { ofLeaf, ofSwitch }: Connected = connectedByLevel(leaves, graph.parents.slice(0, 1), switches)[0]
  const firstLeaves = [...new Set(ofLeaf)].sort((a, b) => a - b)
  const podAt = new Map(firstLeaves.map((leaf, pod) => [leaf, pod]))
  const podOfLeaf = ofLeaf.map((first) => podAt.get(first)!)
  const podOfL2 = ofSwitch.map((first) => podAt.get(first)!)
  checkContiguous(graph.name, 'leaves', podOfLeaf)
  checkContiguous(graph.name, 'L2 switches', podOfL2)
  return {
    pods: firstLeaves.length,
    firstLeafOfPod: Int32Array.from([...firstLeaves, leaves]),
    podOfLeaf,
    firstL2OfPod: groupStarts(podOfL2, firstLeaves.length),
  }
}

function checkContiguous(source: string, what: string, podOf: Int32Array): void {
  for (let i = 1; i < podOf.length; i++) {
    if (podOf[i] < podOf[i - 1]) {
      throw new TopologyError(
        `the ${what} of a pod must be contiguous: number ${i} belongs to pod ${podOf[i]}, number ${i - 1} before it to pod ${podOf[i - 1]}`,
        { source, field: 'parents[0]' },
      )
    }
  }
}

/** Returns the index of the first item of each group, then the number of all items. `groupOf` ascends. */
function groupStarts(groupOf: Int32Array, groups: number): Int32Array {
  const starts = new Int32Array(groups + 1)
  for (const group of groupOf) starts[group + 1]++
  for (let group = 0; group < groups; group++) starts[group + 1] += starts[group]
  return starts
}

/** Parents of each switch below the top, `parents[level][sw]`, one entry for each link. */
export type Parents = ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>

/** Connected set of each leaf and of each switch of a level, by the links up to the level: the set's lowest leaf. */
export interface Connected {
  readonly ofLeaf: Int32Array
  readonly ofSwitch: Int32Array
}

/** Returns, for each level from L2 up, the connected set of every leaf and of every switch of the level. */
export function connectedByLevel(leaves: number, parents: Parents, switches: ReadonlyArray<number>): Connected[] {
  const lower = Int32Array.from({ length: leaves }, (_, leaf) => leaf)
  const lowestOf = (leaf: number): number => {
    while (lower[leaf] !== leaf) {
      lower[leaf] = lower[lower[leaf]]
      leaf = lower[leaf]
    }
    return leaf
  }
  let below: Int32Array = lower.slice()
  return parents.map((parentsOf, level) => {
    const above = new Int32Array(switches[level + 1]).fill(-1)
    parentsOf.forEach((list, sw) => {
      for (const parent of list) {
        const leaf = lowestOf(below[sw])
        const other = above[parent] < 0 ? leaf : lowestOf(above[parent])
        lower[Math.max(leaf, other)] = Math.min(leaf, other)
        above[parent] = leaf
      }
    })
    below = above.map((leaf) => lowestOf(leaf))
    return { ofLeaf: lower.map((_, leaf) => lowestOf(leaf)), ofSwitch: below }
  })
}

/**
 * Returns an order of the switches of each level in which every connected set of switches is contiguous. Connected sets
 * are in the order of their lowest leaves. Entry `[level][i]` is the old index of the i-th switch in the new order.
 */
function treeOrder(leaves: number, parents: Parents, switches: ReadonlyArray<number>): number[][] {
  const connected = connectedByLevel(leaves, parents, switches)
  const leafOrder = indices(leaves).sort((x, y) => {
    for (let level = connected.length - 1; level >= 0; level--) {
      const { ofLeaf } = connected[level]
      if (ofLeaf[x] !== ofLeaf[y]) return ofLeaf[x] - ofLeaf[y]
    }
    return x - y
  })
  const placeOfLeaf = inverse(leafOrder)
  const upper = connected.map(({ ofSwitch }) =>
    indices(ofSwitch.length).sort((x, y) => placeOfLeaf[ofSwitch[x]] - placeOfLeaf[ofSwitch[y]] || x - y),
  )
  return [leafOrder, ...upper]
}

/** Returns the place of each index in an order: the inverse permutation. */
function inverse(order: ReadonlyArray<number>): Int32Array {
  const place = new Int32Array(order.length)
  order.forEach((index, i) => {
    place[index] = i
  })
  return place
}

function indices(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i)
}
