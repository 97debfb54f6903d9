import { fieldsOf, type Fields, jsonOf, listOf, textOf } from '../read-values.ts'
import type { LinkCounts } from '../slurm/switch-tree.ts'
import type { FieldPlace } from '../slurm/topology-conf.ts'
import { show, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'
import { type HostPath, some, treeOfHosts } from './host-tree.ts'

/** Names of the fields of an instance. */
interface InstanceFields {
  readonly list: string
  readonly id: string
  /** Field with the list of the switches above the instance. */
  readonly switches: string
  readonly isLeafFirst: boolean
  readonly block: (instance: Fields, place: (field: string) => FieldPlace) => string | undefined
}

/** `aws ec2 describe-instance-topology` (API reference of EC2, InstanceTopology): network nodes from the top down. */
const AWS: InstanceFields = {
  list: 'Instances',
  id: 'InstanceId',
  switches: 'NetworkNodes',
  isLeafFirst: false,
  block: (instance, place) => textOf(instance['CapacityBlockId'], place('CapacityBlockId')),
}

/** JSON of topograph's engine `graph` (docs/engines/graph.md): network layers from the leaf up. */
const TOPOGRAPH: InstanceFields = {
  list: 'instances',
  id: 'id',
  switches: 'network_layers',
  isLeafFirst: true,
  block: ({ attributes }, place) =>
    attributes == null
      ? undefined
      : textOf(fieldsOf(attributes, place('attributes'))['nvlink'], place('attributes.nvlink')),
}

/**
 * Reads the instances of AWS's `DescribeInstanceTopology` in JSON, as the command line of AWS prints them. The network
 * nodes become switches, and the capacity blocks of UltraServers become blocks. Instances without network nodes, which
 * are not running or have another type, are left out, and the topology's `remarks` names the first five of them.
 *
 * @param name name of the topology, and of the file in errors
 * @throws TopologyError with the path of the fault in the JSON document
 */
export function parseInstanceTopology(text: string, name: string, links: LinkCounts = {}): Topology {
  const value = jsonOf(text, name)
  const { NextToken: next } = fieldsOf(value, { source: name, line: undefined, field: 'the document' })
  const page = next == null || next === '' ? [] : ['the file has a NextToken: further instances are in other pages']
  return topologyOfInstances(value, name, AWS, links, page)
}

/** Builds the topology of the JSON of topograph's engine `graph`. @throws TopologyError with the path of the fault */
export function topologyOfGraph(value: unknown, name: string, links: LinkCounts = {}): Topology {
  return topologyOfInstances(value, name, TOPOGRAPH, links, [])
}

function topologyOfInstances(
  value: unknown,
  source: string,
  fields: InstanceFields,
  { cables, parents }: LinkCounts,
  pages: ReadonlyArray<string>,
): Topology {
  const at = (field: string): FieldPlace => ({ source, line: undefined, field })
  const list = listOf(fieldsOf(value, at('the document'))[fields.list], at(fields.list))
  const hosts = list.map((each, number) => hostOf(each, `${fields.list}[${number}]`, fields, at))
  const placed = hosts.filter(({ switches }) => switches.length > 0)
  if (placed.length === 0) throw new TopologyError(`no instance has ${fields.switches}`, { source, field: fields.list })
  const leftOut = hosts.filter(({ switches }) => switches.length === 0).map(({ name }) => name)
  const remarks = leftOut.length === 0 ? [] : [`left out without ${fields.switches}: ${some(leftOut)}`]
  return treeOfHosts(placed, source, { areIds: true, cables, parents, remarks: [...pages, ...remarks] })
}

function hostOf(value: unknown, path: string, fields: InstanceFields, at: (field: string) => FieldPlace): HostPath {
  const place = (field: string): FieldPlace => at(`${path}.${field}`)
  const instance = fieldsOf(value, at(path))
  const name = textOf(instance[fields.id], place(fields.id))
  if (name === undefined) throw new TopologyError('missing; every instance has an id', place(fields.id))
  const names = instance[fields.switches] ?? []
  if (!Array.isArray(names)) throw new TopologyError(`expected a list, found ${show(names)}`, place(fields.switches))
  const switches = (names as ReadonlyArray<unknown>).map((each, number) => {
    const own = place(`${fields.switches}[${number}]`)
    const found = textOf(each, own)
    if (found === undefined) throw new TopologyError(`expected text, found ${show(each)}`, own)
    return { name: found, place: own }
  })
  return {
    name,
    place: place(fields.id),
    switches: fields.isLeafFirst ? switches.reverse() : switches,
    block: fields.block(instance, place) || undefined,
  }
}
