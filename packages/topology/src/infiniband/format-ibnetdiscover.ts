import { nodeName, switchName } from '../names/names.ts'
import type { Topology } from '../topology.ts'
import { downPorts } from '../wiring/ports.ts'
import { switchOfLink } from '../wiring/links.ts'

/** Port of a device: `port` counts from 1, and `name` is the description of the device. */
interface Port {
  readonly device: string
  readonly port: number
  readonly name: string
}

/**
 * Returns a machine in the form of `ibnetdiscover`, with invented GUIDs and LIDs. A switch has first its down-ports, in
 * the order of `downPorts`, then its up-ports. `parseIbnetdiscover` reads the same machine from the text if the names
 * of nodes and switches are in natural order of the ids, and nodes have one name except for digits.
 *
 * @param speed width and speed of every cable, such as `4xHDR`
 */
export function formatIbnetdiscover(topology: Topology, speed: string = '4xHDR'): string {
  const fabric = portsOf(topology)
  const lines: Array<string> = []
  fabric.switches.forEach((level, at) =>
    level.forEach((ports, sw) => {
      const id = switchId(at, sw)
      lines.push(
        `vendid=0x0`,
        `devid=0x0`,
        `sysimgguid=0x${id.slice(2)}`,
        `switchguid=0x${id.slice(2)}(${id.slice(2)})`,
        `Switch\t${ports.length} "${id}"\t\t# "${switchName(topology, at, sw)}" enhanced port 0 lid 0 lmc 0`,
        ...ports.map(
          ({ device, port, name }, own) =>
            `[${own + 1}]\t"${device}"[${port}]${device.startsWith('H') ? `(${portGuid(device)})` : ''}\t\t# "${name}" lid 0 ${speed}`,
        ),
        '',
      )
    }),
  )
  fabric.nodes.forEach(({ device, port, name }, node) => {
    const id = nodeId(node)
    lines.push(
      `vendid=0x0`,
      `devid=0x0`,
      `sysimgguid=0x${id.slice(2)}`,
      `caguid=0x${id.slice(2)}`,
      `Ca\t1 "${id}"\t\t# "${nodeName(topology, node)} mlx5_0"`,
      `[1](${portGuid(id)}) \t"${device}"[${port}]\t\t# lid 0 lmc 0 "${name}" lid 0 ${speed}`,
      '',
    )
  })
  return lines.join('\n')
}

function portsOf(topology: Topology) {
  const { levels, leafOfNode } = topology
  const down = downPorts(topology)
  const toSwitch = (level: number, sw: number, port: number): Port => ({
    device: switchId(level, sw),
    port: port + 1,
    name: switchName(topology, level, sw),
  })
  const downCount = (level: number, sw: number): number => down[level].first[sw + 1] - down[level].first[sw]
  const switches = levels.map(({ switches: count, firstPort, parentOfLink }, level) =>
    Array.from({ length: count }, (_, sw) => {
      const below = [...down[level].below.subarray(down[level].first[sw], down[level].first[sw + 1])].map(
        (id): Port => {
          if (level === 0) return { device: nodeId(id), port: 1, name: `${nodeName(topology, id)} mlx5_0` }
          const lower = switchOfLink(topology, level - 1, id)
          const upPort = id - levels[level - 1].firstPort[lower]
          return toSwitch(level - 1, lower, downCount(level - 1, lower) + upPort)
        },
      )
      const above = Array.from({ length: firstPort[sw + 1] - firstPort[sw] }, (__, up) => {
        const link = firstPort[sw] + up
        return toSwitch(level + 1, parentOfLink[link], down[level + 1].portOf[link])
      })
      return [...below, ...above]
    }),
  )
  const nodes = [...leafOfNode].map((leaf, node) => toSwitch(0, leaf, down[0].portOf[node]))
  return { switches, nodes }
}

function switchId(level: number, sw: number): string {
  return `S-0002${hexadecimal(level + 1, 2)}${hexadecimal(sw + 1, 8)}00`
}

function nodeId(node: number): string {
  return `H-0001${hexadecimal(node + 1, 10)}00`
}

/** The GUID of an adapter's port is the GUID of the adapter + 1. */
function portGuid(device: string): string {
  return `${device.slice(2, -2)}01`
}

function hexadecimal(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
