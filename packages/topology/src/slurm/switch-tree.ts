import { compareNaturally } from '../names.ts'
import { recognisePgft } from '../recognise-pgft.ts'
import { type FieldPlace, hostlist, type SwitchLine, switchLines } from './topology-conf.ts'
import { numberedGraph, type UnnumberedSwitch } from '../switch-graph.ts'
import { MAX_IDS, MAX_LEVELS, quote, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'

interface FileSwitch extends UnnumberedSwitch {
  readonly line: number | undefined
  /** Parents in the order of their lines in the file, one entry for each link. */
  parents: FileSwitch[]
  /** Level of the switch: 0 for a leaf; one above the highest child for every other switch. */
  level: number
}

/**
 * Reads a Slurm `topology.conf`. Returns a regular tree if the file describes a regular tree, else a switch graph. The
 * `irregularity` of the graph names a switch that prevents a regular tree. The function ignores `LinkSpeed`.
 *
 * - The level of a switch is one above its highest child. If a link skips levels (a leaf on the top switch), each
 *   skipped level gets an inserted switch with one child, named after the link's two ends. The inserted switches do not
 *   change the level of the lowest common switch of two nodes.
 * - Pods below a common switch are in the order of their first leaves in the file, leaves of a pod in file order.
 * - The nodes of a leaf get numbers in the natural order of their names, because files list nodes in any order and
 *   Slurm itself numbers nodes by `slurm.conf`. So the first free node of a leaf is the node that people expect.
 *
 * @param name name of the topology, and of the file in errors
 * @throws TopologyError with the line and the field of the fault, if the fault stands on a line
 */
export function parseSlurmTopology(text: string, name: string, links: LinkCounts = {}): Topology {
  return treeOfSwitches(switchLines(text, name), name, links)
}

/** Links that a file of switches does not have: numbers for each level below the top, from the leaves up. */
export interface LinkCounts {
  /**
   * Parents of a switch for each parent in the file, whose name stands for several parallel switches. Default: 1. With
   * 8 and 48, a leaf has links to 8 switches of its pod, and each of these switches has links to 48 other spines.
   */
  readonly parents?: ReadonlyArray<number> | undefined
  /** Parallel cables of each link. Default: 1. */
  readonly cables?: ReadonlyArray<number> | undefined
}

/** Builds the topology from switches of `switchLines`, by the rules and with the errors of `parseSlurmTopology`. */
export function treeOfSwitches(
  lines: ReadonlyArray<SwitchLine>,
  name: string,
  { parents, cables }: LinkCounts = {},
): Topology {
  if (lines.length === 0)
    throw new TopologyError('no switch found; expected lines such as SwitchName=s0 Nodes=cn[001-016]', { source: name })
  const switches = resolve(lines, name)
  assignLevels(switches, name)
  const single = fillSkippedLevels(switches, name)
  const levels = parents === undefined ? single : multiplyParents(single, parents, name)
  if (cables !== undefined) multiplyCables(levels, cables, name)
  return recognisePgft(numberedGraph(name, levels, true))
}

function resolve(lines: ReadonlyArray<SwitchLine>, source: string): FileSwitch[] {
  const byName = new Map<string, FileSwitch>()
  const lineOfNode = new Map<string, number | undefined>()
  for (const { line, name, nodes } of lines) {
    const before = byName.get(name)
    if (before !== undefined)
      throw new TopologyError(`switch ${quote(name)} is already ${on(before.line)}`, {
        source,
        line,
        field: 'SwitchName',
      })
    const names = nodes === undefined ? [] : nodesOf(nodes, lineOfNode, { source, line, field: 'Nodes' })
    byName.set(name, { name, line, nodes: names, parents: [], level: 0 })
  }
  let links = 0
  for (const { line, name, switches } of lines) {
    if (switches === undefined) continue
    const children = childrenOf(switches, byName, { source, line, field: 'Switches' })
    links += children.length
    if (links > MAX_IDS)
      throw new TopologyError(`too large: at most ${MAX_IDS} links are supported`, { source, line, field: 'Switches' })
    for (const child of children) child.parents.push(byName.get(name)!)
  }
  return [...byName.values()]
}

function nodesOf(text: string, lineOfNode: Map<string, number | undefined>, place: FieldPlace): string[] {
  const names = hostlist(text, MAX_IDS - lineOfNode.size, place)
  if (names.length === 0) throw new TopologyError('expected at least one node', place)
  for (const name of names) {
    const before = lineOfNode.get(name)
    if (lineOfNode.has(name))
      throw new TopologyError(`node ${quote(name)} is already ${on(before)}; a node hangs on one leaf`, place)
    lineOfNode.set(name, place.line)
  }
  return names.sort(compareNaturally)
}

function on(line: number | undefined): string {
  return line === undefined ? 'defined' : `on line ${line}`
}

function childrenOf(text: string, byName: ReadonlyMap<string, FileSwitch>, place: FieldPlace): FileSwitch[] {
  const children = new Set<FileSwitch>()
  for (const name of hostlist(text, MAX_IDS, place)) {
    const child = byName.get(name)
    if (child === undefined) throw new TopologyError(`no line defines switch ${quote(name)}`, place)
    if (children.has(child)) throw new TopologyError(`switch ${quote(name)} is listed twice`, place)
    children.add(child)
  }
  if (children.size === 0) throw new TopologyError('expected at least one switch', place)
  return [...children]
}

/** Throws a TopologyError if a switch is below itself, or if the file has more than 16 levels of switches. */
function assignLevels(switches: ReadonlyArray<FileSwitch>, source: string): void {
  const waitingFor = new Map<FileSwitch, number>()
  for (const { parents } of switches)
    for (const parent of parents) waitingFor.set(parent, (waitingFor.get(parent) ?? 0) + 1)
  const ready = switches.filter((each) => !waitingFor.has(each))
  for (const each of ready) {
    for (const parent of each.parents) {
      parent.level = Math.max(parent.level, each.level + 1)
      const rest = waitingFor.get(parent)! - 1
      waitingFor.set(parent, rest)
      if (rest === 0) ready.push(parent)
    }
  }
  if (ready.length < switches.length) {
    const { name, line } = onCircle(switches.filter((each) => waitingFor.get(each)! > 0))
    throw new TopologyError(`switch ${quote(name)} is below itself`, { source, line, field: 'Switches' })
  }
  const tooHigh = switches.find((each) => each.level >= MAX_LEVELS)
  if (tooHigh !== undefined)
    throw new TopologyError(`more than ${MAX_LEVELS} levels of switches`, {
      source,
      line: tooHigh.line,
      field: 'Switches',
    })
}

/** Returns a switch that is below itself. Each switch of `switches` must have a child among `switches`. */
function onCircle(switches: ReadonlyArray<FileSwitch>): FileSwitch {
  const someChild = new Map<FileSwitch, FileSwitch>()
  for (const each of switches) for (const parent of each.parents) someChild.set(parent, each)
  const seen = new Set<FileSwitch>()
  let at = switches[0]
  while (!seen.has(at)) {
    seen.add(at)
    at = someChild.get(at)!
  }
  return at
}

/**
 * Inserts a switch with a single child at each level that a link skips, because a link must lead one level up. Returns
 * the switches of each level: first the switches in the order of the file, then the inserted switches.
 */
function fillSkippedLevels(switches: ReadonlyArray<FileSwitch>, source: string): FileSwitch[][] {
  const names = new Set(switches.map((each) => each.name))
  const levels: FileSwitch[][] = []
  for (const each of switches) (levels[each.level] ??= []).push(each)
  const parentOneUp = (child: FileSwitch, parent: FileSwitch): FileSwitch => {
    const level = child.level + 1
    if (parent.level === level) return parent
    let name = `${child.name}-${parent.name}`
    while (names.has(name)) name += '-'
    names.add(name)
    if (names.size > MAX_IDS)
      throw new TopologyError(`too large: at most ${MAX_IDS} switches are supported`, { source })
    const between: FileSwitch = { name, line: parent.line, nodes: [], parents: [parent], level }
    levels[level].push(between)
    return between
  }
  for (const level of levels)
    for (const each of level) each.parents = each.parents.map((parent) => parentOneUp(each, parent))
  return levels
}

/**
 * Replaces each switch above the leaves by parallel switches. Copy `i` of a switch gets the copies `i·n` to
 * `(i + 1)·n - 1` of its parent, where `n` is the number of parents.
 */
function multiplyParents(
  levels: ReadonlyArray<ReadonlyArray<FileSwitch>>,
  counts: ReadonlyArray<number>,
  source: string,
): FileSwitch[][] {
  checkCounts(levels, counts, { source, field: 'parents' })
  const names = new Set(levels.flatMap((level) => level.map((each) => each.name)))
  let copies = new Map(levels[0].map((leaf) => [leaf, [leaf]]))
  let each = 1
  return [
    [...levels[0]],
    ...counts.map((count, level) => {
      const links = levels[level].reduce((sum, { parents }) => sum + parents.length, 0) * each * count
      each *= count
      if (Math.max(links, levels[level + 1].length * each) > MAX_IDS)
        throw new TopologyError(`too large: at most ${MAX_IDS} links are supported`, { source, field: 'parents' })
      const above = new Map(levels[level + 1].map((parent) => [parent, copiesOf(parent, each, names)]))
      for (const child of levels[level]) {
        const { parents } = child
        for (const [i, copy] of copies.get(child)!.entries())
          copy.parents = parents.flatMap((parent) => above.get(parent)!.slice(i * count, (i + 1) * count))
      }
      copies = above
      return [...above.values()].flat()
    }),
  ]
}

/** Returns copies of a switch with the names `P8-1`, `P8-2`, …; the switch's own name for a single copy. */
function copiesOf(original: FileSwitch, count: number, names: Set<string>): FileSwitch[] {
  return Array.from({ length: count }, (_, i) => {
    let name = count === 1 ? original.name : `${original.name}-${i + 1}`
    while (count > 1 && names.has(name)) name += '-'
    names.add(name)
    return { ...original, name }
  })
}

function checkCounts(
  levels: ReadonlyArray<unknown>,
  counts: ReadonlyArray<number>,
  place: { readonly source: string; readonly field: string },
): void {
  if (counts.length !== levels.length - 1)
    throw new TopologyError(
      `expected ${levels.length - 1} numbers, one a level below the top, found ${counts.length}`,
      place,
    )
}

function multiplyCables(
  levels: ReadonlyArray<ReadonlyArray<FileSwitch>>,
  cables: ReadonlyArray<number>,
  source: string,
) {
  checkCounts(levels, cables, { source, field: 'cables' })
  cables.forEach((count, level) => {
    const links = levels[level].reduce((sum, { parents }) => sum + parents.length, 0)
    if (links * count > MAX_IDS)
      throw new TopologyError(`too large: at most ${MAX_IDS} links are supported`, { source, field: 'cables' })
    for (const each of levels[level])
      each.parents = each.parents.flatMap((parent) => Array.from({ length: count }, () => parent))
  })
}
