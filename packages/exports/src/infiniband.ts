import { nodeName, switchName, type Topology } from '@cloister/topology'
import { ExportError } from './export-error.ts'

/** LIDs from here up are multicast addresses. */
const FIRST_MULTICAST_LID = 0xc000
/** Highest key of a partition; it is the default one's. */
const DEFAULT_PKEY = 0x7fff
const FIRST_PKEY = 2

/** A node or a switch, with its InfiniBand addresses. */
export interface Device {
  readonly name: string
  /** 0x and 16 hexadecimal digits. The port of a node has the next one as its `portGuid`, a switch its own. */
  readonly guid: string
  readonly portGuid: string
  readonly lid: number
}

/** The addresses of a fabric: nodes have the LIDs from 1 on, the switches of all levels, leaves first, those after. */
export interface Fabric {
  readonly nodes: ReadonlyArray<Device>
  /** By level. */
  readonly switches: ReadonlyArray<ReadonlyArray<Device>>
}

/**
 * Gives every node and switch its addresses.
 *
 * @throws ExportError where there are more nodes and switches than LIDs, or two of the same name
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
 * The partition key of a job: no two running jobs have the same, and it stays as long as the job runs, for it follows from
 * the first of its nodes.
 *
 * @throws ExportError where the topology has more nodes than there are keys
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
      throw new ExportError(`${JSON.stringify(name)} is the name of two nodes or switches; a fabric needs each once`)
    seen.add(name)
  }
}
