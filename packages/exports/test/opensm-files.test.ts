import { parseTopology, type Topology, withNodeNames } from '@cloister/topology'
import { expect, test } from 'vitest'
import { ExportError, opensmFiles, type Routes } from '../src/index.ts'

const topologies = ['radix:4', 'radix:8', 'cab', 'pgft:3;6,4,5;1,2,2;1,3,2', 'pgft:1;9;1;1'].map((each) =>
  parseTopology(each),
)

/** Routes with an entry for about half of the pairs of a switch and a node. */
const someRoutes: Routes = { port: (level, sw, node) => ((level + sw + node) % 2 === 0 ? -1 : (sw + node) % 4) }

function textOf(topology: Topology, name: string, jobs: Parameters<typeof opensmFiles>[2] = []): string {
  return [...opensmFiles(topology, someRoutes, jobs).find((file) => file.name === name)!.pieces].join('')
}

/**
 * Parses a file `ibsim.net`: for every device its GUID, and the device and port at the other end of each of its cables.
 */
function parseNet(
  text: string,
): Map<string, { readonly guid: string; readonly ports: Map<number, readonly [string, number]> }> {
  const devices: ReturnType<typeof parseNet> = new Map()
  for (const block of text.trimEnd().split('\n\n')) {
    const [guid, head, ...cables] = block.split('\n')
    const [, kind, count, name] = /^(Ca|Switch)\t(\d+) "([^"]+)"\t# "[^"]+"$/.exec(head)!
    expect(guid).toMatch(kind === 'Ca' ? /^caguid=0x[0-9a-f]{16}$/ : /^switchguid=0x[0-9a-f]{16}$/)
    expect(cables.length).toBe(Number(count))
    const ports = cables
      .map((cable) => /^\[(\d+)\]\t"([^"]+)"\[(\d+)\]$/.exec(cable)!)
      .map(([, port, to, there]) => [Number(port), [to, Number(there)] as const] as const)
    devices.set(name, { guid, ports: new Map(ports) })
  }
  return devices
}

test('the GUIDs of the switches of a level ascend as little-endian numbers, the order in which OpenSM takes switches', () => {
  const topology = parseTopology('pgft:3;1,30,20;1,1,2;1,1,1')
  const devices = parseNet(textOf(topology, 'ibsim.net'))
  const reversed = Array.from({ length: topology.leaves }, (_, leaf) => {
    const { guid } = devices.get(`leaf${leaf}`)!
    return guid.slice('switchguid=0x'.length).match(/../g)!.toReversed().join('')
  })
  expect(reversed).toEqual([...reversed].sort())
  expect(new Set(reversed).size).toBe(600)
})

test.each(topologies)('ibsim.net of topology $name lists every cable at both of its ends', (topology) => {
  const devices = parseNet(textOf(topology, 'ibsim.net'))
  expect(devices.size).toBe(topology.nodes + topology.levels.reduce((sum, { switches }) => sum + switches, 0))
  expect(new Set([...devices.values()].map(({ guid }) => guid)).size).toBe(devices.size)
  let ends = 0
  for (const [name, { ports }] of devices) {
    for (const [port, [to, there]] of ports) {
      expect(devices.get(to)!.ports.get(there)).toEqual([name, port])
      ends++
    }
  }
  expect(ends).toBe(2 * (topology.nodes + topology.levels.reduce((sum, { links }) => sum + links, 0)))
  // The nodes of a leaf are on the first ports of the leaf.
  expect(devices.get('node0')!.ports.get(1)).toEqual(['leaf0', 1])
})

test.each(topologies)('lfts of topology $name has the entries of the routes, and names every switch', (topology) => {
  const switches = [
    ...textOf(topology, 'lfts').matchAll(/^Unicast lids .* guid (0x[0-9a-f]{16}) \((.*)\):\n((?:0x.*\n)*)/gm),
  ]
  const guids = new Map(
    [...textOf(topology, 'guid2lid').matchAll(/^(0x[0-9a-f]{16}) (0x[0-9a-f]{4}) \2\n\n/gm)].map(([, guid, lid]) => [
      guid,
      Number(lid),
    ]),
  )
  expect(guids.size).toBe(new Set(guids.values()).size)
  let at = 0
  for (const [level, each] of topology.levels.entries()) {
    for (let sw = 0; sw < each.switches; sw++) {
      const [, guid, , rows] = switches[at++]
      expect(guids.has(guid)).toBe(true)
      const entries = [
        ...rows.matchAll(/^(0x[0-9a-f]{4}) (\d{3}) : \(Channel Adapter portguid (0x[0-9a-f]{16}): 'node(\d+)'\)$/gm),
      ]
      const expected = Array.from({ length: topology.nodes }, (_, node) => [
        node,
        someRoutes.port(level, sw, node) + 1,
      ]).filter(([, port]) => port > 0)
      expect(
        entries.map(([, lid, port, portGuid, node]) => [
          Number(node),
          Number(port),
          Number(lid) - guids.get(portGuid)!,
        ]),
      ).toEqual(expected.map(([node, port]) => [node, port, 0]))
    }
  }
  expect(switches.length).toBe(at)
})

test('partitions.conf has a partition with a unique key for every running job', () => {
  const topology = parseTopology('radix:8')
  const jobs = [
    { job: '7', nodes: [3, 4, 9] },
    { job: 'a;b\n"c"', nodes: [0] },
    { job: '8', nodes: [127] },
  ]
  const text = textOf(topology, 'partitions.conf', jobs)
  expect(text.split('\n')[0]).toBe('Default=0x7fff : ALL=limited, SELF=full ;')
  const statements = text.replaceAll(/#.*\n/g, '').split(';').slice(1, -1)
  const keys = statements.map((each) => /^\s*job-([0-9a-f]{4})=0x\1, defmember=full :/.exec(each)![1])
  expect(keys).toEqual(['0005', '0002', '0081'])
  expect(statements.map((each) => [...each.matchAll(/0x0001[0-9a-f]{12}/g)].length)).toEqual([3, 1, 1])
  expect(text).toContain('# job "a;b\\n\\"c\\""\n')
})

test('opensmFiles writes the names of nodes and switches, and refuses equal names', () => {
  const named = withNodeNames(
    parseTopology('radix:4'),
    Array.from({ length: 16 }, (_, i) => `cab${i + 1}`),
  )
  expect(textOf(named, 'ibsim.net')).toContain('Ca\t1 "cab16"\t# "cab16"')
  const clash = withNodeNames(
    parseTopology('radix:4'),
    Array.from({ length: 16 }, (_, i) => (i === 3 ? 'leaf2' : `cab${i + 1}`)),
  )
  expect(() => textOf(clash, 'ibsim.net')).toThrow(
    new ExportError('"leaf2" is the name of two nodes or switches; a fabric needs unique names'),
  )
})

test('opensmFiles refuses a topology with more nodes and switches than InfiniBand has addresses', () => {
  expect(() => opensmFiles(parseTopology('radix:64'), someRoutes, [])).toThrow(
    /radix:64 has 70656 nodes and switches; InfiniBand has addresses for 49151/,
  )

  const wide = parseTopology('pgft:1;40000;1;1')
  expect(() => textOf(wide, 'partitions.conf', [{ job: '1', nodes: [39_999] }])).toThrow(
    'node 39999 gives a partition key of 40001; keys go up to 32766',
  )
})
