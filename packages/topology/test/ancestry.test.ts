import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leavesBelow, lowestCommonLevel, parseSlurmTopology, pgft, type Topology } from '../src/index.ts'
import { fileOf, linksOf, shapes, slurmLines } from './arbitraries.ts'

/** Returns the set of leaves below each switch of each level, found by following every link. */
function leavesByLinks(topology: Topology): Array<Array<Set<number>>> {
  const below = [Array.from({ length: topology.leaves }, (_, leaf) => new Set([leaf]))]
  for (let level = 1; level < topology.levels.length; level++) {
    const sets = Array.from({ length: topology.levels[level].switches }, () => new Set<number>())
    for (const [child, , parent] of linksOf(topology, level - 1))
      for (const leaf of below[level - 1][child]) sets[parent].add(leaf)
    below.push(sets)
  }
  return below
}

function expectAncestry(topology: Topology): void {
  const below = leavesByLinks(topology)
  below.forEach((sets, level) => {
    sets.forEach((leaves, sw) =>
      expect([...leavesBelow(topology, level, sw)]).toEqual([...leaves].sort((a, b) => a - b)),
    )
  })
  for (let a = 0; a < topology.leaves; a++) {
    for (let b = 0; b < topology.leaves; b++) {
      const level = below.findIndex((sets) => sets.some((leaves) => leaves.has(a) && leaves.has(b)))
      const nodes = [topology.firstNodeOfLeaf[a + 1] - 1, topology.firstNodeOfLeaf[b]] as const
      expect(lowestCommonLevel(topology, ...nodes)).toBe(level < 0 ? topology.levels.length : level)
    }
  }
}

test('lowestCommonLevel and leavesBelow agree with a walk along the links, in regular trees', () => {
  fc.assert(
    fc.property(shapes, (shape) => expectAncestry(pgft(shape))),
    { numRuns: 60 },
  )
})

test('lowestCommonLevel and leavesBelow agree with a walk along the links, in irregular graphs', () => {
  fc.assert(
    fc.property(slurmLines, (lines) => expectAncestry(parseSlurmTopology(fileOf(lines, lines), 'x'))),
    { numRuns: 60 },
  )
})

test('lowestCommonLevel is the number of levels for nodes of two leaves without a common switch above, also in one pod', () => {
  const chain =
    'SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\nSwitchName=c Nodes=n3\nSwitchName=x Switches=a,b\nSwitchName=y Switches=b,c'
  const topology = parseSlurmTopology(chain, 'chain')
  expect(topology.pods).toBe(1)
  expect([
    lowestCommonLevel(topology, 0, 1),
    lowestCommonLevel(topology, 1, 2),
    lowestCommonLevel(topology, 0, 2),
  ]).toEqual([1, 1, 2])
})
