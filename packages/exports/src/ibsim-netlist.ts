import { downPorts, switchOfLink, type Topology } from '@cloister/topology'
import type { Device, Fabric } from './infiniband.ts'

/**
 * Yields a fabric in the format of ibsim: every node and every switch, with the device and the port at the other end of
 * each cable. ibsim counts ports from 1, so Cloister's port `p` is port `p + 1` in the file. ibsim attaches the subnet
 * manager to the first node in the file.
 */
export function* ibsimNetlist(topology: Topology, { nodes, switches }: Fabric): Generator<string> {
  const down = downPorts(topology)
  const { levels, leafOfNode } = topology
  const upPort = (level: number, sw: number, link: number): number =>
    down[level].first[sw + 1] - down[level].first[sw] + link - levels[level].firstPort[sw]
  const cable = (port: number, to: Device, portThere: number): string =>
    `[${port + 1}]\t"${to.name}"[${portThere + 1}]\n`
  for (const [node, { name, guid }] of nodes.entries()) {
    yield `caguid=${guid}\nCa\t1 "${name}"\t# "${name}"\n${cable(0, switches[0][leafOfNode[node]], down[0].portOf[node])}\n`
  }
  for (const [level, { firstPort, parentOfLink }] of levels.entries()) {
    for (const [sw, { name, guid }] of switches[level].entries()) {
      const cables: Array<string> = []
      for (const below of down[level].below.subarray(down[level].first[sw], down[level].first[sw + 1])) {
        if (level === 0) cables.push(cable(cables.length, nodes[below], 0))
        else {
          const lower = switchOfLink(topology, level - 1, below)
          cables.push(cable(cables.length, switches[level - 1][lower], upPort(level - 1, lower, below)))
        }
      }
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++) {
        cables.push(cable(cables.length, switches[level + 1][parentOfLink[link]], down[level + 1].portOf[link]))
      }
      yield `switchguid=${guid}\nSwitch\t${cables.length} "${name}"\t# "${name}"\n${cables.join('')}\n`
    }
  }
}
