import { type LinkCounts, treeOfSwitches } from './switch-tree.ts'
import {
  type FieldPlace,
  formatTopologyConf,
  hostlist,
  switchesOfBlocks,
  type SwitchLine,
  switchLines,
} from './topology-conf.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../read-values.ts'
import { quote, show, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'

/** YAML document after parsing. */
export interface ParsedYaml {
  readonly value: unknown
  /** Returns the line, from 1, of a part of the value, such as `[0].tree.switches[2]`; undefined if not known. */
  readonly lineOf?: (path: string) => number | undefined
}

/** Function that returns the place of a field in errors: the file, the field and the line. */
type PlaceOf = (field: string) => FieldPlace

/** Returns true if a text begins, after comments and empty lines, with `---` or `- `, as a `topology.yaml` does. */
export function isTopologyYaml(text: string): boolean {
  return /^(?:\uFEFF)?(?:\s*(?:#[^\n]*)?\n)*(?:---|-\s)/.test(text)
}

/**
 * Builds the topology of a `topology.yaml` (Slurm 25.05 and later) from the member `tree`, or from the member `block`
 * by `switchesOfBlocks`. The option `topology` chooses one of several topologies by name. Default: the first topology
 * with `cluster_default: true`, or the first topology of the file if no topology has it.
 *
 * @param name name of the topology, and of the file in errors
 * @throws TopologyError with the faulty field, if known, and with the line if the option `lineOf` returns a line
 */
export function topologyOfYaml(
  value: unknown,
  name: string,
  {
    topology,
    lineOf,
    ...links
  }: LinkCounts & { readonly topology?: string | undefined; readonly lineOf?: ParsedYaml['lineOf'] } = {},
): Topology {
  const at: PlaceOf = (field) => ({ source: name, field, line: lineOf?.(field) })
  if (!Array.isArray(value) || value.length === 0)
    throw new TopologyError('expected a list of topologies, each beginning with "- topology: NAME"', { source: name })
  const all = (value as ReadonlyArray<unknown>).map((each, number) => fieldsOf(each, at(`[${number}]`)))
  const chosen = choose(all, topology, name)
  const place = (field: string): string => `[${all.indexOf(chosen)}].${field}`
  for (const kind of ['ring', 'torus3d', 'flat'])
    if (chosen[kind] !== undefined && chosen[kind] !== false)
      throw new TopologyError(
        kind === 'flat' ? 'has no switches; expected tree or block' : 'is no tree; expected tree or block',
        at(place(kind)),
      )
  if (chosen['tree'] !== undefined) {
    const { lines, remarks } = switchesOf(fieldsOf(chosen['tree'], at(place('tree'))), at, place('tree.switches'))
    const built = treeOfSwitches(lines, name, links)
    return remarks.length === 0 ? built : { ...built, remarks }
  }
  if (chosen['block'] === undefined)
    throw new TopologyError('has neither tree nor block', at(`[${all.indexOf(chosen)}]`))
  const block = place('block')
  return treeOfSwitches(blocksOf(fieldsOf(chosen['block'], at(block)), at, block), name, links)
}

function choose(all: ReadonlyArray<Fields>, wanted: string | undefined, source: string): Fields {
  if (wanted === undefined) return all.find((each) => each['cluster_default'] === true) ?? all[0]
  const found = all.find((each) => each['topology'] === wanted)
  if (found !== undefined) return found
  const known = all.map((each) => show(each['topology'])).join(', ')
  throw new TopologyError(`no topology is called ${quote(wanted)}; there are ${known}`, { source })
}

function switchesOf(
  tree: Fields,
  at: PlaceOf,
  place: string,
): { readonly lines: SwitchLine[]; readonly remarks: string[] } {
  const remarks: string[] = []
  const lines = listOf(tree['switches'], at(place)).map((each, number): SwitchLine => {
    const field = `${place}[${number}]`
    const fields = fieldsOf(each, at(field))
    const name = oneName(fields['switch'], at(`${field}.switch`))
    const nodes = textOf(fields['nodes'], at(`${field}.nodes`))
    const children = textOf(fields['children'], at(`${field}.children`))
    if (nodes === undefined && children === undefined)
      throw new TopologyError(`switch ${quote(name)} has neither nodes nor children`, at(field))
    if (nodes !== undefined && children !== undefined)
      remarks.push(`switch ${name} has nodes and children; the children are left out, as Slurm does`)
    return { line: at(field).line, name, nodes, switches: nodes === undefined ? children : undefined }
  })
  return { lines, remarks }
}

function blocksOf(block: Fields, at: PlaceOf, place: string): SwitchLine[] {
  const blocks = listOf(block['blocks'], at(`${place}.blocks`)).map((each, number): SwitchLine => {
    const field = `${place}.blocks[${number}]`
    const fields = fieldsOf(each, at(field))
    const nodes = textOf(fields['nodes'], at(`${field}.nodes`))
    if (nodes === undefined) throw new TopologyError('expected a hostlist', at(`${field}.nodes`))
    const name = oneName(fields['block'], at(`${field}.block`))
    return { line: at(field).line, name, nodes, switches: undefined }
  })
  const ofSizes = at(`${place}.block_sizes`)
  const sizes = block['block_sizes'] === undefined ? [] : listOf(block['block_sizes'], ofSizes)
  for (const size of sizes)
    if (!Number.isSafeInteger(size) || (size as number) < 1)
      throw new TopologyError(`expected a positive integer, found ${show(size)}`, ofSizes)
  return switchesOfBlocks(blocks, sizes as ReadonlyArray<number>, ofSizes)
}

function oneName(value: unknown, place: FieldPlace): string {
  const text = textOf(value, place)
  const [only, ...more] = text === undefined ? [] : hostlist(text, 2, place)
  if (only === undefined || more.length > 0) throw new TopologyError(`expected one name, found ${show(value)}`, place)
  return only
}

/**
 * Returns a Slurm `topology.yaml` with one topology, `default`, which has the switches of `formatTopologyConf`.
 *
 * @throws HostlistError if a name fits in no hostlist
 */
export function formatTopologyYaml(topology: Topology): string {
  const switches = switchLines(formatTopologyConf(topology), topology.name).map(
    ({ name, nodes, switches: children }) => {
      const below = nodes === undefined ? `children: ${quoted(children!)}` : `nodes: ${quoted(nodes)}`
      return `      - switch: ${quoted(name)}\n        ${below}\n`
    },
  )
  return `- topology: default\n  cluster_default: true\n  tree:\n    switches:\n${switches.join('')}`
}

/** Quotes make YAML read a name of digits as text. Names have no quotes and backslashes, so nothing needs an escape. */
function quoted(text: string): string {
  return `"${text}"`
}
