import { fieldsOf, type Fields, jsonOf, listOf, textOf } from '../read-values.ts'
import type { LinkCounts } from '../slurm/switch-tree.ts'
import type { FieldPlace } from '../slurm/topology-conf.ts'
import { quote, show, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'
import { some, treeOfHosts } from './host-tree.ts'

/** Labels of Kubernetes nodes that describe the switches above a node. */
export interface NodeLabels extends LinkCounts {
  /**
   * Labels of the switches above a node, from the coarsest level to the leaf. Default: `topology.kubernetes.io/region`
   * and `/zone`, then `network.topology.nvidia.com/core`, `/spine` and `/leaf`, each if some node has the label. The
   * default has no level of a single switch above a level of a single switch. If the file has a Topology of Kueue, its
   * levels are the default.
   */
  readonly levels?: ReadonlyArray<string> | undefined
  /**
   * Label of the NVLink domain, which becomes a block. Default: `network.topology.nvidia.com/accelerator`, or else
   * `nvidia.com/gpu.clique`.
   */
  readonly block?: string | undefined
}

/** Labels of Kubernetes (kubernetes.io, "Well-Known Labels") and of topograph (docs/reference/node-labels.md). */
const LEVELS = [
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'network.topology.nvidia.com/core',
  'network.topology.nvidia.com/spine',
  'network.topology.nvidia.com/leaf',
]
const BLOCKS = ['network.topology.nvidia.com/accelerator', 'nvidia.com/gpu.clique']

interface LabelledNode {
  readonly name: string
  readonly labels: Fields
  readonly place: (field: string) => FieldPlace
}

/**
 * Reads the nodes of a Kubernetes cluster as `kubectl get nodes -o json` prints them, with a level of switches for each
 * label of `options.levels`. As in Kueue, equal values below different values are different switches. Nodes that are
 * not ready or not schedulable are nodes of the machine. Nodes without the label of the leaves are left out, and the
 * topology's `remarks` names the first five of them.
 *
 * @param name name of the topology, and of the file in errors
 * @throws TopologyError with the path of the fault in the JSON document
 */
export function parseNodeLabels(text: string, name: string, options: NodeLabels = {}): Topology {
  const document = jsonOf(text, name)
  const nodes = labelledNodes(document, name)
  const has = (label: string): boolean => nodes.some((node) => labelOf(node, label) !== undefined)
  const missing = [...(options.levels ?? []), ...(options.block === undefined ? [] : [options.block])].find(
    (label) => !has(label),
  )
  if (missing !== undefined) throw new TopologyError(`no node has the label ${quote(missing)}`, { source: name })
  const ofKueue = options.levels === undefined ? levelsOfTopology(document, name) : undefined
  const levels = options.levels ?? ofKueue ?? LEVELS.filter(has)
  const leaf = levels.at(-1)
  if (leaf === undefined)
    throw new TopologyError(
      `no node has a label of ${LEVELS.join(', ')}; choose the labels by levels=LABEL,LABEL, the leaves last`,
      { source: name },
    )
  const block = options.block ?? BLOCKS.find(has)
  const placed = nodes.filter((node) => labelOf(node, leaf) !== undefined)
  const leftOut = nodes.filter((node) => labelOf(node, leaf) === undefined).map((node) => node.name)
  const hosts = placed.map((node) => ({
    name: node.name,
    place: node.place('metadata.name'),
    switches: levels.map((label) => ({ name: valueOf(node, label, leaf), place: node.place(pathOf(label)) })),
    block: block === undefined ? undefined : labelOf(node, block),
  }))
  const first =
    options.levels === undefined && ofKueue === undefined ? firstLevel(hosts.map(({ switches }) => switches)) : 0
  return treeOfHosts(
    hosts.map((host) => ({ ...host, switches: host.switches.slice(first) })),
    name,
    {
      areIds: false,
      cables: options.cables,
      parents: options.parents,
      remarks: leftOut.length === 0 ? [] : [`left out without the label ${leaf}: ${some(leftOut)}`],
    },
  )
}

function labelledNodes(value: unknown, source: string): LabelledNode[] {
  const at = (field: string): FieldPlace => ({ source, line: undefined, field })
  const top = fieldsOf(value, at('the document'))
  const kind = top['kind']
  if (kind === 'Node') return [labelledNode(top, at)]
  if (kind !== 'List' && kind !== 'NodeList')
    throw new TopologyError(`expected a List of nodes or a Node, found ${show(kind)}`, at('kind'))
  return listOf(top['items'], at('items')).flatMap((item, number) => {
    const place = (field: string): FieldPlace => at(`items[${number}].${field}`)
    const node = fieldsOf(item, at(`items[${number}]`))
    if (node['kind'] === TOPOLOGY) return []
    if (node['kind'] !== 'Node') throw new TopologyError(`expected Node, found ${show(node['kind'])}`, place('kind'))
    return [labelledNode(node, place)]
  })
}

/** Object of Kueue with the labels of the levels, from the coarsest on (API reference of Kueue, TopologySpec). */
const TOPOLOGY = 'Topology'
/** Level of Kueue for the nodes themselves. */
const HOSTNAME = 'kubernetes.io/hostname'

/** Returns the labels of the levels above the nodes of the only Topology in a List; undefined without a Topology. */
function levelsOfTopology(document: unknown, source: string): ReadonlyArray<string> | undefined {
  const at = (field: string): FieldPlace => ({ source, line: undefined, field })
  const { items } = document as Fields
  const found = (Array.isArray(items) ? (items as Fields[]) : []).flatMap((item, number) =>
    item['kind'] === TOPOLOGY ? [{ item, path: `items[${number}].spec.levels` }] : [],
  )
  if (found.length === 0) return undefined
  const [{ item, path }, second] = found
  if (second !== undefined)
    throw new TopologyError('is of a second Topology; choose the labels of one by levels=LABEL,LABEL', at(second.path))
  const labels = listOf(fieldsOf(item['spec'], at(path))['levels'], at(path)).map((level, number) => {
    const place = at(`${path}[${number}].nodeLabel`)
    const label = textOf(fieldsOf(level, place)['nodeLabel'], place)
    if (label === undefined) throw new TopologyError('missing; every level has a label', place)
    return label
  })
  const levels = labels.filter((label) => label !== HOSTNAME)
  if (levels.length === 0) throw new TopologyError('has no level above the nodes', at(path))
  return levels
}

function labelledNode(node: Fields, place: (field: string) => FieldPlace): LabelledNode {
  const { name, labels } = fieldsOf(node['metadata'], place('metadata'))
  const found = textOf(name, place('metadata.name'))
  if (found === undefined) throw new TopologyError('missing; every node has a name', place('metadata.name'))
  return { name: found, labels: labels == null ? {} : fieldsOf(labels, place('metadata.labels')), place }
}

/** Returns the value of a label; undefined for a missing or empty value. */
function labelOf({ labels, place }: LabelledNode, label: string): string | undefined {
  return textOf(labels[label], place(pathOf(label))) || undefined
}

function valueOf(node: LabelledNode, label: string, leaf: string): string {
  const value = labelOf(node, label)
  if (value !== undefined) return value
  throw new TopologyError(
    `missing, although node ${quote(node.name)} has the label ${leaf}; choose other labels by levels=LABEL,LABEL`,
    node.place(pathOf(label)),
  )
}

function pathOf(label: string): string {
  return `metadata.labels[${JSON.stringify(label)}]`
}

/** Returns the first level below all levels at the top that are a single switch above a single switch. */
function firstLevel(paths: ReadonlyArray<ReadonlyArray<{ readonly name: string }>>): number {
  const isOne = (level: number): boolean => new Set(paths.map((path) => path[level].name)).size === 1
  let first = 0
  while (first + 1 < paths[0].length && isOne(first) && isOne(first + 1)) first++
  return first
}
