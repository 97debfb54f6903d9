import { sha256 } from '@cloister/eventlog/node'
import { parseTopology, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { auditRecords } from '../src/index.ts'
import { type Allocation, ascending } from './allocations.ts'
import { hasFullBandwidth } from './full-bandwidth.ts'
import { idset, LogBuilder } from './log-builder.ts'

/** Returns allocations of a few random nodes, with all uplinks of leaves and L2 switches that TA demands. */
function allocations(topology: Topology): fc.Arbitrary<Allocation> {
  const { leafOfNode, podOfLeaf, levels, firstL2OfPod } = topology
  const uplinks = (level: number, from: number, end: number): ReadonlyArray<number> =>
    Array.from(
      { length: levels[level].firstPort[end] - levels[level].firstPort[from] },
      (_, i) => levels[level].firstPort[from] + i,
    )
  return fc.uniqueArray(fc.nat(topology.nodes - 1), { minLength: 2, maxLength: 5 }).map((unsorted): Allocation => {
    const nodes = ascending(unsorted)
    const leaves = ascending(new Set(nodes.map((node) => leafOfNode[node])))
    const pods = ascending(new Set(leaves.map((leaf) => podOfLeaf[leaf])))
    return {
      nodes,
      links: [
        leaves.length > 1 ? leaves.flatMap((leaf) => uplinks(0, leaf, leaf + 1)) : [],
        pods.length > 1 ? pods.flatMap((pod) => uplinks(1, firstL2OfPod[pod], firstL2OfPod[pod + 1])) : [],
      ],
    }
  })
}

/** Returns true if the auditor derives full bandwidth from TA's rule; undefined if the rule is broken. */
function vouchesFor(topology: Topology, { nodes, links }: Allocation): boolean | undefined {
  const log = new LogBuilder({ topology, jobs: 1, claims: { links: 'owned', rule: 'ta', full_bandwidth: true } })
  log.submit(0, 'a', nodes.length, 10)
  log.allocate(0, 'a', {
    nodes: idset(nodes),
    ...(links[0].length > 0 ? { links: links.filter(({ length }) => length > 0).map(idset) } : {}),
  })
  log.complete(10, 'a')
  const report = auditRecords(log.end(10).records, sha256)
  return report.violations.length > 0 ? undefined : report.untestedClaims.length === 0
}

describe('full bandwidth by the rule ta, compared with routing every permutation', () => {
  test.each(['radix:4', 'pgft:3;2,2,2;1,2,2;1,1,1', 'pgft:3;2,2,3;1,1,1;1,2,4', 'pgft:3;1,3,3;1,2,3;1,1,2'])(
    'on the tree %s, every allocation to which the auditor ascribes full bandwidth by the rule ta can route every permutation',
    (spelling) => {
      const topology = parseTopology(spelling)
      let vouched = 0
      fc.assert(
        fc.property(allocations(topology), (each) => {
          if (vouchesFor(topology, each) !== true) return
          vouched++
          expect(hasFullBandwidth(topology, each)).toBe(true)
        }),
        { numRuns: 120 },
      )
      expect(vouched).toBeGreaterThan(0)
    },
  )

  test.each(['pgft:3;2,2,2;1,1,1;1,1,1', 'pgft:3;2,2,3;1,1,1;1,2,1'])(
    'on the tapered tree %s, the auditor ascribes full bandwidth to no allocation by the rule ta, and some allocations lack full bandwidth',
    (spelling) => {
      const topology = parseTopology(spelling)
      let lacking = 0
      fc.assert(
        fc.property(allocations(topology), (each) => {
          const vouched = vouchesFor(topology, each)
          if (vouched === undefined) return
          expect(vouched).toBe(false)
          if (!hasFullBandwidth(topology, each)) lacking++
        }),
        { numRuns: 120 },
      )
      expect(lacking).toBeGreaterThan(0)
    },
  )
})
