import { absentIds, type PartMarks, wholeTree, withoutParts } from './absent-parts.ts'
import { keepBlocks } from './blocks.ts'
import { formatIdset, IdsetError, parseIdsetLenient } from './idsets.ts'
import { HostlistError, nodeName, parseHostlist, switchName } from './names.ts'
import { quote, TopologyError } from './topology-error.ts'
import type { Topology } from './topology.ts'
import { levelName } from './wiring.ts'

/** Form of absent parts in a spec, for help texts and errors. */
export const ABSENT_FORM = 'nodes 3,17-19; leaf 4; leaf 5 ports 2; L2 7 ports 0,3; spine 1'

/**
 * Returns the absent parts of a machine as text, such as `nodes 3,17-19; leaf 4; leaf 5 ports 2`; empty if no part is
 * absent. The numbers are ids in the whole tree. `ports` are the up-ports of switches whose cables are absent. Parts
 * that an absent switch implies are not named.
 */
export function formatAbsent(topology: Topology): string {
  const ids = absentIds(topology)
  if (ids === undefined) return ''
  const { tree } = wholeTree(topology)!
  const nodes = ids.nodes.length === 0 ? [] : [`${ids.nodes.length === 1 ? 'node' : 'nodes'} ${formatIdset(ids.nodes)}`]
  const upper = ids.switches.flatMap((switches, level) => {
    const name = levelName(level)
    const ports = Map.groupBy(ids.links[level] ?? [], (link) => Math.floor(link / tree.levels[level].firstPort[1]))
    const portsOf = (links: ReadonlyArray<number>): string =>
      formatIdset(links.map((link) => link % tree.levels[level].firstPort[1]))
    const alike = Map.groupBy(ports, ([, links]) => portsOf(links))
    return [
      ...(switches.length === 0 ? [] : [`${name} ${formatIdset(switches)}`]),
      ...[...alike].map(([text, each]) => `${name} ${formatIdset(each.map(([sw]) => sw))} ports ${text}`),
    ]
  })
  return [...nodes, ...upper].join('; ')
}

/**
 * Returns a machine without the parts in a text like that of `formatAbsent`: parts with `;` or on lines of their own,
 * comments from `#` on. `leaves`, `spines` and `port` are allowed too, and names of nodes and switches as hostlists
 * instead of ids.
 *
 * @throws TopologyError for a wrong part, an irregular graph, or if no node or no switch of a level is left
 */
export function parseAbsent(text: string, machine: Topology, source: string): Topology {
  const whole = wholeTree(machine)
  if (whole === undefined)
    throw new TopologyError(`no regular tree contains ${machine.name}, so no part of a tree can be absent`, { source })
  const parts = text.split(/[;\n]/).map((part) => part.replace(/#.*$/, '').trim())
  const named = parts.filter((part) => part !== '')
  if (named.length === 0) throw new TopologyError(`expected absent parts, such as ${ABSENT_FORM}`, { source })
  for (const part of named) markPart(part, whole.tree, whole.absent, source)
  const { remarks } = machine
  return keepBlocks(machine, { ...withoutParts(whole.tree, whole.absent), ...(remarks && { remarks }) })
}

function markPart(part: string, tree: Topology, absent: PartMarks, source: string): void {
  const place = { source, field: `without ${quote(part)}` }
  const [, kind, ids, ports] = /^(\S+)\s+(\S+)(?:\s+ports?\s+(\S+))?$/i.exec(part) ?? []
  const allowed = `expected parts such as ${ABSENT_FORM}`
  if (kind === undefined) throw new TopologyError(allowed, place)
  if (/^nodes?$/i.test(kind)) {
    if (ports !== undefined) throw new TopologyError(`a node has no ports; ${allowed}`, place)
    for (const node of idsOf(ids, 'node', tree.nodes, (id) => nodeName(tree, id), place)) absent.nodes[node] = 1
    return
  }
  const singular = kind
    .toLowerCase()
    .replace(/^leaves$/, 'leaf')
    .replace(/^spines$/, 'spine')
  const level = tree.levels.findIndex((_, at) => levelName(at).toLowerCase() === singular)
  if (level < 0) {
    const known = ['nodes', ...tree.levels.map((_, at) => levelName(at))].join(', ')
    throw new TopologyError(`found ${quote(kind)}, but the tree has ${known}; ${allowed}`, place)
  }
  const { switches, firstPort } = tree.levels[level]
  const name = levelName(level)
  for (const sw of idsOf(ids, name, switches, (id) => switchName(tree, level, id), place)) {
    if (ports === undefined) absent.switches[level][sw] = 1
    else
      for (const port of idsOf(ports, 'up-port', firstPort[1], undefined, place))
        absent.links[level][firstPort[sw] + port] = 1
  }
}

/** Reads an idset of a person, or a hostlist of names. `nameOf` is undefined for parts without names. */
function idsOf(
  text: string,
  what: string,
  count: number,
  nameOf: ((id: number) => string) | undefined,
  place: { readonly source: string; readonly field: string },
): Iterable<number> {
  const allowed = count === 0 ? `there is no ${what} here` : `expected ${what} ids from 0 to ${count - 1}`
  try {
    if (nameOf === undefined || /^[[\d]/.test(text)) {
      const ids = parseIdsetLenient(text)
      if (ids.length === 0 || ids.at(-1)! >= count) throw new TopologyError(`${allowed}, found ${quote(text)}`, place)
      return ids
    }
    const byName = new Map(Array.from({ length: count }, (_, id) => [nameOf(id), id]))
    return parseHostlist(text).map((each) => {
      const id = byName.get(each)
      if (id === undefined) throw new TopologyError(`no ${what} is called ${quote(each)}; ${allowed}`, place)
      return id
    })
  } catch (error) {
    if (!(error instanceof IdsetError || error instanceof HostlistError)) throw error
    throw new TopologyError(`${allowed} or names, found ${quote(text)}: ${error.message}`, place)
  }
}
