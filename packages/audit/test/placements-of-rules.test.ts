import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PlacementSearch } from '../src/invariants/placements-of-rules.ts'
import { keepsConditions } from './naive-conditions.ts'

/** Two pods of two leaves; a leaf has 2 nodes and 2 uplinks, and an L2 switch has 2 uplinks. */
const topology = parseTopology('pgft:3;2,2,2;1,2,2;1,1,1')
const ids = Array.from({ length: 8 }, (_, id) => id)

/** Free nodes, leaf uplinks and L2 uplinks. */
type Free = readonly [ReadonlyArray<number>, ReadonlyArray<number>, ReadonlyArray<number>]

const few = fc.subarray(ids, { minLength: 3 })
const states: fc.Arbitrary<Free> = fc.tuple(few, few, few)

function subsets(all: ReadonlyArray<number>, size: number): ReadonlyArray<ReadonlyArray<number>> {
  if (size === 0) return [[]]
  return all.flatMap((first, at) => subsets(all.slice(at + 1), size - 1).map((rest) => [first, ...rest]))
}

/** Returns the number of nodes on each leaf, or of nodes or links on each switch with two of them. */
function counts(all: ReadonlyArray<number>): ReadonlyArray<number> {
  return [0, 1, 2, 3].map((leaf) => all.filter((id) => id >> 1 === leaf).length)
}

/** Returns true if an allocation of free nodes and links keeps the conditions, and has whole leaves if in two pods. */
function allows([nodes, uplinks, l2Uplinks]: Free, size: number, remainderLeaves: 0 | 1): boolean {
  return subsets(nodes, size).some((chosen) => {
    const perLeaf = counts(chosen)
    const inTwoPods = perLeaf.slice(0, 2).some(Boolean) && perLeaf.slice(2).some(Boolean)
    if (inTwoPods && perLeaf.filter((each) => each === 1).length > remainderLeaves) return false
    const onOneLeaf = perLeaf.filter(Boolean).length === 1
    return subsets(uplinks, onOneLeaf ? 0 : size).some(
      (leafLinks) =>
        (onOneLeaf || counts(leafLinks).every((each, leaf) => each === perLeaf[leaf])) &&
        subsets(l2Uplinks, inTwoPods ? size : 0).some((l2Links) =>
          keepsConditions(topology, { nodes: chosen, links: [leafLinks, l2Links] }),
        ),
    )
  })
}

/** Returns true if an allocation has whole leaves in two pods, as few as can hold the nodes. */
function allowsWholeLeaves(free: Free, size: number): boolean {
  const whole = Math.ceil(size / 2) * 2
  return whole <= free[0].length && allows(free, whole, 0)
}

test.each(['jigsaw-conditions', 'laas'] as const)(
  'the auditor finds a placement under %s if and only if an allocation of free nodes and links is one',
  (rule) => {
    const search = new PlacementSearch(topology, rule, false)
    const met = new Set<boolean>()
    fc.assert(
      fc.property(states, fc.integer({ min: 1, max: 8 }), (free, size) => {
        const fits = search.sizesOn((level, id) => free[level + 1].includes(id))(size)
        met.add(fits)
        // Whole leaves in one pod hold every smaller job, so this allocation counts under laas, too.
        const expected =
          rule === 'laas'
            ? allowsWholeLeaves(free, size) || allowsInOnePod(free, size)
            : size <= free[0].length && allows(free, size, 1)
        expect(fits).toBe(expected)
      }),
      { numRuns: 150 },
    )
    expect(met.size).toBe(2)
  },
)

function allowsInOnePod([nodes, uplinks]: Free, size: number): boolean {
  return [0, 1].some((pod) => {
    const inPod = nodes.filter((node) => node >> 2 === pod)
    return size <= inPod.length && allows([inPod, uplinks, []], size, 1)
  })
}
