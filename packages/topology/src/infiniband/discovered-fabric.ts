import { quote, TopologyError } from '../topology-error.ts'

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
