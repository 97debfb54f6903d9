import type { Resources, Routes } from '@cloister/placement'
import { Draw } from '@cloister/placement/testing'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import { parseTopology, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  allToAll,
  dModK,
  followOn,
  LinkLoads,
  type LoadReport,
  matrixTraffic,
  permuted,
  randomPermutation,
  shift,
  type Traffic,
} from '../src/index.ts'
import { range } from './allocations.ts'
import { runningJobs } from './running-jobs.ts'
import { tablesOf } from './tables-of.ts'

interface Running {
  readonly routes: Routes
  readonly traffic: ReadonlyArray<Traffic>
}

function reportOf(topology: Topology, { routes, traffic }: Running, hotspots?: number): LoadReport {
  const loads = new LinkLoads(topology)
  traffic.forEach((each, job) => loads.add(`${job}`, routes, each))
  return loads.report(hotspots)
}

/** Returns a map from the name of a link to the load of each job on the link, computed link by link. */
function naiveLoads(topology: Topology, { routes, traffic }: Running): Map<string, Map<number, number>> {
  const follow = followOn(topology)
  const loads = new Map<string, Map<number, number>>()
  traffic.forEach((each, job) =>
    each((source, target, amount) =>
      follow(routes, source, target, (level, link, up) => {
        const key = `${level} ${link} ${up ? 'up' : 'down'}`
        const load = loads.get(key) ?? new Map<number, number>()
        loads.set(key, load.set(job, (load.get(job) ?? 0) + amount))
      }),
    ),
  )
  return loads
}

function trafficOf({ nodes }: Resources, kind: number): Traffic {
  const n = nodes.length
  switch (kind) {
    case 0:
      return allToAll(nodes)
    case 1:
      return permuted(nodes, shift(n, 1))
    case 2:
      return permuted(nodes, randomPermutation(n, n))
    default:
      return matrixTraffic(
        nodes,
        range(0, n).map((i) => range(0, n).map((j) => (i * j) % 3)),
      )
  }
}

const topologies = ['radix:4', 'radix:8', 'pgft:3;6,4,5;1,2,2;1,3,2', 'pgft:2;4,5;1,3;1,2'].map((each) =>
  parseTopology(each),
)

test('the report of LinkLoads has the sums, hotspots, users and largest loads of a count link by link', () => {
  fc.assert(
    fc.property(fc.constantFrom(...topologies), fc.integer({ min: 0 }), fc.nat(3), (topology, seed, kind) => {
      const jobs = runningJobs(topology, baseline, new Draw(seed), 20)
      const running = { routes: dModK(topology), traffic: jobs.map((resources) => trafficOf(resources, kind)) }
      const naive = naiveLoads(topology, running)
      const total = (key: string): number => [...naive.get(key)!.values()].reduce((a, b) => a + b, 0)
      const totals = [...naive.keys()].map(total)
      const report = reportOf(topology, running, 5)
      expect(report.links).toBe(naive.size)
      expect(report.shared).toBe([...naive.values()].filter(({ size }) => size > 1).length)
      expect(report.worst).toBe(Math.max(0, ...totals))
      expect(report.hotspots.map(({ load }) => load)).toEqual(totals.toSorted((a, b) => b - a).slice(0, 5))
      for (const { level, link, direction, load, jobs: users } of report.hotspots) {
        expect(total(`${level} ${link} ${direction}`)).toBe(load)
        expect(naive.get(`${level} ${link} ${direction}`)!.size).toBe(users)
      }
      report.jobs.forEach((each, job) => {
        const mine = [...naive].filter(([, load]) => load.has(job))
        const most = (value: (key: string, own: number) => number): number =>
          Math.max(0, ...mine.map(([key, load]) => value(key, load.get(job)!)))
        expect(each).toEqual({
          job: `${job}`,
          links: mine.length,
          shared: mine.filter(([, load]) => load.size > 1).length,
          worstOwn: most((_, own) => own),
          worstForeign: most((key, own) => total(key) - own),
          worst: most(total),
        })
      })
    }),
    { numRuns: 60 },
  )
})

describe.each(['radix:8', 'pgft:3;4,4,4;1,2,2;1,1,1', 'pgft:3;4,4,3;1,4,2;1,1,2'].map((each) => parseTopology(each)))(
  'simultaneous jobs on the topology $name',
  (topology) => {
    test.each([0, 1, 2, 3])(
      'jobs share links under D-mod-k routes, and no link under partition routes: traffic of kind %i (all-to-all, shift, random permutation, matrix)',
      (kind) => {
        let interfering = 0
        let isolatedLinks = 0
        for (let seed = 0; seed < 8; seed++) {
          const shared = runningJobs(topology, baseline, new Draw(seed), 40)
          interfering += reportOf(topology, {
            routes: dModK(topology),
            traffic: shared.map((resources) => trafficOf(resources, kind)),
          }).shared
          const isolated = runningJobs(topology, jigsaw, new Draw(seed), 40)
          const report = reportOf(topology, {
            routes: tablesOf(topology, isolated),
            traffic: isolated.map((resources) => trafficOf(resources, kind)),
          })
          expect(report.shared).toBe(0)
          expect(report.jobs.every(({ worstForeign }) => worstForeign === 0)).toBe(true)
          isolatedLinks += report.links
        }
        expect(interfering).toBeGreaterThan(0)
        expect(isolatedLinks).toBeGreaterThan(0)
      },
    )
  },
)

test('the table of a job that owns the whole tree has one flow a link for a shift, and several for a random permutation', () => {
  const topology = parseTopology('radix:8')
  const everything = { nodes: range(0, topology.nodes), links: topology.levels.map(({ links }) => range(0, links)) }
  const routes = tablesOf(topology, [everything])
  const worst = (permutation: Int32Array): number =>
    reportOf(topology, { routes, traffic: [permuted(everything.nodes, permutation)] }).worst
  expect(worst(shift(topology.nodes, 5))).toBe(1)
  expect(worst(randomPermutation(topology.nodes, 1))).toBeGreaterThan(1)
})

test('permuted and matrixTraffic refuse a permutation or matrix for a different number of nodes', () => {
  expect(() => permuted([3, 4], [0])).toThrow(
    'the permutation of 2 nodes has 1 places; expected one place for each node',
  )
  expect(() => matrixTraffic([3, 4], [[0, 1]])).toThrow(
    'the traffic matrix of 2 nodes has a wrong size; expected one row and one column for each node',
  )
})
