// In these tests, the real `ibnetdiscover` reads fabrics that ibsim simulates.
import { downPorts, missingCables, parseIbnetdiscover, parseTopology, type Topology } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { fabricOf, ibsimNetlist } from '../src/opensm.ts'
import { SimulatedFabric, whatFabricLacks } from '@cloister/slurm-cluster'

const missing = whatFabricLacks()

const netlistOf = (topology: Topology): string => [...ibsimNetlist(topology, fabricOf(topology))].join('')
const discovered = async (netlist: string): Promise<Topology> =>
  parseIbnetdiscover(await SimulatedFabric.discover(netlist), 'fabric')

/** Returns a netlist without the cable at one port of a device: the lines of both ends are removed. */
function unplugged(netlist: string, device: string, port: number): string {
  const sections = netlist.split('\n\n')
  const cable = new RegExp(`^\\[${port}\\]\\t"(.*)"\\[(\\d+)\\]\\n?`, 'm')
  const own = sections.find((section) => section.includes(`"${device}"\t#`))!
  const [line, far, farPort] = cable.exec(own)!
  const other = sections.find((section) => section.includes(`"${far}"\t#`))!
  return netlist
    .replace(own, own.replace(line, ''))
    .replace(other, other.replace(`[${farPort}]\t"${device}"[${port}]\n`, ''))
}

/** Returns a netlist with new descriptions of all devices of a kind. */
function renamed(netlist: string, kind: 'Ca' | 'Switch', nameOf: (index: number) => string): string {
  let next = 0
  return netlist.replaceAll(
    new RegExp(`^(${kind}\\t\\d+ ".*"\\t# ").*"`, 'gm'),
    (_, start) => `${start}${nameOf(next++)}"`,
  )
}

describe.skipIf(missing !== undefined)(
  `parseIbnetdiscover and a simulated fabric${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    test.each(['radix:8', 'pgft:2;4,6;1,3;1,2', 'pgft:3;4,3,3;1,2,2;1,1,2', 'kary:2:4'])(
      'parseIbnetdiscover reads the fabric of ibsim as the topology %s, with the names of the nodes',
      async (spec) => {
        const topology = parseTopology(spec)
        const read = await discovered(netlistOf(topology))
        expect(read.pgft).toEqual(topology.pgft)
        expect(read.nodeNames).toEqual(Array.from({ length: topology.nodes }, (_, node) => `node${node}`))
        expect(read.levels.map(({ parentOfLink }) => [...parentOfLink])).toEqual(
          topology.levels.map(({ parentOfLink }) => [...parentOfLink]),
        )
        expect(read.remarks).toBeUndefined()
      },
    )

    test('parseIbnetdiscover finds a missing cable of the fabric', async () => {
      const topology = parseTopology('pgft:3;3,3,3;1,2,2;1,1,1')
      const down = downPorts(topology)
      const firstUpPort = down[0].first[1] + 1
      const read = await discovered(unplugged(netlistOf(topology), 'leaf5', firstUpPort))
      expect(missingCables(read)).toEqual(['leaf5 -> l2-2'])
    })

    test('parseIbnetdiscover reads a fabric as a regular tree for any names of nodes and switches', async () => {
      const topology = parseTopology('radix:6')
      const numbered = renamed(
        netlistOf(topology),
        'Ca',
        (node) => `cn${String((node * 25) % 54).padStart(3, '0')} mlx5_0`,
      )
      const read = await discovered(renamed(numbered, 'Switch', () => 'Quantum Mellanox Technologies'))
      expect(read.pgft).toEqual(topology.pgft)
      expect([...read.nodeNames!].sort()).toEqual(
        Array.from({ length: 54 }, (_, i) => `cn${String(i).padStart(3, '0')}`),
      )
    })

    test('parseIbnetdiscover leaves out a storage switch with its hosts, and a host on a spine', async () => {
      const topology = parseTopology('pgft:2;4,5;1,3;1,1')
      // The hosts of the last leaf become storage hosts, and a spine gets a host.
      const storage = renamed(netlistOf(topology), 'Ca', (node) =>
        node < 16 ? `cn${node} mlx5_0` : `oss${node - 16} mlx5_0`,
      )
      const host = 'caguid=0x00010000000f0000\nCa\t1 "mgmt"\t# "mgmt mlx5_0"\n[1]\t"spine"[40]\n\n'
      const withHost = storage.replace(
        /Switch\t5 "l2-0"\t# "l2-0"\n/,
        (head) => `${head.replace('\t5 ', '\t40 ')}[40]\t"mgmt"[1]\n`,
      )
      const read = await discovered(withHost + host.replace('spine', 'l2-0'))
      expect(read.pgft).toEqual({ m: [4, 4], w: [1, 3], p: [1, 1] })
      expect(read.remarks).toEqual([
        '5 hosts are no nodes (mgmt, oss0, oss1, oss2, oss3); nodes=HOSTLIST chooses the nodes',
        '1 switch has no node below and is left out ("leaf4")',
      ])
    })
  },
)
