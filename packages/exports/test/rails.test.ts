// In these tests, the real OpenSM and the real `ibnetdiscover` see a fabric of several rails, which ibsim simulates.
import { partitionRouter } from '@cloister/network'
import { bindPolicy, ClusterState, type Placement } from '@cloister/placement'
import { ask } from '@cloister/placement/checks'
import { jigsaw } from '@cloister/policy-jigsaw'
import { SimulatedFabric, whatFabricLacks } from '@cloister/slurm-cluster'
import {
  downPorts,
  type Fabric,
  parseIbnetdiscover,
  parseTopology,
  topologyToJson,
  wholeFabric,
} from '@cloister/topology'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { opensmFiles } from '../src/index.ts'
import { routesOfRails } from '../src/rail-routes.ts'

const missing = whatFabricLacks()
/** 24 nodes with 8 adapters each, on 32 leaves and 6 spines. */
const topology = parseTopology('8 rails with common spines of pgft:2;6,4;1,3;1,2')
const fabric = wholeFabric(topology)
const down = downPorts(fabric)

/** Places jobs under Jigsaw, and fills the tables of one rail for the jobs. */
function placedJobs() {
  const { placer } = bindPolicy(jigsaw, topology)
  const state = new ClusterState(topology, { index: placer.index })
  const tables = partitionRouter().make(topology)
  if ('unsupported' in tables) throw new Error(tables.unsupported)
  const jobs = [8, 3, 9].map((nodes, at) => {
    const placement = ask(placer, state, nodes) as Placement
    const job = { job: `job${at}`, nodes: placement.nodes, links: placement.links }
    state.apply({ ...job, estimatedEnd: 1, startOrder: at, communicates: false })
    tables.start(job.job, job)
    return job
  })
  return { jobs, tables }
}

/** Returns level and number of the switch with a GUID. */
const switches = new Map<string, { readonly level: number; readonly sw: number }>(
  fabric.levels.flatMap(({ switches: count }, level) =>
    Array.from({ length: count }, (_, sw) => {
      const number = (sw + 1).toString(16).padStart(4, '0')
      return [`0x00020${level + 1}000000${number.slice(2)}${number.slice(0, 2)}`, { level, sw }] as const
    }),
  ),
)

/** Returns the cable of the fabric at a port of a switch, the first port being 1; undefined for the cable of a node. */
function cableAt({ levels }: Fabric, level: number, sw: number, port: number) {
  const { first, below } = down[level]
  const downs = first[sw + 1] - first[sw]
  if (port > downs) return { level, link: levels[level].firstPort[sw] + port - 1 - downs }
  return level === 0 ? undefined : { level: level - 1, link: below[first[sw] + port - 1] }
}

describe.skipIf(missing !== undefined)(
  `a machine of rails with common spines, on a simulated fabric${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    const { jobs, tables } = placedJobs()
    let simulated: SimulatedFabric
    beforeAll(async () => {
      simulated = await SimulatedFabric.boot(opensmFiles(topology, tables, jobs), SimulatedFabric.byFile)
    })
    afterAll(() => simulated?.stop())

    test('parseIbnetdiscover finds the rails of the fabric', () => {
      const read = parseIbnetdiscover(simulated.discover(), topology.name)
      expect(topologyToJson(read)).toEqual(topologyToJson(topology))
      expect(read.remarks).toBeUndefined()
    })

    test('OpenSM gives every switch the entries of its rail, and a common spine the entries of all rails', () => {
      const routes = routesOfRails(topology, fabric, tables)
      const expected = new Map<string, number>()
      for (const [guid, { level, sw }] of switches)
        for (let endPoint = 0; endPoint < fabric.nodes; endPoint++) {
          const port = routes.port(level, sw, endPoint)
          if (port >= 0) expected.set(`${guid} ${endPoint + 1}`, port + 1)
        }
      expect(simulated.tables()).toEqual(expected)
      expect(expected.size).toBeGreaterThan(600)
    })

    test('a message of a job takes, in each rail, the cables of the rail at the positions of the links of the job', () => {
      let traced = 0
      for (const { nodes, links } of jobs) {
        const own = links.map((ids, level) =>
          Array.from({ length: fabric.rails }, (_, rail) =>
            Array.from(ids, (link) => fabric.linkOf(rail, level, link)),
          ),
        )
        for (let rail = 0; rail < fabric.rails; rail++) {
          const ends = Array.from(nodes, (node) => rail * fabric.nodesOfRail + node)
          const pairs = ends.slice(1).map((to) => [ends[0] + 1, to + 1] as const)
          const paths = simulated.trace(fabric.nodeNames![ends[0]], pairs)
          expect(paths.length).toBe(pairs.length)
          paths.forEach((hops, at) => {
            expect(hops.at(-1)!.to).toBe(`0x0001${pairs[at][1].toString(16).padStart(10, '0')}01`)
            for (const { from, outPort } of hops.slice(1)) {
              const { level, sw } = switches.get(from)!
              const cable = cableAt(fabric, level, sw, outPort)
              if (cable !== undefined) expect(own[cable.level][rail]).toContain(cable.link)
            }
            traced++
          })
        }
      }
      expect(traced).toBe(8 * (7 + 2 + 8))
    })
  },
)

test('rails without a common switch are fabrics of their own, and one set of files serves each', () => {
  const apart = parseTopology('8 rails of pgft:2;6,4;1,3;1,2')
  const one = parseTopology('pgft:2;6,4;1,3;1,2')
  const { jobs, tables } = placedJobs()
  const textOf = (files: ReturnType<typeof opensmFiles>) =>
    files.map(({ name, pieces }) => [name, [...pieces].join('')])
  expect(textOf(opensmFiles(apart, tables, jobs))).toEqual(textOf(opensmFiles(one, tables, jobs)))
})
