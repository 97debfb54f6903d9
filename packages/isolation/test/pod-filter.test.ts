import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type TreeShape, treeShapeOf } from '../src/tree-shape.ts'
import { PodFilter } from '../src/pod-filter.ts'
import { countCommon } from '../src/slots.ts'

/** Factor of the number of random states. `CLOISTER_BRUTE_FORCE=20` selects the large form of the tests. */
const TIMES = Number(process.env['CLOISTER_BRUTE_FORCE'] ?? 1)

const trees = ['pgft:3;2,2,6;1,2,4;1,1,1', 'pgft:3;2,2,5;1,1,40;1,1,1'].map(
  (name) => treeShapeOf(parseTopology(name), false) as TreeShape,
)

function masks(length: number, within: number): fc.Arbitrary<Int32Array> {
  // A union of two random masks has about three quarters of the slots; a single random mask has about half.
  const mask = fc.tuple(fc.integer(), fc.integer(), fc.boolean()).map(([a, b, many]) => (many ? a | b : a) & within)
  return fc.array(mask, { minLength: length, maxLength: length }).map((words) => Int32Array.from(words))
}

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

/** Returns the candidates that remain if all slots are counted again after each removal. */
function remaining(
  { l2PerPod, l2Words }: TreeShape,
  l2Slots: Int32Array,
  common: Int32Array,
  candidates: ReadonlyArray<number>,
  pods: number,
  slots: number,
): ReadonlyArray<number> {
  const isFree = (pod: number, i: number, slot: number): boolean => {
    const word = i * l2Words + (slot >>> 5)
    return (((common[word] & l2Slots[pod * l2PerPod * l2Words + word]) >>> (slot & 31)) & 1) === 1
  }
  const indices = Array.from({ length: l2PerPod }, (_, i) => i)
  const slotsOf = Array.from({ length: 32 * l2Words }, (_, slot) => slot)
  for (let left = candidates; ;) {
    if (left.length < pods) return []
    const counting = indices.map((i) =>
      slotsOf.filter((slot) => left.filter((pod) => isFree(pod, i, slot)).length >= pods),
    )
    const next = left.filter((pod) =>
      indices.every((i) => counting[i].filter((slot) => isFree(pod, i, slot)).length >= slots),
    )
    if (next.length === left.length) return left
    left = next
  }
}

const cases = fc.constantFrom(...trees).chain((tree) => {
  const row = tree.l2PerPod * tree.l2Words
  const within = tree.l2Ports >= 32 ? -1 : (1 << tree.l2Ports) - 1
  // Pods of three kinds. Pods of one kind have the same free slots.
  const alike = fc
    .tuple(masks(3 * row, within), fc.array(fc.nat(2), { minLength: tree.pods, maxLength: tree.pods }))
    .map(([rows, kinds]) => Int32Array.from(kinds.flatMap((each) => [...rows.subarray(each * row, (each + 1) * row)])))
  return fc.record({
    tree: fc.constant(tree),
    l2Slots: fc.oneof(masks(tree.pods * row, within), alike),
    candidates: fc.subarray(Array.from({ length: tree.pods }, (_, pod) => pod)),
    pods: fc.integer({ min: 1, max: tree.pods }),
    slots: fc.integer({ min: 1, max: 6 }),
    depth: fc.nat(2),
    common: masks(row, within),
    descends: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
  })
})
// One filter serves all states of a machine.
const filters = new Map(trees.map((tree) => [tree, new PodFilter(tree)]))

test('PodFilter removes no pod of any solution, and keeps the order of the remaining pods', () => {
  let dropped = 0
  fc.assert(
    fc.property(cases, ({ tree, l2Slots, candidates, depth, common, pods, slots }) => {
      const filter = filters.get(tree)!
      filter.common.set(common, depth * common.length)
      filter.candidates.set([99, ...candidates], depth * tree.pods)
      const from = depth * tree.pods + 1
      const stay = filter.prune(l2Slots, depth, from, candidates.length, pods, slots)
      const left = [...filter.candidates.subarray(from, from + stay)]
      const needed = new Set(choices(tree, l2Slots, common, candidates, pods, slots).flat())
      expect([...needed].filter((pod) => !left.includes(pod))).toEqual([])
      expect(left).toEqual(candidates.filter((pod) => left.includes(pod)))
      expect(stay === 0 || stay >= pods).toBe(true)
      expect(filter.candidates[from - 1]).toBe(99)
      dropped += candidates.length - stay
    }),
    { numRuns: 2000 * TIMES, seed: 7 },
  )
  expect(dropped).toBeGreaterThan(1000)
})

test('PodFilter keeps the same pods as a filter that counts again, along random searches', () => {
  let dropped = 0
  let deepest = 0
  fc.assert(
    fc.property(cases, ({ tree, l2Slots, candidates, common, pods, slots, descends }) => {
      const filter = filters.get(tree)!
      const words = common.length
      let calls = 0
      const search = (depth: number, length: number, gone?: number): void => {
        let from = depth * tree.pods
        const row = filter.common.subarray(depth * words, (depth + 1) * words)
        for (let left = length, pod = gone; calls < descends.length; from++, left--) {
          const before = [...filter.candidates.subarray(from, from + left)]
          const isDescent = descends[calls++]
          left = filter.prune(l2Slots, depth, from, left, pods - depth, slots, pod)
          const after = [...filter.candidates.subarray(from, from + left)]
          expect(after).toEqual(remaining(tree, l2Slots, row, before, pods - depth, slots))
          if (pod !== undefined) dropped += before.length - left
          deepest = Math.max(deepest, depth)
          if (left === 0) return
          pod = filter.candidates[from]
          if (!isDescent || depth + 1 === pods) continue
          for (let word = 0; word < words; word++)
            filter.common[(depth + 1) * words + word] = row[word] & l2Slots[pod * words + word]
          filter.descend(depth, from + 1, left - 1)
          search(depth + 1, left - 1, pod)
        }
      }
      filter.common.set(common)
      filter.candidates.set(candidates)
      search(0, candidates.length)
    }),
    { numRuns: 2000 * TIMES, seed: 8 },
  )
  expect(dropped).toBeGreaterThan(500)
  expect(deepest).toBeGreaterThan(2)
})

test('PodFilter keeps exactly the pods with enough free slots if a solution has one pod', () => {
  const [tree] = trees
  const l2Slots = Int32Array.from([0b1111, 0b0001, 0b0111, 0b0111, 0b0011, 0b1111].flatMap((bits) => [bits, 0b1111]))
  const filter = new PodFilter(tree)
  filter.candidates.set([0, 1, 2, 3, 4, 5])
  filter.common.set([0b0111, -1])
  const stay = filter.prune(l2Slots, 0, 0, 6, 1, 3)
  expect([...filter.candidates.subarray(0, stay)]).toEqual([0, 2, 3, 5])
})
