import type { Topology } from '@cloister/topology'
import { type Fabric, hexadecimal } from './infiniband.ts'

/** The port by which a switch forwards messages to a node: from 0, down-ports first (`downPorts` of @cloister/topology); -1 for no entry. */
export interface Routes {
  port(level: number, sw: number, node: number): number
}

/**
 * Forwarding tables as OpenSM reads them with `-R file -U FILE`, the form that `dump_fts` writes: switch by switch, a line
 * for each node that it has an entry for; it drops messages to the others. Every switch is named, those without an entry
 * too: OpenSM forgets all routes of a switch that the file leaves out.
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
