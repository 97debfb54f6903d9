import { isHostName, switchName } from '../names.ts'
import { adapterName, type Fabric, wholeFabric } from '../rails.ts'
import { quote, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'
import { downPorts, switchOfLink } from '../wiring.ts'

interface FarPort {
  /** Kind and GUID of the device at the far end of the cable, such as `S-0002010000000800` for a switch. */
  readonly device: string
  readonly port: number
}

/** Cable from a port of a switch, as `ibnetdiscover` lists it. Both switches of a cable list the cable. */
export interface DiscoveredCable extends FarPort {
  readonly line: number
  readonly ownPort: number
  /** Hexadecimal GUID of the port at the other end of the cable; absent unless the port belongs to an adapter. */
  readonly portGuid?: string
  /** Width and speed of the cable, such as `4xHDR`; absent if the file does not state the speed. */
  readonly speed?: string
}

/** Switch of a fabric, with its cables. */
export interface DiscoveredSwitch {
  readonly id: string
  readonly line: number
  readonly description: string
  readonly cables: ReadonlyArray<DiscoveredCable>
}

/** Adapter of a host: `cn001 mlx5_0` is adapter mlx5_0 of host cn001. */
export interface DiscoveredAdapter {
  readonly id: string
  readonly line: number
  readonly host: string
  readonly adapter: string
}

/** Contents of a file of `ibnetdiscover`: devices, ports and cables, in the order of the file. */
export interface DiscoveredFabric {
  readonly switches: ReadonlyArray<DiscoveredSwitch>
  /** Adapters by id. */
  readonly adapters: ReadonlyMap<string, DiscoveredAdapter>
}

const DEVICE = /^(Switch|Ca|Rt)\s+(\d+)\s+"([SHR]-[0-9a-fA-F]{16})"\s*(?:#\s*"(.*?)")?/
const PORT =
  /^\[(\d+)\](?:\[ext \d+\])?(?:\([0-9a-fA-F]+\))?\s*"([SHR]-[0-9a-fA-F]{16})"\[(\d+)\](?:\[ext \d+\])?(?:\(([0-9a-fA-F]+)\))?\s*(?:$|#)/
/** Pattern of a cable's width and speed, such as `4xHDR`, in the text after the description of the far device. */
const SPEED = /\s(\d+x[A-Z]+\d*)(?:\s|$)/
/**
 * Pattern of lines between devices in `ibnetdiscover`: comments, ids of vendors and devices, GUIDs, names of chassis.
 */
const OTHER = /^(?:#|(?:vendid|devid|sysimgguid|switchguid|caguid|rtguid)=|Chassis\b|Non-Chassis\b|DR path\b)/

/**
 * Reads the output of `ibnetdiscover` (rdma-core, "topology file format" of its manual page), also if the output is
 * grouped by chassis. Cables come from the lines of switches alone, because a switch also lists its cables to adapters.
 *
 * @throws TopologyError with the line of the fault; without a line if the text has no switch
 */
export function readDiscoveredFabric(text: string, source: string): DiscoveredFabric {
  const switches: Array<DiscoveredSwitch & { readonly cables: Array<DiscoveredCable> }> = []
  const adapters = new Map<string, DiscoveredAdapter>()
  const lineOf = new Map<string, number>()
  let cables: Array<DiscoveredCable> | undefined
  for (const [at, raw] of text.split('\n').entries()) {
    const [line, content] = [at + 1, raw.trimEnd()]
    if (content === '' || OTHER.test(content)) continue
    const [, kind, , id, description = ''] = DEVICE.exec(content) ?? []
    if (kind !== undefined) {
      checkNew(lineOf, id, { source, line })
      cables = []
      if (kind === 'Switch') switches.push({ id, line, description, cables })
      else adapters.set(id, { id, line, ...hostAndAdapter(description, id) })
      continue
    }
    const [, ownPort, device, port, portGuid] = PORT.exec(content) ?? []
    if (ownPort === undefined || cables === undefined)
      throw new TopologyError(`expected a device or a port in the format of ibnetdiscover, found ${quote(content)}`, {
        source,
        line,
      })
    const [, speed] = SPEED.exec(content.slice(content.lastIndexOf('"'))) ?? []
    cables.push({
      line,
      ownPort: Number(ownPort),
      device,
      port: Number(port),
      ...(portGuid !== undefined && { portGuid }),
      ...(speed !== undefined && { speed }),
    })
  }
  if (switches.length === 0)
    throw new TopologyError(
      'no switch found; expected the output of ibnetdiscover, with lines such as Switch 40 "S-…"',
      { source },
    )
  return { switches, adapters }
}

function checkNew(
  lineOf: Map<string, number>,
  id: string,
  place: { readonly source: string; readonly line: number },
): void {
  const before = lineOf.get(id)
  if (before !== undefined) throw new TopologyError(`device ${id} is already on line ${before}`, place)
  lineOf.set(id, place.line)
}

/** An adapter's description is `HOST ADAPTER …`. A description without words gives `id` as the name of the host. */
function hostAndAdapter(description: string, id: string): Pick<DiscoveredAdapter, 'host' | 'adapter'> {
  const [host = id, adapter = ''] = description.trim().split(/\s+/)
  return { host: host === '' ? id : host, adapter }
}

/**
 * Returns a unique name of each switch, by the id of the switch: the description with dashes for characters that names
 * may not have. The id follows if several switches have the same description, or if the description is no valid name.
 */
export function uniqueNames(switches: ReadonlyArray<DiscoveredSwitch>): ReadonlyMap<string, string> {
  const plain = new Map(
    switches.map(({ id, description }) => [id, description.trim().replaceAll(/[\s,[\]"#=\\]+/g, '-')]),
  )
  const counts = new Map<string, number>()
  for (const name of plain.values()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(
    [...plain].map(([id, name]) => [id, isHostName(name) && counts.get(name) === 1 ? name : `${name}-${id}`]),
  )
}

/** Returns the name of a switch for messages: the description, or the id if there is no description. */
export function shown({ id, description }: DiscoveredSwitch): string {
  return description === '' ? id : quote(description)
}

/** Port of a device: `port` counts from 1, and `name` is the description of the device. */
interface Port {
  readonly device: string
  readonly port: number
  readonly name: string
}

/**
 * Returns a machine in the form of `ibnetdiscover`, with invented GUIDs and LIDs. A switch has first its down-ports, in
 * the order of `downPorts`, then its up-ports. `parseIbnetdiscover` reads the same machine from the text if the names
 * of nodes and switches are in natural order of the ids, and nodes have one name except for digits. On a machine with
 * rails, each node has an adapter `mlx5_R` in each rail R.
 *
 * @param speed width and speed of every cable, such as `4xHDR`
 */
export function formatIbnetdiscover(topology: Topology, speed: string = '4xHDR'): string {
  const whole = wholeFabric(topology)
  const fabric = portsOf(whole)
  const lines: Array<string> = []
  fabric.switches.forEach((level, at) =>
    level.forEach((ports, sw) => {
      const id = switchId(at, sw)
      lines.push(
        `vendid=0x0`,
        `devid=0x0`,
        `sysimgguid=0x${id.slice(2)}`,
        `switchguid=0x${id.slice(2)}(${id.slice(2)})`,
        `Switch\t${ports.length} "${id}"\t\t# "${switchName(whole, at, sw)}" enhanced port 0 lid 0 lmc 0`,
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
      `Ca\t1 "${id}"\t\t# "${adapterName(whole, node)}"`,
      `[1](${portGuid(id)}) \t"${device}"[${port}]\t\t# lid 0 lmc 0 "${name}" lid 0 ${speed}`,
      '',
    )
  })
  return lines.join('\n')
}

function portsOf(fabric: Fabric) {
  const { levels, leafOfNode } = fabric
  const down = downPorts(fabric)
  const toSwitch = (level: number, sw: number, port: number): Port => ({
    device: switchId(level, sw),
    port: port + 1,
    name: switchName(fabric, level, sw),
  })
  const downCount = (level: number, sw: number): number => down[level].first[sw + 1] - down[level].first[sw]
  const switches = levels.map(({ switches: count, firstPort, parentOfLink }, level) =>
    Array.from({ length: count }, (_, sw) => {
      const below = [...down[level].below.subarray(down[level].first[sw], down[level].first[sw + 1])].map(
        (id): Port => {
          if (level === 0) return { device: nodeId(id), port: 1, name: adapterName(fabric, id) }
          const lower = switchOfLink(fabric, level - 1, id)
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
