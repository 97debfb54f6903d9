import type { Topology } from '@cloister/topology'
import { type Fabric, hexadecimal } from './infiniband.ts'

/**
 * Forwarding entries of switches. `port` returns the port of a switch towards a node, or -1 if the switch has no entry
 * for the node. Ports count from 0, down-ports first, as in `downPorts` of @cloister/topology.
 */
export interface Routes {
  port(level: number, sw: number, node: number): number
}

/**
 * Yields forwarding tables for OpenSM (`-R file -U FILE`), in the format of `dump_fts`: switch by switch, a line for
 * each node with an entry. A switch drops messages to nodes without an entry. The file names every switch, also
 * switches without entries, because OpenSM forgets the routes of a switch that is missing.
 */
export function* lfts(topology: Topology, { nodes, switches }: Fabric, routes: Routes): Generator<string> {
  const rows = nodes.map(({ name, portGuid, lid }) => ({
    head: `0x${hexadecimal(lid, 4)} `,
    tail: ` : (Channel Adapter portguid ${portGuid}: '${name}')\n`,
  }))
  const highest = hexadecimal(nodes.length, 4)
  for (const [level, devices] of switches.entries()) {
    for (const [sw, { name, guid, lid }] of devices.entries()) {
      let table = `Unicast lids [0x0-0x${highest}] of switch Lid ${lid} guid ${guid} (${name}):\n`
      for (let node = 0; node < topology.nodes; node++) {
        const port = routes.port(level, sw, node)
        if (port >= 0) table += rows[node].head + String(port + 1).padStart(3, '0') + rows[node].tail
      }
      yield table
    }
  }
}
