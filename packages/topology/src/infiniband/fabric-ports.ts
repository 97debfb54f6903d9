import { downPorts, portCounts, switchOfLink } from '../wiring.ts'
import { quote, TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'
import { nodeName, switchName } from '../names.ts'
import { type DiscoveredCable, type DiscoveredSwitch, readDiscoveredFabric, uniqueNames } from './ibnetdiscover.ts'

/** GUIDs and port numbers of a topology's InfiniBand fabric. A GUID is `0x` and 16 lower-case hexadecimal digits. */
export interface FabricPorts {
  /** GUID of each switch, by level and number. */
  readonly switchGuids: ReadonlyArray<ReadonlyArray<string>>
  /** GUID of each node's port. */
  readonly nodeGuids: ReadonlyArray<string>
  /**
   * Hardware number of each port, by level, switch and port: first the down-ports, as in `downPorts`, then up-ports.
   */
  readonly numbers: ReadonlyArray<ReadonlyArray<Int32Array>>
}

/**
 * Finds the ports of a topology in the output of `ibnetdiscover` from which `parseIbnetdiscover` made the topology.
 * Parallel cables between two switches are in the order of the port numbers of the lower switch.
 *
 * @param source name of the file in errors
 * @param adapter name of the adapter to use if hosts have several adapters, such as `mlx5_0`
 * @throws TopologyError if the file lacks a switch, cable or node of the topology, or has a node twice on one leaf
 */
export function fabricPorts(text: string, topology: Topology, source: string, adapter?: string): FabricPorts {
  const fabric = readDiscoveredFabric(text, source)
  const names = uniqueNames(fabric.switches)
  const byName = new Map(fabric.switches.map((each) => [names.get(each.id)!, each]))
  const found = topology.levels.map(({ switches }, level) =>
    Array.from({ length: switches }, (_, sw) => {
      const name = switchName(topology, level, sw)
      return byName.get(name) ?? fail(`has no switch ${quote(name)}`, source)
    }),
  )
  const numbers = emptyNumbers(topology)
  const down = downPorts(topology)
  const nodeGuids = Array.from({ length: topology.nodes }, (_, node) => {
    const leaf = topology.leafOfNode[node]
    const cable = cableOfNode(found[0][leaf], nodeName(topology, node))
    numbers[0][leaf][down[0].portOf[node]] = cable.ownPort
    return guid(cable.portGuid!)
  })
  topology.levels.slice(0, -1).forEach(({ parentOfLink }, level) => {
    const taken = new Set<DiscoveredCable>()
    for (let link = 0; link < parentOfLink.length; link++) {
      const sw = switchOfLink(topology, level, link)
      const parent = parentOfLink[link]
      const cable = cablesTo(found[level][sw], found[level + 1][parent]).find((each) => !taken.has(each))
      if (cable === undefined)
        fail(
          `lacks a cable between ${switchName(topology, level, sw)} and ${switchName(topology, level + 1, parent)}`,
          source,
        )
      taken.add(cable)
      const { first } = down[level]
      numbers[level][sw][first[sw + 1] - first[sw] + link - topology.levels[level].firstPort[sw]] = cable.ownPort
      numbers[level + 1][parent][down[level + 1].portOf[link]] = cable.port
    }
  })
  return { switchGuids: found.map((level) => level.map(({ id }) => guid(id.slice(2)))), nodeGuids, numbers }

  function cableOfNode(leaf: DiscoveredSwitch, host: string): DiscoveredCable {
    const cables = leaf.cables.filter(({ device }) => {
      const there = fabric.adapters.get(device)
      return there?.host === host && (adapter === undefined || there.adapter === adapter)
    })
    const [cable] = cables
    if (cable?.portGuid === undefined)
      fail(`has no port of host ${quote(host)} on the leaf of the host, with a GUID`, source)
    if (cables.length > 1)
      fail(
        `has ${cables.length} ports of host ${quote(host)} on the leaf of the host; choose an adapter, such as adapter=mlx5_0`,
        source,
      )
    return cable
  }
}

function fail(problem: string, source: string): never {
  throw new TopologyError(problem, { source })
}

function guid(digits: string): string {
  return `0x${digits.toLowerCase().padStart(16, '0')}`
}

function cablesTo({ cables }: DiscoveredSwitch, { id }: DiscoveredSwitch): ReadonlyArray<DiscoveredCable> {
  return cables.filter(({ device }) => device === id).sort((a, b) => a.ownPort - b.ownPort)
}

function emptyNumbers(topology: Topology): ReadonlyArray<ReadonlyArray<Int32Array>> {
  return portCounts(topology).map((counts) => Array.from(counts, (count) => new Int32Array(count)))
}
