import type { Routes } from '@cloister/placement'
import { dModK } from '@cloister/routing'
import { downPorts, type FabricPorts, type Topology } from '@cloister/topology'
import { parseSwitchTables } from '../src/fabric/switch-tables.ts'

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

/** Ports in the order of the topology, from 1. */
export function modelPorts(topology: Topology): FabricPorts {
  const down = downPorts(topology)
  return {
    switchGuids: topology.levels.map(({ switches }, level) =>
      Array.from({ length: switches }, (_, sw) => `0x000${level + 2}${hex(sw, 12)}`),
    ),
    nodeGuids: Array.from({ length: topology.nodes }, (_, node) => `0x0001${hex(node, 12)}`),
    numbers: topology.levels.map(({ switches, firstPort }, level) =>
      Array.from({ length: switches }, (_, sw) => {
        const { first } = down[level]
        return Int32Array.from(
          { length: first[sw + 1] - first[sw] + firstPort[sw + 1] - firstPort[sw] },
          (__, port) => port + 1,
        )
      }),
    ),
  }
}

/** A storage server on the first leaf, which is no node. */
export const storage = "0x00ff 009 : (Channel Adapter portguid 0x00ff000000000001: 'storage')"

/** What `dump_fts` would print where switches route so. */
export function dumpOf(ports: FabricPorts, routes: Routes): string {
  return ports.switchGuids
    .flatMap((guids, level) =>
      guids.map((guid, sw) => {
        const rows = ports.nodeGuids.map((portGuid, node) => {
          const port = String(routes.port(level, sw, node) + 1).padStart(3, '0')
          return `0x${hex(node + 1, 4)} ${port} : (Channel Adapter portguid ${portGuid}: 'node${node}')\n`
        })
        const name = `switch${level}-${sw}`
        return `Unicast lids [0x0-0xff] of switch DR path slid 0; dlid 0; 0,1 guid ${guid} (${name}):\n  Lid  Out   Destination\n       Port     Info \n${rows.join('')}${storage}\n${rows.length + 1} valid lids dumped \n`
      }),
    )
    .join('')
}

/** The switches of a fabric and its subnet manager, which may fail, and may take its time. */
export class ModelFabric {
  readonly ports: FabricPorts
  /** What the switches have, as `dump_fts` prints it. */
  dump: string
  readonly #topology: Topology
  #coming: { readonly text: string; readonly at: number } | undefined

  constructor(topology: Topology) {
    this.#topology = topology
    this.ports = modelPorts(topology)
    this.dump = dumpOf(this.ports, dModK(topology))
  }

  /** The manager is told of a whole file; the switches have it at a later time, unless it is told of another before. */
  install(text: string, at: number): void {
    this.#coming = { text, at }
  }

  tick(now: number): void {
    if (this.#coming === undefined || this.#coming.at > now) return
    this.dump = this.#coming.text
    this.#coming = undefined
  }

  /** By which the switches route now. */
  routes(): Routes {
    const tables = parseSwitchTables(this.dump)
    const { switchGuids, nodeGuids, numbers } = this.ports
    return {
      port: (level, sw, node) => {
        const port = tables.get(switchGuids[level][sw])?.entries.get(nodeGuids[node])?.port
        return port === undefined ? -1 : numbers[level][sw].indexOf(port)
      },
    }
  }

  /** How many switches route to the storage server as they did. */
  switchesToStorage(): number {
    return this.dump.split('\n').filter((line) => line === storage).length
  }

  get topology(): Topology {
    return this.#topology
  }
}
