import { describe, expect, test } from 'vitest'
import {
  downPorts,
  fabricPorts,
  formatIbnetdiscover,
  parseIbnetdiscover,
  parseTopology,
  switchOfLink,
} from '../src/index.ts'

const specs = ['radix:6', 'pgft:2;4,6;1,3;1,2', 'pgft:3;4,3,3;1,2,2;1,1,2']

/** Returns the text of a fabric with the ports of its switches numbered from 99 down. */
function renumbered(text: string): string {
  return text.replaceAll(/^\[(\d+)\](?!\()(\t"(.)[^"]*")\[(\d+)\]/gm, (_, own, device, kind, far) => {
    const there = kind === 'S' ? 100 - Number(far) : far
    return `[${100 - Number(own)}]${device}[${there}]`
  })
}

/** Returns a text for each end of a cable between two switches: own GUID, own port, far GUID, far port. */
function cablesIn(text: string): Set<string> {
  const found = new Set<string>()
  let guid = ''
  for (const line of text.split('\n')) {
    const [, id] = /^Switch\t\d+ "S-(\w+)"/.exec(line) ?? []
    if (id !== undefined) guid = `0x${id}`
    const [, own, device, far] = /^\[(\d+)\]\t"S-(\w+)"\[(\d+)\]/.exec(line) ?? []
    if (own !== undefined) found.add(`${guid} ${own} 0x${device} ${far}`)
  }
  return found
}

describe('fabricPorts, the ports of a topology in its InfiniBand fabric,', () => {
  test.each(specs)(
    '%s: fabricPorts gives the port numbers at both ends of each cable, also if the fabric numbers the ports in another order',
    (spec) => {
      const plain = formatIbnetdiscover(parseTopology(spec))
      for (const text of [plain, renumbered(plain)]) {
        const topology = parseIbnetdiscover(text, 'fabric')
        expect(topology.pgft).toEqual(parseTopology(spec).pgft)
        const { switchGuids, nodeGuids, numbers } = fabricPorts(text, topology, 'fabric')
        for (const ports of numbers.flat()) {
          expect(new Set(ports).size).toBe(ports.length)
          expect(ports).not.toContain(0)
        }
        const cables = cablesIn(text)
        const down = downPorts(topology)
        topology.levels.slice(0, -1).forEach(({ parentOfLink, firstPort }, level) => {
          for (const [link, parent] of parentOfLink.entries()) {
            const sw = switchOfLink(topology, level, link)
            const up = down[level].first[sw + 1] - down[level].first[sw] + link - firstPort[sw]
            const own = `${switchGuids[level][sw]} ${numbers[level][sw][up]}`
            const far = `${switchGuids[level + 1][parent]} ${numbers[level + 1][parent][down[level + 1].portOf[link]]}`
            expect(cables.delete(`${own} ${far}`)).toBe(true)
            expect(cables.delete(`${far} ${own}`)).toBe(true)
          }
        })
        expect(cables.size).toBe(0)
        expect(new Set(nodeGuids).size).toBe(topology.nodes)
        for (const [node, guid] of nodeGuids.entries()) {
          const leaf = topology.leafOfNode[node]
          const port = numbers[0][leaf][down[0].portOf[node]]
          const name = topology.nodeNames![node]
          expect(text).toMatch(
            new RegExp(`^\\[${port}\\]\\t"H-\\w+"\\[1\\]\\(${guid.slice(2)}\\)\\t\\t# "${name} mlx5_0"`, 'm'),
          )
        }
      }
    },
  )

  test('fabricPorts throws an error if the file lacks a switch or node of the topology, or has a node twice on one leaf', () => {
    const topology = parseIbnetdiscover(formatIbnetdiscover(parseTopology('radix:6')), 'fabric')
    const ports = (text: string) => () => fabricPorts(text, topology, 'fabric')
    const other = formatIbnetdiscover(parseTopology('radix:4'))
    expect(ports(other)).toThrow('fabric: has no switch "leaf8"')
    const text = formatIbnetdiscover(parseTopology('radix:6'))
    expect(ports(text.replaceAll('"node7 ', '"login '))).toThrow(
      'fabric: has no port of host "node7" on the leaf of the host',
    )
    expect(ports(text.replaceAll('"node7 mlx5_0', '"node6 mlx5_1'))).toThrow(
      'has 2 ports of host "node6" on the leaf of the host; choose an adapter',
    )
  })
})
