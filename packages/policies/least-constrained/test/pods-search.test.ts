import { type FreeIndex, type Search, type TreeShape, treeShapeOf } from '@cloister/isolation'
import { popcount } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PodsSearch, type Shape } from '../src/pods-search.ts'

/** Factor of the number of random states. `CLOISTER_BRUTE_FORCE=20` selects the large form of the tests. */
const TIMES = Number(process.env['CLOISTER_BRUTE_FORCE'] ?? 1)
const tree = treeShapeOf(parseTopology('pgft:3;2,3,6;1,2,4;1,1,1'), false) as TreeShape
const { pods, leavesPerPod, l2PerPod } = tree
const podIds = Array.from({ length: pods }, (_, pod) => pod)

interface Free {
  /** Mask of the free uplinks of each leaf, which has as many free nodes, and of the free links of each L2 switch. */
  readonly leafSlots: ReadonlyArray<number>
  readonly l2Slots: ReadonlyArray<number>
}

/** Returns true if some cables, full pods and a remainder pod have enough leaves and common spines. */
function isPossible({ leafSlots, l2Slots }: Free, { pods: wanted, leaves, nodes, remainderLeaves }: Shape): boolean {
  const hasPods = (cables: number, chosen: ReadonlyArray<number>): boolean => {
    const leavesOf = (pod: number): number =>
      leafSlots.slice(pod * leavesPerPod, (pod + 1) * leavesPerPod).filter((mask) => (mask & cables) === cables).length
    const hasCommon = (all: ReadonlyArray<number>, least: number): boolean =>
      [0, 1].every(
        (i) =>
          ((cables >>> i) & 1) === 0 ||
          popcount(all.reduce((mask, pod) => mask & l2Slots[pod * l2PerPod + i], -1)) >= least,
      )
    const others = podIds.filter((pod) => !chosen.includes(pod))
    if (chosen.length === wanted)
      return (
        remainderLeaves === 0 ||
        others.some((pod) => leavesOf(pod) >= remainderLeaves && hasCommon([...chosen, pod], remainderLeaves))
      )
    return others.some(
      (pod) =>
        pod > (chosen.at(-1) ?? -1) &&
        leavesOf(pod) >= leaves &&
        hasCommon([...chosen, pod], leaves) &&
        hasPods(cables, [...chosen, pod]),
    )
  }
  return [0b01, 0b10, 0b11].some((cables) => popcount(cables) === nodes && hasPods(cables, []))
}

test('PodsSearch finds cables and pods if and only if there are any', () => {
  const found = { yes: 0, no: 0 }
  const search = new PodsSearch(tree, { step: () => true, exhausted: false } as unknown as Search)
  const free = fc.record({
    leafSlots: fc.array(fc.constantFrom(0b00, 0b01, 0b10, 0b11, 0b11), {
      minLength: pods * leavesPerPod,
      maxLength: pods * leavesPerPod,
    }),
    l2Slots: fc.array(fc.nat(15), { minLength: pods * l2PerPod, maxLength: pods * l2PerPod }),
  })
  const shape = fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: leavesPerPod }), fc.nat(2), fc.constantFrom(1, 2))
    .map(([wanted, leaves, most, nodes]): Shape => {
      const remainderLeaves = Math.min(most, leaves - 1)
      return { pods: wanted, leaves, nodes, remainderLeaves, remainder: 0, isInFullPod: false }
    })
  fc.assert(
    fc.property(free, fc.array(shape, { minLength: 8, maxLength: 8 }), (state, shapes) => {
      const [leafSlots, l2Slots] = [Int32Array.from(state.leafSlots), Int32Array.from(state.l2Slots)]
      search.begin({ leafSlots, l2Slots, usable: leafSlots.map(popcount) } as unknown as FreeIndex)
      for (const each of shapes) {
        const expected = isPossible(state, each)
        expect(search.find(each)).toBe(expected)
        found[expected ? 'yes' : 'no']++
      }
    }),
    { numRuns: 1000 * TIMES, seed: 11 },
  )
  expect(found.yes).toBeGreaterThan(500)
  expect(found.no).toBeGreaterThan(500)
})
