import { fieldsOf, type Fields, listOf, textOf } from '../read-values.ts'
import type { LinkCounts } from '../slurm/switch-tree.ts'
import { type FieldPlace, hostlist } from '../slurm/topology-conf.ts'
import type { ParsedYaml } from '../slurm/topology-yaml.ts'
import { MAX_IDS, MAX_LEVELS, quote, show, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'
import { type HostPath, some, treeOfHosts } from './host-tree.ts'

const DOMAIN = 'accelerator.topology.test/domain'
const SUB_DOMAIN = 'accelerator.topology.test/sub-domain'

/** Function that returns the place of a field in errors: the file, the field and the line. */
type PlaceOf = (field: string) => FieldPlace

/** Switches above each switch of a model, and all switches that the model names. */
interface Tree {
  readonly parentOf: ReadonlyMap<string, string>
  readonly named: ReadonlySet<string>
}

/**
 * Builds the topology of a model of NVIDIA's topograph (tests/models): the map `switches` has the switches below each
 * switch, the list `blocks` the nodes of each leaf. The accelerator domains in the annotations of `blocks` become
 * blocks of the machine; with sub-domains, each sub-domain is a block. Switches without a node below are left out, and
 * the topology's `remarks` names the first five of them.
 *
 * @param name name of the topology, and of the file in errors
 * @throws TopologyError with the faulty field, and with the line if `lineOf` returns a line
 */
export function topologyOfModel(
  { value, lineOf }: ParsedYaml,
  name: string,
  { cables, parents }: LinkCounts = {},
): Topology {
  const at: PlaceOf = (field) => ({ source: name, field, line: lineOf?.(field) })
  const model = knownFields(value, ['switches', 'blocks'], '', at)
  const tree = treeOf(model['switches'], at)
  const blocks = listOf(model['blocks'], at('blocks'))
  const hosts: HostPath[] = []
  for (const [number, each] of blocks.entries()) addHosts(each, `blocks[${number}]`, tree, at, hosts)
  if (hosts.length === 0) throw new TopologyError('no block has nodes', at('blocks'))
  const used = new Set(hosts.flatMap(({ switches }) => switches.map((each) => each.name)))
  const empty = [...tree.named].filter((each) => !used.has(each))
  const remarks = empty.length === 0 ? [] : [`left out without nodes: ${some(empty)}`]
  return treeOfHosts(hosts, name, { areIds: true, cables, parents, remarks })
}

function treeOf(switches: unknown, at: PlaceOf): Tree {
  const parentOf = new Map<string, string>()
  const named = new Set<string>()
  const entries = switches === undefined ? [] : Object.entries(fieldsOf(switches, at('switches')))
  for (const [parent, entry] of entries) {
    const path = `switches.${parent}`
    named.add(parent)
    const { switches: below } = knownFields(entry ?? {}, ['labels', 'annotations', 'switches'], path, at)
    if (below === undefined) continue
    for (const [number, each] of listOf(below, at(`${path}.switches`)).entries()) {
      const place = at(`${path}.switches[${number}]`)
      const child = nameOf(each, place)
      const before = parentOf.get(child)
      if (before !== undefined)
        throw new TopologyError(
          `switch ${quote(child)} is below ${quote(parent)} and below ${quote(before)}; a switch has one parent`,
          place,
        )
      parentOf.set(child, parent)
      named.add(child)
    }
  }
  return { parentOf, named }
}

function addHosts(value: unknown, path: string, { parentOf, named }: Tree, at: PlaceOf, hosts: HostPath[]): void {
  const block = knownFields(value, ['switch', 'nodes', 'labels', 'annotations'], path, at)
  const place = at(`${path}.switch`)
  const leaf = nameOf(block['switch'], place)
  if (named.size > 0 && !named.has(leaf)) throw new TopologyError(`no entry of switches names ${quote(leaf)}`, place)
  const chain = [leaf]
  for (let above = parentOf.get(leaf); above !== undefined; above = parentOf.get(above)) {
    if (chain.includes(above))
      throw new TopologyError(`switch ${quote(above)} is below itself`, at(`switches.${above}`))
    chain.push(above)
    if (chain.length > MAX_LEVELS) throw new TopologyError(`more than ${MAX_LEVELS} levels of switches`, place)
  }
  const switches = chain.reverse().map((each) => ({ name: each, place }))
  const domain = domainOf(block['annotations'], `${path}.annotations`, at)
  const lists = block['nodes'] == null ? [] : block['nodes']
  if (!Array.isArray(lists)) throw new TopologyError(`expected a list, found ${show(lists)}`, at(`${path}.nodes`))
  for (const [number, list] of (lists as ReadonlyArray<unknown>).entries()) {
    const own = at(`${path}.nodes[${number}]`)
    const text = textOf(list, own)
    if (text === undefined) throw new TopologyError(`expected a hostlist, found ${show(list)}`, own)
    for (const host of hostlist(text, MAX_IDS - hosts.length, own))
      hosts.push({ name: host, place: own, switches, block: domain })
  }
}

function domainOf(value: unknown, path: string, at: PlaceOf): string | undefined {
  const annotations = value == null ? {} : fieldsOf(value, at(path))
  const [domain, sub] = [DOMAIN, SUB_DOMAIN].map((key) => textOf(annotations[key], at(path)))
  return sub === undefined ? domain : [...(domain === undefined ? [] : [domain]), sub].join('/')
}

function nameOf(value: unknown, place: FieldPlace): string {
  const text = textOf(value, place)
  if (text === undefined) throw new TopologyError(`expected the name of a switch, found ${show(value)}`, place)
  return text
}

/** Returns the fields of an object. @throws TopologyError if the object has a field that is not in `names` */
function knownFields(value: unknown, names: ReadonlyArray<string>, path: string, at: PlaceOf): Fields {
  const place = at(path === '' ? 'the document' : path)
  const fields = fieldsOf(value, place)
  const unknown = Object.keys(fields).find((each) => !names.includes(each))
  if (unknown === undefined) return fields
  throw new TopologyError(
    `unknown field; expected ${names.join(', ')}`,
    at(path === '' ? unknown : `${path}.${unknown}`),
  )
}
