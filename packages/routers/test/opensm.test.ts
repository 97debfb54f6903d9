// In these tests, the real OpenSM routes fabrics that ibsim simulates.
import { opensmFiles } from '@cloister/exports'
import type { ForwardingTables, Router } from '@cloister/placement'
import { SimulatedFabric, whatFabricLacks } from '@cloister/slurm-cluster'
import { downPorts, parseTopology, switchGraph, switchName, type Topology } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { ftreeRouter, minHopRouter, updnRouter } from '../src/index.ts'
import { tablesOf } from './machines.ts'

type Entries = ReadonlyMap<string, number>

/** Link to remove from a fabric: its level, and its id on this level. */
type Cut = readonly [level: number, link: number]

const missing = whatFabricLacks()
const engines = { minhop: minHopRouter, updn: updnRouter, ftree: ftreeRouter } as const satisfies Record<string, Router>

/** Leaves of different sizes, for which `ftree` counts missing nodes. */
const uneven = switchGraph({
  name: 'uneven leaves',
  leaves: [2, 4, 1, 4, 3],
  parents: [Array.from({ length: 5 }, () => [0, 1, 2, 0, 1, 2])],
})

const machines: ReadonlyArray<Topology> = [
  parseTopology('pgft:2;4,6;1,3;1,2'),
  parseTopology('pgft:3;4,3,3;1,2,2;1,1,2'),
  parseTopology('pgft:3;6,4,3;1,2,2;1,3,2'),
  uneven,
]

/** Machine and links that fail: an uplink of a leaf, and an uplink of an L2 switch. */
const broken: readonly [Topology, ReadonlyArray<Cut>] = [
  parseTopology('pgft:3;4,3,3;1,2,2;1,1,2'),
  [
    [0, 3],
    [1, 8],
  ],
]

function afterFailures(router: Router, topology: Topology, cuts: ReadonlyArray<Cut>): ForwardingTables {
  const tables = tablesOf(router, topology)
  for (const [level, link] of cuts)
    tables.change!('down', { nodes: [], links: topology.levels.map((_, at) => (at === level ? [link] : [])) })
  return tables
}

/** Returns all entries for nodes by `GUID of the switch, LID of the node`, in the form of `SimulatedFabric.tables`. */
function entriesOf(topology: Topology, tables: ForwardingTables): Entries {
  const entries = new Map<string, number>()
  topology.levels.forEach(({ switches }, level) => {
    for (let sw = 0; sw < switches; sw++)
      for (let node = 0; node < topology.nodes; node++) {
        const port = tables.port(level, sw, node)
        if (port >= 0) entries.set(`${guidOf(level, sw)} ${node + 1}`, port + 1)
      }
  })
  return entries
}

function guidOf(level: number, sw: number): string {
  return `0x00020${level + 1}000000${(sw + 1).toString(16).padStart(2, '0')}00`
}

/** Returns the entries of a routing engine of OpenSM for nodes, without the entries for switches. */
async function opensmEntries(topology: Topology, engine: string, cuts: ReadonlyArray<Cut> = []): Promise<Entries> {
  const files = opensmFiles(topology, { port: () => -1 }, []).map(({ name, pieces }) => ({
    name,
    pieces:
      name === 'ibsim.net' ? [cuts.reduce((text, cut) => without(topology, text, cut), [...pieces].join(''))] : pieces,
  }))
  const top = topology.levels.length - 1
  const roots = Array.from({ length: topology.levels[top].switches }, (_, sw) => `${guidOf(top, sw)}\n`)
  // On a fabric with failed links, OpenSM's own search for the roots finds wrong switches.
  const options = engine === 'updn' && cuts.length > 0 ? ['-a', 'roots'] : []
  const fabric = await SimulatedFabric.boot(
    [...files, { name: 'roots', pieces: roots }],
    ['-R', `${engine},no_fallback`, ...options],
  )
  try {
    return new Map([...fabric.tables()].filter(([key]) => Number(key.split(' ')[1]) <= topology.nodes))
  } finally {
    await fabric.stop()
  }
}

/** Returns a netlist of ibsim without the lines of a link at both of its ends. */
function without(topology: Topology, netlist: string, [level, link]: Cut): string {
  const { firstPort, parentOfLink } = topology.levels[level]
  const ports = downPorts(topology)
  const sw = firstPort.findLastIndex((first) => first <= link)
  const upPort = ports[level].first[sw + 1] - ports[level].first[sw] + link - firstPort[sw]
  const [lower, upper] = [switchName(topology, level, sw), switchName(topology, level + 1, parentOfLink[link])]
  const ends = [upPort + 1, ports[level + 1].portOf[link] + 1]
  return netlist
    .replace(`[${ends[0]}]\t"${upper}"[${ends[1]}]\n`, '')
    .replace(`[${ends[1]}]\t"${lower}"[${ends[0]}]\n`, '')
}

describe.skipIf(missing !== undefined)(
  `tables of OpenSM${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    const cases = machines.flatMap((topology) =>
      Object.entries(engines).map((each) => [topology.name, topology, ...each] as const),
    )

    test.each(cases)(
      'on %s, every entry of the engine $2 equals the entry of our router',
      async (_, topology, engine, router) => {
        const theirs = await opensmEntries(topology, engine)
        const switches = topology.levels.reduce((sum, level) => sum + level.switches, 0)
        expect(theirs.size).toBe(topology.nodes * switches)
        expect(entriesOf(topology, tablesOf(router, topology))).toEqual(theirs)
      },
    )

    test('after failures of two links, every entry of the engine updn, with the roots in a file, equals our entry', async () => {
      const [topology, cuts] = broken
      const ours = entriesOf(topology, afterFailures(updnRouter, topology, cuts))
      expect(ours).toEqual(await opensmEntries(topology, 'updn', cuts))
      expect(ours).not.toEqual(entriesOf(topology, tablesOf(updnRouter, topology)))
    })

    test('after failures of two links, each of our entries equals an entry of minhop; further entries of minhop lead down before up', async () => {
      const [topology, cuts] = broken
      const ours = entriesOf(topology, afterFailures(minHopRouter, topology, cuts))
      const theirs = await opensmEntries(topology, 'minhop', cuts)
      expect(new Map([...theirs].filter(([key]) => ours.has(key)))).toEqual(ours)
      const further = [...theirs.keys()].filter((key) => !ours.has(key))
      expect(further.length).toBeGreaterThan(0)
      expect(further.filter((key) => key.startsWith('0x000201'))).toEqual([])
    })

    test('OpenSM refuses a tree with a failed link for ftree, so this router has no entries to compare after failures', async () => {
      await expect(opensmEntries(parseTopology('pgft:2;4,6;1,3;1,2'), 'ftree', [[0, 3]])).rejects.toThrow(/refused/)
    })

    test('the comparison finds the entries of another engine', async () => {
      const [topology] = machines
      expect(entriesOf(topology, tablesOf(minHopRouter, topology))).not.toEqual(await opensmEntries(topology, 'ftree'))
    })
  },
)
