import { Draw } from '@cloister/placement/testing'
import { jigsaw } from '@cloister/policy-jigsaw'
import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fabricRoutes, followOn } from '../src/index.ts'
import { range } from './allocations.ts'
import { runningJobs } from './running-jobs.ts'
import { tablesOf } from './tables-of.ts'

const topologies = ['radix:4', 'radix:6', 'pgft:2;4,5;1,3;1,2', 'pgft:3;4,4,3;1,4,2;1,1,2', 'pgft:3;6,4,3;1,2,2;1,3,2']

test("fabricRoutes leads from every node to every node without going up twice, and between nodes of a job over the job's links only", () => {
  let inside = 0
  fc.assert(
    fc.property(fc.constantFrom(...topologies), fc.integer({ min: 0 }), (spec, seed) => {
      const topology = parseTopology(spec)
      const jobs = runningJobs(topology, jigsaw, new Draw(seed), 25)
      const routes = fabricRoutes(topology, tablesOf(topology, jobs), jobs)
      const follow = followOn(topology)
      const own = jobs.map(({ links }) => links.map((ids) => new Set(Array.from(ids))))
      const jobOf = new Map(jobs.flatMap(({ nodes }, job) => Array.from(nodes, (node) => [node, job])))
      for (const from of range(0, topology.nodes))
        for (const to of range(0, topology.nodes)) {
          const job = jobOf.get(from)
          const isInside = job !== undefined && job === jobOf.get(to)
          follow(routes, from, to, (level, link) => {
            if (isInside && !own[job][level].has(link)) throw new Error(`${from} to ${to}: link ${link} is another's`)
            if (isInside) inside++
          })
        }
    }),
    { numRuns: 15 },
  )
  expect(inside).toBeGreaterThan(1000)
})
