import { nodeName, switchName, type Topology } from '@cloister/topology'
import { ExportError } from './export-error.ts'

/** Lowest multicast address of InfiniBand. All LIDs of nodes and switches are lower. */
const FIRST_MULTICAST_LID = 0xc000
/** Partition key of the default partition, the highest partition key. */
const DEFAULT_PKEY = 0x7fff
const FIRST_PKEY = 2

/** Node or switch, with its InfiniBand addresses. */
export interface Device {
  readonly name: string
  /** GUID of the device: 0x and 16 hexadecimal digits. */
  readonly guid: string
  /** GUID of the port: `guid` + 1 for a node, `guid` for a switch. */
  readonly portGuid: string
  readonly lid: number
}

/** InfiniBand addresses of a fabric: the LIDs from 1 on for nodes, and the next LIDs for switches, leaves first. */
export interface Fabric {
  readonly nodes: ReadonlyArray<Device>
  /** Switches by level, leaves first. */
  readonly switches: ReadonlyArray<ReadonlyArray<Device>>
}

/**
 * Returns the InfiniBand addresses of all nodes and switches of a topology.
 *
 * @throws ExportError if the topology has more nodes and switches than InfiniBand has LIDs, or if two nodes or switches
 *   have the same name
 */
export function fabricOf(topology: Topology): Fabric {
  const lids = topology.nodes + topology.levels.reduce((sum, { switches }) => sum + switches, 0)
  if (lids >= FIRST_MULTICAST_LID) {
    throw new ExportError(
      `${topology.name} has ${lids} nodes and switches; InfiniBand has addresses for ${FIRST_MULTICAST_LID - 1}`,
    )
  }
  const nodes = Array.from({ length: topology.nodes }, (_, node) => {
    const guid = `0x0001${hexadecimal(node + 1, 10)}`
    return { name: nodeName(topology, node), guid: `${guid}00`, portGuid: `${guid}01`, lid: node + 1 }
  })
  let before = topology.nodes
  const switches = topology.levels.map((each, level) => {
    const devices = Array.from({ length: each.switches }, (_, sw) => {
      const guid = `0x0002${hexadecimal(level + 1, 2)}${hexadecimal(sw + 1, 8)}00`
      return { name: switchName(topology, level, sw), guid, portGuid: guid, lid: before + sw + 1 }
    })
    before += each.switches
    return devices
  })
  checkNames([...nodes, ...switches.flat()])
  return { nodes, switches }
}

/**
 * Returns the partition key of a job, from the id of the job's first node. So the key is unique among running jobs, and
 * does not change while the job runs.
 *
 * @throws ExportError if there is no partition key for the id of the node
 */
export function partitionKey(firstNode: number): number {
  const key = FIRST_PKEY + firstNode
  if (key >= DEFAULT_PKEY)
    throw new ExportError(`node ${firstNode} gives a partition key of ${key}; keys go up to ${DEFAULT_PKEY - 1}`)
  return key
}

export function hexadecimal(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

function checkNames(devices: ReadonlyArray<Device>): void {
  const seen = new Set<string>()
  for (const { name } of devices) {
    if (seen.has(name))
      throw new ExportError(`${JSON.stringify(name)} is the name of two nodes or switches; a fabric needs unique names`)
    seen.add(name)
  }
}
