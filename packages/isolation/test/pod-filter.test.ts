import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type TreeShape, treeShapeOf } from '../src/tree-shape.ts'
import { PodFilter } from '../src/several-pods.ts'
import { countCommon } from '../src/slots.ts'

const trees = ['pgft:3;2,2,6;1,2,4;1,1,1', 'pgft:3;2,2,5;1,1,40;1,1,1'].map(
  (name) => treeShapeOf(parseTopology(name), false) as TreeShape,
)

/** Returns every choice of `pods` candidate pods with at least `slots` common slots at each L2 index. */
function choices(
  { l2PerPod, l2Words }: TreeShape,
  l2Slots: Int32Array,
  common: Int32Array,
  candidates: ReadonlyArray<number>,
  pods: number,
  slots: number,
): ReadonlyArray<ReadonlyArray<number>> {
  const words = l2PerPod * l2Words
  const grow = (
    chosen: ReadonlyArray<number>,
    mask: Int32Array,
    rest: ReadonlyArray<number>,
  ): ReadonlyArray<ReadonlyArray<number>> => {
    if (
      Array.from({ length: l2PerPod }, (_, i) => countCommon(mask, i * l2Words, mask, i * l2Words, l2Words)).some(
        (found) => found < slots,
      )
    )
      return []
    if (chosen.length === pods) return [chosen]
    return rest.flatMap((pod, at) =>
      grow(
        [...chosen, pod],
        mask.map((bits, word) => bits & l2Slots[pod * words + word]),
        rest.slice(at + 1),
      ),
    )
  }
  return grow([], common, candidates)
}

const cases = fc.constantFrom(...trees).chain((tree) => {
  const words = tree.pods * tree.l2PerPod * tree.l2Words
  const within = tree.l2Ports >= 32 ? -1 : (1 << tree.l2Ports) - 1
  // A union of two random masks has about three quarters of the slots; a single random mask has about half.
  const mask = fc.tuple(fc.integer(), fc.integer(), fc.boolean()).map(([a, b, many]) => (many ? a | b : a) & within)
  return fc.record({
    tree: fc.constant(tree),
    l2Slots: fc.array(mask, { minLength: words, maxLength: words }).map((masks) => Int32Array.from(masks)),
    candidates: fc.subarray(Array.from({ length: tree.pods }, (_, pod) => pod)),
    pods: fc.integer({ min: 1, max: tree.pods }),
    slots: fc.integer({ min: 1, max: 6 }),
    common: fc
      .array(mask, { minLength: tree.l2PerPod * tree.l2Words, maxLength: tree.l2PerPod * tree.l2Words })
      .map((masks) => Int32Array.from(masks)),
  })
})

test('PodFilter removes no pod of any solution, and keeps the order of the remaining pods', () => {
  let dropped = 0
  // One filter serves all states of a machine.
  const filters = new Map(trees.map((tree) => [tree, new PodFilter(tree)]))
  fc.assert(
    fc.property(cases, ({ tree, l2Slots, candidates, common, pods, slots }) => {
      const list = Int32Array.from([99, ...candidates])
      const stay = filters.get(tree)!.prune(l2Slots, list, 1, candidates.length, common, 0, pods, slots)
      const left = [...list.subarray(1, 1 + stay)]
      const needed = new Set(choices(tree, l2Slots, common, candidates, pods, slots).flat())
      expect([...needed].filter((pod) => !left.includes(pod))).toEqual([])
      expect(left).toEqual(candidates.filter((pod) => left.includes(pod)))
      expect(stay === 0 || stay >= pods).toBe(true)
      expect(list[0]).toBe(99)
      dropped += candidates.length - stay
    }),
    { numRuns: 2000, seed: 7 },
  )
  expect(dropped).toBeGreaterThan(1000)
})

test('PodFilter keeps exactly the pods with enough free slots if a solution has one pod', () => {
  const [tree] = trees
  const l2Slots = Int32Array.from([0b1111, 0b0001, 0b0111, 0b0111, 0b0011, 0b1111].flatMap((bits) => [bits, 0b1111]))
  const list = Int32Array.from([0, 1, 2, 3, 4, 5])
  const stay = new PodFilter(tree).prune(l2Slots, list, 0, 6, Int32Array.from([0b0111, -1]), 0, 1, 3)
  expect([...list.subarray(0, stay)]).toEqual([0, 2, 3, 5])
})
