import { linkName, nodeName, switchName } from './names.ts'
import { pgft } from './pgft.ts'
import { TopologyError } from './topology-error.ts'
import type { PgftShape, SwitchLevel, Topology } from './topology.ts'
import { levelName } from './wiring.ts'

/** Parts of a whole tree that a machine lacks: 1 at the id of each absent node, and of each absent switch and link. */
export interface PartMarks {
  readonly nodes: Uint8Array
  /** Absent switches of each level, from the leaves up. */
  readonly switches: ReadonlyArray<Uint8Array>
  /** Absent links from each level to the level above. */
  readonly links: ReadonlyArray<Uint8Array>
}

/** Returns marks for all parts of a whole tree, each with the value `value`. */
export function marksOf({ nodes, levels }: Topology, value: 0 | 1): PartMarks {
  return {
    nodes: new Uint8Array(nodes).fill(value),
    switches: levels.map(({ switches }) => new Uint8Array(switches).fill(value)),
    links: levels.map(({ links }) => new Uint8Array(links).fill(value)),
  }
}

/**
 * Returns a regular tree without its absent parts, in the normal form: a leaf without nodes is absent, and so is any
 * other switch without links down. Returns `tree` itself if no part is absent. Nodes and switches without names in
 * `tree` are named after their ids in `tree`, so a name does not depend on the absent parts.
 *
 * @throws TopologyError if no node, or no switch of a level, is left
 */
export function withoutParts(tree: Topology, absent: PartMarks): Topology {
  const { nodes, switches, links } = presentIds(tree, absent)
  const isWhole = nodes.length === tree.nodes && links.every((ids, level) => ids.length === tree.levels[level].links)
  if (isWhole && switches.every((ids, level) => ids.length === tree.levels[level].switches)) return tree
  const idOf = switches.map((ids, level) => newIds(ids, tree.levels[level].switches))
  const levels = tree.levels.map(({ firstPort, parentOfLink }, level): SwitchLevel => {
    const lower = new Int32Array(tree.levels[level].links)
    for (const sw of switches[level]) lower.fill(idOf[level][sw], firstPort[sw], firstPort[sw + 1])
    return {
      switches: switches[level].length,
      links: links[level].length,
      firstPort: starts(
        links[level].map((link) => lower[link]),
        switches[level].length,
      ),
      parentOfLink: links[level].map((link) => idOf[level + 1][parentOfLink[link]]),
      names: Array.from(switches[level], (sw) => switchName(tree, level, sw)),
    }
  })
  const leafOfNode = nodes.map((node) => idOf[0][tree.leafOfNode[node]])
  const podsLeft = [...new Set(Array.from(switches[0], (leaf) => tree.podOfLeaf[leaf]))]
  const podOf = newIds(podsLeft, tree.pods)
  const podOfLeaf = switches[0].map((leaf) => podOf[tree.podOfLeaf[leaf]])
  const perPod = tree.firstL2OfPod[1]
  return {
    name: tree.name,
    envelope: { shape: tree.pgft!, nodes, switches, links },
    nodes: nodes.length,
    leaves: switches[0].length,
    pods: podsLeft.length,
    levels,
    firstNodeOfLeaf: starts(leafOfNode, switches[0].length),
    leafOfNode,
    firstLeafOfPod: starts(podOfLeaf, podsLeft.length),
    podOfLeaf,
    firstL2OfPod: starts(
      (perPod === 0 ? new Int32Array() : switches[1]).map((sw) => podOf[Math.floor(sw / perPod)]),
      podsLeft.length,
    ),
    nodeNames: Array.from(nodes, (node) => nodeName(tree, node)),
  }
}

/** Returns the ids of the parts that are left of a tree, from the leaves up. */
function presentIds(tree: Topology, absent: PartMarks) {
  const nodes = idsWhere(
    tree.nodes,
    (node) => absent.nodes[node] === 0 && absent.switches[0][tree.leafOfNode[node]] === 0,
  )
  if (nodes.length === 0)
    throw new TopologyError('all nodes are absent; a machine has at least one', { source: tree.name })
  let below = new Uint8Array(tree.leaves)
  for (const node of nodes) below[tree.leafOfNode[node]] = 1
  const switches: Array<Int32Array> = []
  const links: Array<Int32Array> = []
  for (const [level, { parentOfLink, firstPort, switches: count, links: cables }] of tree.levels.entries()) {
    const isLeft = below
    switches.push(idsWhere(count, (sw) => isLeft[sw] === 1))
    if (switches[level].length === 0)
      throw new TopologyError(`no ${levelName(level)} switch is left; each level has at least one`, {
        source: tree.name,
      })
    const lower = new Uint8Array(cables)
    for (const sw of switches[level]) lower.fill(1, firstPort[sw], firstPort[sw + 1])
    const isAbsentAbove = absent.switches[level + 1]
    links.push(
      idsWhere(
        cables,
        (link) => lower[link] === 1 && absent.links[level][link] === 0 && isAbsentAbove[parentOfLink[link]] === 0,
      ),
    )
    below = new Uint8Array(tree.levels[level + 1]?.switches ?? 0)
    for (const link of links[level]) below[parentOfLink[link]] = 1
  }
  return { nodes, switches, links }
}

function idsWhere(count: number, isLeft: (id: number) => boolean): Int32Array {
  const ids = new Int32Array(count)
  let left = 0
  for (let id = 0; id < count; id++) if (isLeft(id)) ids[left++] = id
  return ids.slice(0, left)
}

/** Returns the index of each id in `ids`, at the id; 0 at other numbers below `count`. */
function newIds(ids: ArrayLike<number>, count: number): Int32Array {
  const index = new Int32Array(count)
  for (let i = 0; i < ids.length; i++) index[ids[i]] = i
  return index
}

/** Returns the first index of each group, then the number of all members. `groupOf` ascends. */
function starts(groupOf: Int32Array, groups: number): Int32Array {
  const first = new Int32Array(groups + 1)
  for (const group of groupOf) first[group + 1]++
  for (let group = 0; group < groups; group++) first[group + 1] += first[group]
  return first
}

/**
 * Returns the whole tree of a machine, and marks of the machine's absent parts: the inverse of `withoutParts`. Returns
 * undefined for an irregular graph. Absent parts have no name of the machine's source.
 */
export function wholeTree(topology: Topology): { readonly tree: Topology; readonly absent: PartMarks } | undefined {
  if (topology.pgft !== undefined) return { tree: topology, absent: marksOf(topology, 0) }
  if (topology.envelope === undefined) return undefined
  const { shape, nodes, switches, links } = topology.envelope
  const tree = pgft(shape, topology.name)
  const absent = marksOf(tree, 1)
  for (const node of nodes) absent.nodes[node] = 0
  switches.forEach((ids, level) => ids.forEach((sw) => (absent.switches[level][sw] = 0)))
  links.forEach((ids, level) => ids.forEach((link) => (absent.links[level][link] = 0)))
  const named = tree.levels.map((level, at) => {
    const names: Array<string> = []
    switches[at].forEach((sw, i) => (names[sw] = switchName(topology, at, i)))
    return { ...level, names }
  })
  const nodeNames: Array<string> = []
  nodes.forEach((node, i) => (nodeNames[node] = nodeName(topology, i)))
  return { tree: { ...tree, levels: named, nodeNames }, absent }
}

/**
 * Returns the shape of the whole tree of a machine; undefined for an irregular graph. A machine without absent parts is
 * its own whole tree.
 */
export function wholeShape({ pgft, envelope }: Topology): PgftShape | undefined {
  return pgft ?? envelope?.shape
}

/** Returns the id in the whole tree of a switch of a machine: the switch's own id if no part is absent. */
export function switchInTree({ envelope }: Topology, level: number, sw: number): number {
  return envelope === undefined ? sw : envelope.switches[level][sw]
}

/**
 * Returns the up-port of a link at its lower switch in the whole tree. Modulo the number of parents, the port is the
 * number of the parent.
 *
 * @throws TypeError for an irregular graph, which has no whole tree
 */
export function portInTree(topology: Topology, level: number, link: number): number {
  const { w, p } = wholeShape(topology)!
  return (topology.envelope === undefined ? link : topology.envelope.links[level][link]) % (w[level + 1] * p[level + 1])
}

/** Ids in the whole tree of a machine's absent parts, without the parts that an absent switch implies. */
export interface AbsentIds {
  readonly nodes: Int32Array
  readonly switches: ReadonlyArray<Int32Array>
  readonly links: ReadonlyArray<Int32Array>
}

/** Returns the ids of the absent parts of a machine; undefined if no part is absent, and for an irregular graph. */
export function absentIds(topology: Topology): AbsentIds | undefined {
  const whole = topology.envelope && wholeTree(topology)
  if (whole === undefined) return undefined
  const { tree, absent } = whole
  return {
    nodes: idsWhere(tree.nodes, (node) => absent.nodes[node] === 1 && absent.switches[0][tree.leafOfNode[node]] === 0),
    switches: absent.switches.map((marks) => idsWhere(marks.length, (sw) => marks[sw] === 1)),
    links: tree.levels.slice(0, -1).map(({ firstPort, parentOfLink, switches }, level) => {
      const lower = new Uint8Array(parentOfLink.length)
      for (let sw = 0; sw < switches; sw++) lower.fill(absent.switches[level][sw], firstPort[sw], firstPort[sw + 1])
      return idsWhere(
        parentOfLink.length,
        (link) =>
          absent.links[level][link] === 1 && lower[link] === 0 && absent.switches[level + 1][parentOfLink[link]] === 0,
      )
    }),
  }
}

/** Returns the names of the absent cables between present switches, such as `leaf3 -> l2-1`, from the leaves up. */
export function missingCables(topology: Topology): ReadonlyArray<string> {
  const ids = absentIds(topology)
  if (ids === undefined) return []
  const { tree } = wholeTree(topology)!
  return ids.links.flatMap((links, level) => Array.from(links, (link) => linkName(tree, level, link)))
}

/**
 * Returns the regular tree of a shape without some parts.
 *
 * @throws TopologyError for a wrong shape, an id beyond the tree, or if no node or no switch of a level is left
 */
export function pgftWithout(shape: PgftShape, ids: AbsentIds, name: string): Topology {
  const tree = pgft(shape, name)
  const absent = marksOf(tree, 0)
  mark(absent.nodes, ids.nodes, 'node', name)
  ids.switches.forEach((list, level) => mark(absent.switches[level] ?? [], list, `${levelName(level)} switch`, name))
  ids.links.forEach((list, level) => mark(absent.links[level] ?? [], list, `link of level ${levelName(level)}`, name))
  return withoutParts(tree, absent)
}

function mark(marks: Uint8Array | [], ids: Int32Array, what: string, source: string): void {
  for (const id of ids) {
    if (id >= marks.length)
      throw new TopologyError(`the tree has no ${what} ${id}: it has ${marks.length} of them`, {
        source,
        field: 'absent',
      })
    marks[id] = 1
  }
}
