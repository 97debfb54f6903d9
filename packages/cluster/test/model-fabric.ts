import type { Routes } from '@cloister/placement'
import { dModK } from '@cloister/network'
import { type FabricPorts, portCounts, type Topology } from '@cloister/topology'
import { parseSwitchTables } from '../src/drive/fabric-tables.ts'

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

/** Returns GUIDs and port numbers of a fabric whose switches number their ports in the topology's order, from 1. */
export function modelPorts(topology: Topology): FabricPorts {
  return {
    switchGuids: topology.levels.map(({ switches }, level) =>
      Array.from({ length: switches }, (_, sw) => `0x000${level + 2}${hex(sw, 12)}`),
    ),
    nodeGuids: Array.from({ length: topology.nodes }, (_, node) => `0x0001${hex(node, 12)}`),
    numbers: portCounts(topology).map((counts) =>
      Array.from(counts, (count) => Int32Array.from({ length: count }, (_, port) => port + 1)),
    ),
  }
}

/** Entry of `dump_fts` for a storage server. The storage server is not a node of the topology. */
export const storage = "0x00ff 009 : (Channel Adapter portguid 0x00ff000000000001: 'storage')"

/** Returns the output of `dump_fts` for switches with the given routes. */
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

/** Model of a fabric's switches and subnet manager. The caller of `install` says when the switches get new tables. */
export class ModelFabric {
  readonly ports: FabricPorts
  /** Current tables of the switches, in the format of `dump_fts`. */
  dump: string
  readonly #topology: Topology
  #coming: { readonly text: string; readonly at: number } | undefined

  constructor(topology: Topology) {
    this.#topology = topology
    this.ports = modelPorts(topology)
    this.dump = dumpOf(this.ports, dModK(topology))
  }

  /**
   * Gives the subnet manager a whole file. The switches have the file's tables from the time `at`, unless a new file
   * comes before.
   */
  install(text: string, at: number): void {
    this.#coming = { text, at }
  }

  tick(now: number): void {
    if (this.#coming === undefined || this.#coming.at > now) return
    this.dump = this.#coming.text
    this.#coming = undefined
  }

  /** Returns the current routes of the switches. */
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

  /** Returns the number of switches that still route to the storage server as at the beginning. */
  switchesToStorage(): number {
    return this.dump.split('\n').filter((line) => line === storage).length
  }

  get topology(): Topology {
    return this.#topology
  }
}
