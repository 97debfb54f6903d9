import { quote, show, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'
import { type Block, switchesOfBlocks } from './blocks.ts'
import { hostlist } from './slurm-lines.ts'
import type { SwitchLine } from './switch-line.ts'
import { treeOfSwitches } from './slurm-topology.ts'

type Fields = Readonly<Record<string, unknown>>

/** Whether the text of a file is Slurm's `topology.yaml`, a sequence, and not its `topology.conf`. */
export function isTopologyYaml(text: string): boolean {
  return /^(?:\uFEFF)?(?:\s*(?:#[^\n]*)?\n)*(?:---|-\s)/.test(text)
}

/**
 * Builds the topology of a `topology.yaml` (Slurm 25.05 and later): its trees, and its blocks as `switchesOfBlocks` has them. Of several
 * topologies it takes the one that is asked for, else the cluster's default, else the first.
 *
 * @param value of the YAML
 * @param name what the topology is called, and what errors call the file
 * @throws TopologyError with the field
 */
export function topologyOfYaml(
  value: unknown,
  name: string,
  {
    topology,
    cables,
  }: { readonly topology?: string | undefined; readonly cables?: ReadonlyArray<number> | undefined } = {},
): Topology {
  if (!Array.isArray(value) || value.length === 0)
    throw new TopologyError('expected a list of topologies, each beginning with "- topology: NAME"', { source: name })
  const all = (value as ReadonlyArray<unknown>).map((each, at) => fieldsOf(each, name, `[${at}]`))
  const chosen = choose(all, topology, name)
  const place = (field: string): string => `[${all.indexOf(chosen)}].${field}`
  for (const kind of ['ring', 'torus3d', 'flat'])
    if (chosen[kind] !== undefined && chosen[kind] !== false)
      throw new TopologyError(
        kind === 'flat' ? 'knows of no switches; expected tree or block' : 'is no tree; expected tree or block',
        { source: name, field: place(kind) },
      )
  if (chosen['tree'] !== undefined) {
    const { lines, remarks } = switchesOf(fieldsOf(chosen['tree'], name, place('tree')), name, place('tree.switches'))
    const built = treeOfSwitches(lines, name, cables)
    return remarks.length === 0 ? built : { ...built, remarks }
  }
  if (chosen['block'] === undefined)
    throw new TopologyError('has neither tree nor block', { source: name, field: `[${all.indexOf(chosen)}]` })
  return treeOfSwitches(blocksOf(fieldsOf(chosen['block'], name, place('block')), name, place('block')), name, cables)
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
  source: string,
  place: string,
): { readonly lines: SwitchLine[]; readonly remarks: string[] } {
  const remarks: string[] = []
  const lines = listOf(tree['switches'], source, place).map((each, at): SwitchLine => {
    const field = `${place}[${at}]`
    const fields = fieldsOf(each, source, field)
    const name = oneName(fields['switch'], source, `${field}.switch`)
    const nodes = textOf(fields['nodes'], source, `${field}.nodes`)
    const children = textOf(fields['children'], source, `${field}.children`)
    if (nodes === undefined && children === undefined)
      throw new TopologyError(`switch ${quote(name)} has neither nodes nor children`, { source, field })
    if (nodes !== undefined && children !== undefined)
      remarks.push(`switch ${name} has nodes and children; as in Slurm, its children are left out`)
    return { line: undefined, name, nodes, switches: nodes === undefined ? children : undefined }
  })
  return { lines, remarks }
}

function blocksOf(block: Fields, source: string, place: string): SwitchLine[] {
  const blocks = listOf(block['blocks'], source, `${place}.blocks`).map((each, at): Block => {
    const field = `${place}.blocks[${at}]`
    const fields = fieldsOf(each, source, field)
    const nodes = textOf(fields['nodes'], source, `${field}.nodes`)
    if (nodes === undefined) throw new TopologyError('expected a hostlist', { source, field: `${field}.nodes` })
    return { line: undefined, name: oneName(fields['block'], source, `${field}.block`), nodes }
  })
  const sizes = block['block_sizes'] === undefined ? [] : listOf(block['block_sizes'], source, `${place}.block_sizes`)
  for (const size of sizes)
    if (!Number.isSafeInteger(size) || (size as number) < 1)
      throw new TopologyError(`expected a positive integer, found ${show(size)}`, {
        source,
        field: `${place}.block_sizes`,
      })
  return switchesOfBlocks(blocks, sizes as ReadonlyArray<number>, source)
}

function oneName(value: unknown, source: string, field: string): string {
  const text = textOf(value, source, field)
  const [only, ...more] = text === undefined ? [] : hostlist(text, 2, { source, line: undefined, field })
  if (only === undefined || more.length > 0)
    throw new TopologyError(`expected one name, found ${show(value)}`, { source, field })
  return only
}

function listOf(value: unknown, source: string, field: string): ReadonlyArray<unknown> {
  if (Array.isArray(value) && value.length > 0) return value
  throw new TopologyError(`expected a list, found ${show(value)}`, { source, field })
}

function fieldsOf(value: unknown, source: string, field: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new TopologyError(`expected fields, found ${show(value)}`, { source, field })
}

/** Names of digits alone are numbers in YAML. */
function textOf(value: unknown, source: string, field: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  throw new TopologyError(`expected text, found ${show(value)}`, { source, field })
}
