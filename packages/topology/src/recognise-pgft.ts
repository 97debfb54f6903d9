import { marksOf, withoutParts } from './absent-parts.ts'
import { formatAbsent } from './absent-text.ts'
import { switchName } from './names.ts'
import { pgft } from './pgft.ts'
import { connectedByLevel, type Parents } from './switch-graph.ts'
import { TopologyError } from './topology-error.ts'
import type { PgftShape, Topology } from './topology.ts'

/**
 * Returns a graph of switches as a regular tree, or as a regular tree without some parts, with the names of the graph.
 * Leaves and nodes of a graph in tree order keep their ids; other switches may get new ids. If no regular tree contains
 * the graph, returns the graph with an `irregularity`: a message with a switch that prevents a tree.
 */
export function recognisePgft(graph: Topology): Topology {
  const places = placesOf(graph)
  if (typeof places === 'string') return { ...graph, irregularity: places }
  try {
    return placed(graph, places)
  } catch (error) {
    if (error instanceof TopologyError) return { ...graph, irregularity: error.problem }
    throw error
  }
}

/**
 * Returns a clause for messages about a machine that is no regular tree, such as "parts of its tree are absent (nodes
 * 3,17-19; leaf 4)" or "it is a switch graph (switches a and b, which are connected below, both lead to c)".
 */
export function describeIrregularity(topology: Topology): string {
  const { irregularity, envelope } = topology
  if (envelope !== undefined) {
    const absent = formatAbsent(topology)
    return `parts of its tree are absent (${absent.length > 60 ? `${absent.slice(0, 60)}…` : absent})`
  }
  return `it is a switch graph${irregularity === undefined ? '' : ` (${irregularity})`}`
}

/** Returns the most common value of a list; of several equally common values, the first in the list. */
export function mostCommon<Value>(values: ReadonlyArray<Value>): Value | undefined {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
}

/** Shape of a regular tree around a graph, and the place of each switch in the tree. */
interface Places {
  readonly shape: PgftShape
  /** Number of the parallel switch (b1, …, bl) of each switch, `[level][sw]`. */
  readonly parallel: ReadonlyArray<ArrayLike<number>>
  /** Id in the whole tree of each switch, `[level][sw]`. */
  readonly ids: ReadonlyArray<ArrayLike<number>>
}

/** Returns the tree of a graph's shape, without the parts that the graph lacks. @throws TopologyError if too large */
function placed(graph: Topology, { shape, parallel, ids }: Places): Topology {
  const { levels, leaves, firstNodeOfLeaf, nodeNames } = graph
  const tree = pgft(shape, graph.name)
  const absent = marksOf(tree, 1)
  const names = tree.levels.map((): Array<string> => [])
  for (const [level, { switches, firstPort, parentOfLink }] of levels.entries()) {
    const parents = shape.w[level + 1] ?? 0
    for (let sw = 0; sw < switches; sw++) {
      absent.switches[level][ids[level][sw]] = 0
      names[level][ids[level][sw]] = switchName(graph, level, sw)
      const cables = new Map<number, number>()
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++) {
        const above = parallel[level + 1][parentOfLink[link]] % parents
        const cable = cables.get(above) ?? 0
        cables.set(above, cable + 1)
        absent.links[level][tree.levels[level].firstPort[ids[level][sw]] + above + parents * cable] = 0
      }
    }
  }
  const namesOfNodes: Array<string> = []
  for (let leaf = 0; leaf < leaves; leaf++) {
    const first = firstNodeOfLeaf[leaf]
    for (let node = first; node < firstNodeOfLeaf[leaf + 1]; node++) {
      const id = ids[0][leaf] * shape.m[0] + node - first
      absent.nodes[id] = 0
      if (nodeNames !== undefined) namesOfNodes[id] = nodeNames[node]
    }
  }
  const named = tree.levels.map((level, at) => ({ ...level, names: names[at] }))
  return withoutParts({ ...tree, levels: named, ...(nodeNames && { nodeNames: namesOfNodes }) }, absent)
}

/**
 * Places the switches of a graph in a regular tree, or returns a message with a switch that prevents every tree.
 *
 * In a regular tree, the highest switches of a subtree of level l, the tops, connect the subtree. Parallel tops have
 * numbers b1, …, bl. Tops of several subtrees may have one number. The children of all tops with one number have the
 * number b1, …, b(l-1). So switches with a common parent form a class (`classesOf`). Switches under parents of one
 * class form a class, too. All switches of a class have one number, so two switches of a class are in different subtrees. If
 * two classes have the same number below and switches in one subtree, they get different last digits (`numbersOf`).
 * Other classes may share a digit: if parts are absent, a graph does not tell whether two such classes are one.
 */
function placesOf(graph: Topology): Places | string {
  const subtrees = subtreesOf(graph)
  const apart = subtrees.ofLeaf.at(-1)!.findIndex((lowest) => lowest !== 0)
  if (apart >= 0) return `switch ${switchName(graph, 0, apart)} is not connected with ${switchName(graph, 0, 0)}`
  const classes = classesOf(graph, subtrees)
  if (typeof classes === 'string') return classes
  const { parallel, w } = numbersOf(graph, subtrees, classes)
  const { numbers, m } = subtreeNumbers(graph, subtrees)
  const p = [1, ...graph.levels.slice(0, -1).map((_, level) => mostCables(graph, level))]
  const ids = graph.levels.map(({ switches }, level) => {
    const parallels = w.slice(0, level + 1).reduce((product, each) => product * each, 1)
    return Array.from(
      { length: switches },
      (_, sw) => numbers[level].get(subtrees.ofSwitch[level][sw])! * parallels + parallel[level][sw],
    )
  })
  return { shape: { m, w, p }, parallel, ids }
}

/** Subtrees of each level, which cables connect, named by their lowest leaves. */
interface Subtrees {
  /** Subtree of each switch, `[level][sw]`, and of each leaf, `[level][leaf]`. */
  readonly ofSwitch: ReadonlyArray<Int32Array>
  readonly ofLeaf: ReadonlyArray<Int32Array>
}

function subtreesOf({ levels, leaves }: Topology): Subtrees {
  const counts = levels.map(({ switches }) => switches)
  const parents: Parents = levels
    .slice(0, -1)
    .map(({ switches, firstPort, parentOfLink }) =>
      Array.from({ length: switches }, (_, sw) => [...parentOfLink.subarray(firstPort[sw], firstPort[sw + 1])]),
    )
  const itself = Int32Array.from({ length: leaves }, (_, leaf) => leaf)
  const subtrees = [{ ofLeaf: itself, ofSwitch: itself }, ...connectedByLevel(leaves, parents, counts)]
  return { ofSwitch: subtrees.map(({ ofSwitch }) => ofSwitch), ofLeaf: subtrees.map(({ ofLeaf }) => ofLeaf) }
}

/** Returns the class of each switch, `[level][sw]`, or a message about two switches of one class and one subtree. */
function classesOf(graph: Topology, { ofSwitch }: Subtrees): ReadonlyArray<Int32Array> | string {
  const { levels } = graph
  const classes: Array<Int32Array> = []
  classes[levels.length - 1] = Int32Array.from({ length: levels.at(-1)!.switches }, (_, sw) => sw)
  for (let level = levels.length - 2; level >= 0; level--) {
    const { switches, firstPort, parentOfLink } = levels[level]
    const merged = Int32Array.from({ length: switches }, (_, sw) => sw)
    const classOf = (sw: number): number => {
      while (merged[sw] !== sw) sw = merged[sw] = merged[merged[sw]]
      return sw
    }
    const first = new Map<number, number>()
    for (let sw = 0; sw < switches; sw++) {
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++) {
        const above = classes[level + 1][parentOfLink[link]]
        const other = first.get(above) ?? sw
        first.set(above, other)
        const [one, two] = [classOf(other), classOf(sw)]
        merged[Math.max(one, two)] = Math.min(one, two)
      }
    }
    classes[level] = level === 0 ? new Int32Array(switches) : merged.map((_, sw) => classOf(sw))
    const ofClass = new Map<string, number>()
    for (let sw = 0; sw < switches; sw++) {
      const key = `${classes[level][sw]} ${ofSwitch[level][sw]}`
      const other = ofClass.get(key)
      if (other !== undefined) return crossed(graph, level, other, sw)
      ofClass.set(key, sw)
    }
  }
  return classes
}

/** Returns the message for two switches of one subtree that meet again above the subtree. */
function crossed(graph: Topology, level: number, one: number, other: number): string {
  const [parents, others] = [parentsOf(graph, level, one), parentsOf(graph, level, other)]
  const common = parents.find((parent) => others.includes(parent))
  const name = (sw: number, above: number): string => switchName(graph, level + above, sw)
  const where =
    common === undefined
      ? `meet again above through ${name(parents[0], 1)} and ${name(others[0], 1)}`
      : `both lead to ${name(common, 1)}`
  return `switches ${name(one, 0)} and ${name(other, 0)}, which are connected below, ${where}`
}

/** Returns the number of each switch among parallel switches, `[level][sw]`, and the number of parents of each level. */
function numbersOf(
  { levels }: Topology,
  { ofSwitch }: Subtrees,
  classes: ReadonlyArray<Int32Array>,
): Pick<Places, 'parallel'> & { readonly w: ReadonlyArray<number> } {
  const parallel = [new Int32Array(levels[0].switches)]
  const w = [1]
  for (let level = 1; level < levels.length; level++) {
    const below = new Int32Array(levels[level].switches)
    const { switches, firstPort, parentOfLink } = levels[level - 1]
    for (let sw = 0; sw < switches; sw++)
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++)
        below[parentOfLink[link]] = parallel[level - 1][sw]
    const members = [...Map.groupBy(classes[level].keys(), (sw) => classes[level][sw]).values()]
    // Large classes first: if nothing is absent, each class has a switch in every subtree, and the order of ids stays.
    members.sort((a, b) => b.length - a.length || a[0] - b[0])
    const taken = new Set<string>()
    const digits = new Int32Array(levels[level].switches)
    let most = 0
    for (const group of members) {
      const keys = (digit: number): ReadonlyArray<string> =>
        group.map((sw) => `${below[sw]} ${ofSwitch[level][sw]} ${digit}`)
      let digit = 0
      while (keys(digit).some((key) => taken.has(key))) digit++
      for (const key of keys(digit)) taken.add(key)
      for (const sw of group) digits[sw] = digit
      most = Math.max(most, digit)
    }
    w.push(most + 1)
    parallel.push(digits.map((digit, sw) => below[sw] * (most + 1) + digit))
  }
  return { parallel, w }
}

/** Returns the number of each subtree of each level, by its name, and the number of children of each level. */
function subtreeNumbers(
  { leaves, levels, firstNodeOfLeaf }: Topology,
  { ofLeaf }: Subtrees,
): { readonly numbers: ReadonlyArray<ReadonlyMap<number, number>>; readonly m: ReadonlyArray<number> } {
  const numbers: Array<Map<number, number>> = []
  const m: Array<number> = []
  numbers[levels.length - 1] = new Map([[0, 0]])
  for (let level = levels.length - 1; level > 0; level--) {
    const children = new Map<number, Set<number>>()
    for (let leaf = 0; leaf < leaves; leaf++) {
      const own = children.get(ofLeaf[level][leaf]) ?? new Set()
      children.set(ofLeaf[level][leaf], own.add(ofLeaf[level - 1][leaf]))
    }
    m[level] = Math.max(...[...children.values()].map(({ size }) => size))
    numbers[level - 1] = new Map(
      [...children].flatMap(([subtree, own]) =>
        [...own].map((child, i) => [child, numbers[level].get(subtree)! * m[level] + i] as const),
      ),
    )
  }
  m[0] = 0
  for (let leaf = 0; leaf < leaves; leaf++) m[0] = Math.max(m[0], firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf])
  return { numbers, m }
}

/** Returns the largest number of cables between a switch of the level and one parent. */
function mostCables({ levels }: Topology, level: number): number {
  const { switches, firstPort, parentOfLink } = levels[level]
  let most = 1
  for (let sw = 0; sw < switches; sw++) {
    const cables = new Map<number, number>()
    for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++) {
      const count = (cables.get(parentOfLink[link]) ?? 0) + 1
      cables.set(parentOfLink[link], count)
      most = Math.max(most, count)
    }
  }
  return most
}

/** Returns the parents of a switch, ascending and without repetitions. */
function parentsOf({ levels }: Topology, level: number, sw: number): ReadonlyArray<number> {
  const { firstPort, parentOfLink } = levels[level]
  return [...new Set(parentOfLink.subarray(firstPort[sw], firstPort[sw + 1]))].sort((a, b) => a - b)
}
