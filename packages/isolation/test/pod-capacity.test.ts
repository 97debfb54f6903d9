/** Tests of `PodCapacity` against a model that tries every set of uplinks and every large leaf. */
import { popcount } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PodCapacity } from '../src/pod-capacity.ts'
import { type TreeShape, treeShapeOf } from '../src/tree-shape.ts'

/** Factor of the number of random states. `CLOISTER_BRUTE_FORCE=20` selects the large form of the tests. */
const TIMES = Number(process.env['CLOISTER_BRUTE_FORCE'] ?? 1)

const shapeOf = (name: string, isShare: boolean): TreeShape => treeShapeOf(parseTopology(name), isShare) as TreeShape

interface Leaf {
  readonly free: number
  readonly slots: number
}

/** Returns the largest job on a set of uplinks, without a large leaf or with a given one; 0 if no leaf has the set. */
function jobOn({ nodesFor }: TreeShape, leaves: ReadonlyArray<Leaf>, set: number, large?: Leaf): number {
  const nodesOf = ({ free, slots }: Leaf): number => Math.min(free, nodesFor[popcount(slots & set)])
  const full = leaves.filter(({ slots }) => (slots & set) === set)
  if (full.length === 0 || (large !== undefined && !full.includes(large))) return 0
  const rest = Math.max(0, ...leaves.filter((leaf) => !full.includes(leaf)).map(nodesOf))
  const others = full.filter((leaf) => leaf !== large).reduce((sum, leaf) => sum + nodesOf(leaf), rest)
  return large === undefined ? others : large.free + Math.min(nodesFor[popcount(set)], others)
}

function largestJob(tree: TreeShape, leaves: ReadonlyArray<Leaf>): number {
  let best = Math.max(...leaves.map(({ free }) => free))
  for (let set = 1; set < 1 << tree.leafPorts; set++)
    for (const large of [undefined, ...leaves]) best = Math.max(best, jobOn(tree, leaves, set, large))
  return best
}

/** Draws the leaves of the second pod of a tree. Many leaves have equal free uplinks, as on a machine with jobs. */
function cases(tree: TreeShape): fc.Arbitrary<ReadonlyArray<Leaf>> {
  const all = (1 << tree.leafPorts) - 1
  const leaf = fc.record({
    free: fc.integer({ min: 0, max: tree.nodesPerLeaf }),
    slots: fc.oneof(fc.constantFrom(all, 0, all & 0b0101_0101), fc.integer({ min: 0, max: all })),
  })
  return fc.array(leaf, { minLength: tree.leavesPerPod, maxLength: tree.leavesPerPod })
}

function indexOf({ leavesPerPod, nodesFor }: TreeShape, leaves: ReadonlyArray<Leaf>) {
  // The first pod differs from the second pod: all its nodes and uplinks are taken.
  const cells = (of: (leaf: Leaf) => number): Int32Array =>
    Int32Array.from([...Array<number>(leavesPerPod).fill(0), ...leaves.map(of)])
  return {
    free: cells(({ free }) => free),
    usable: cells(({ free, slots }) => Math.min(free, nodesFor[popcount(slots)])),
    leafSlots: cells(({ slots }) => slots),
  }
}

const trees: ReadonlyArray<readonly [name: string, isShare: boolean]> = [
  ['pgft:3;6,7,2;1,6,7;1,1,1', false],
  ['pgft:3;5,4,2;1,2,4;1,2,1', false],
  ['pgft:3;9,5,2;1,6,5;1,1,1', true],
]

test.each(trees)('PodCapacity finds the largest job of a pod of %s, share %s', (name, isShare) => {
  const tree = shapeOf(name, isShare)
  const capacity = new PodCapacity(tree)
  const seen = { one: 0, several: 0, large: 0 }
  fc.assert(
    fc.property(cases(tree), (leaves) => {
      const most = largestJob(tree, leaves)
      expect(capacity.of(indexOf(tree, leaves), 1)).toBe(most)
      if (capacity.isOneLeaf) {
        seen.one++
        return
      }
      const large = capacity.largeLeaf < 0 ? undefined : leaves[capacity.largeLeaf - tree.leavesPerPod]
      expect(jobOn(tree, leaves, capacity.uplinks[0], large)).toBe(most)
      if (large === undefined) seen.several++
      else seen.large++
    }),
    { numRuns: 1000 * TIMES, seed: 7 },
  )
  expect(Math.min(seen.one, seen.several, seen.large)).toBeGreaterThan(10)
})

test('PodCapacity returns an upper bound if a pod has many sets of uplinks', () => {
  const tree = shapeOf('pgft:3;12,11,2;1,11,11;1,1,1', false)
  const capacity = new PodCapacity(tree)
  fc.assert(
    fc.property(cases(tree), (leaves) => {
      const most = capacity.of(indexOf(tree, leaves), 1)
      for (let set = 1; set < 1 << tree.leafPorts; set++) expect(jobOn(tree, leaves, set) <= most).toBe(true)
    }),
    { numRuns: 20 * TIMES, seed: 7 },
  )
})
