import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FreeIndex } from '../src/free-index.ts'
import { Refutations } from '../src/refutations.ts'
import { Search } from '../src/search.ts'
import { type PodShape, SeveralPodsSearch } from '../src/several-pods.ts'
import { countCommon } from '../src/slots.ts'
import { type TreeShape, treeShapeOf } from '../src/tree-shape.ts'

/** `CLOISTER_BRUTE_FORCE=20` selects the large form of the tests: twenty times as many runs. */
const RUNS = 300 * Number(process.env['CLOISTER_BRUTE_FORCE'] ?? 1)
/** Number of searches of a run. The searches share refutations, and each state differs little from an earlier state. */
const SEARCHES = 30

const trees = ['pgft:3;2,3,5;1,2,3;1,1,1', 'pgft:3;4,2,4;1,2,20;1,2,2'].map(
  (name) => treeShapeOf(parseTopology(name), false) as TreeShape,
)

interface State {
  /** Number of whole leaves of each pod. */
  readonly whole: ReadonlyArray<number>
  readonly l2Slots: Int32Array
}

interface Query {
  readonly state: State
  readonly shape: PodShape
}

/** Returns the first solution, in order of ids: full pods and, if the shape has remainder leaves, a remainder pod. */
function firstSolution(tree: TreeShape, { whole, l2Slots }: State, shape: PodShape): ReadonlyArray<number> | undefined {
  const { pods, l2PerPod, l2Words, leafCables, spinesFor, cablesFor } = tree
  const row = l2PerPod * l2Words
  const isFree = (pod: number, common: Int32Array, isEnough: (slots: number) => boolean): boolean =>
    Array.from({ length: l2PerPod }, (_, i) =>
      countCommon(common, i * l2Words, l2Slots, pod * row + i * l2Words, l2Words),
    ).every(isEnough)
  const grow = (chosen: ReadonlyArray<number>, common: Int32Array, from: number): ReadonlyArray<number> | undefined => {
    if (chosen.length === shape.pods) {
      if (shape.remainderLeaves === 0) return chosen
      for (let pod = 0; pod < pods; pod++) {
        if (chosen.includes(pod) || whole[pod] < shape.remainderLeaves) continue
        if (isFree(pod, common, (slots) => cablesFor[slots] >= shape.remainderLeaves * leafCables))
          return [...chosen, pod]
      }
      return undefined
    }
    for (let pod = from; pod < pods; pod++) {
      if (whole[pod] < shape.leaves) continue
      if (!isFree(pod, common, (slots) => slots >= spinesFor[shape.leavesUp * leafCables])) continue
      const found = grow(
        [...chosen, pod],
        common.map((bits, word) => bits & l2Slots[pod * row + word]),
        pod + 1,
      )
      if (found !== undefined) return found
    }
    return undefined
  }
  return grow([], new Int32Array(row).fill(-1), 0)
}

/** Draws searches in states that follow each other: a few words of masks and numbers of whole leaves change. */
function queriesOn(tree: TreeShape): fc.Arbitrary<ReadonlyArray<Query>> {
  const words = tree.pods * tree.l2PerPod * tree.l2Words
  const within = (1 << tree.l2Ports) - 1 || -1
  const mask = fc.tuple(fc.integer(), fc.integer()).map(([a, b]) => (a | b) & within)
  const whole = fc.integer({ min: 0, max: tree.leavesPerPod })
  const masks = fc.array(mask, { minLength: words, maxLength: words })
  const leaves = fc.array(whole, { minLength: tree.pods, maxLength: tree.pods })
  const change = fc.record({
    word: fc.nat(words - 1),
    mask: fc.oneof(mask, fc.constant(0), fc.constant(within)),
    pod: fc.nat(tree.pods - 1),
    whole,
    back: fc.integer({ min: 1, max: 4 }),
  })
  const shape = fc
    .record({
      pods: fc.integer({ min: 1, max: tree.pods }),
      leaves: fc.integer({ min: 1, max: tree.leavesPerPod }),
      most: fc.nat(tree.leavesPerPod - 1),
      hasFewestUplinks: fc.boolean(),
    })
    .map(({ pods, leaves, most, hasFewestUplinks }): PodShape => {
      const remainderLeaves = Math.min(most, leaves - 1)
      const leavesUp = hasFewestUplinks && pods === 1 ? remainderLeaves : leaves
      return { pods, leaves, leavesUp, remainderLeaves, remainder: 0 }
    })
  const step = fc.record({ change, shape })
  return fc
    .tuple(masks, leaves, fc.array(step, { minLength: SEARCHES, maxLength: SEARCHES }))
    .map(([first, counts, steps]) => {
      const states: Array<State> = [{ whole: counts, l2Slots: Int32Array.from(first) }]
      return steps.map((each) => {
        // Forks: a state may follow the state before the last one, so the next state need not have fewer free slots.
        const from = states[Math.max(0, states.length - each.change.back)]
        const state = {
          whole: from.whole.with(each.change.pod, each.change.whole),
          l2Slots: from.l2Slots.with(each.change.word, each.change.mask),
        }
        states.push(state)
        return { state, shape: each.shape }
      })
    })
}

const runs = fc.constantFrom(...trees).chain((tree) => fc.record({ tree: fc.constant(tree), queries: queriesOn(tree) }))

/** Returns the refutations that are wrong, and the number of refuted searches. Refutations are kept over all runs. */
function tryRefutations(
  made: (tree: TreeShape) => Pick<Refutations, 'add' | 'refute'>,
  numRuns: number,
): { readonly wrong: number; readonly refuted: number } {
  let [wrong, refuted] = [0, 0]
  const byTree = new Map(trees.map((tree) => [tree, made(tree)]))
  fc.assert(
    fc.property(runs, ({ tree, queries }) => {
      const refutations = byTree.get(tree)!
      for (const { state, shape } of queries) {
        const candidates = Int32Array.from(state.whole.flatMap((whole, pod) => (whole >= shape.leaves ? [pod] : [])))
        const slots = tree.spinesFor[shape.leaves * tree.leafCables]
        const query = [state.l2Slots, candidates, candidates.length, shape.pods, slots] as const
        const isPossible =
          firstSolution(tree, state, { ...shape, leavesUp: shape.leaves, remainderLeaves: 0 }) !== undefined
        if (refutations.refute(...query)) {
          refuted++
          if (isPossible) wrong++
        } else if (!isPossible) refutations.add(...query)
      }
    }),
    { numRuns, seed: 9 },
  )
  return { wrong, refuted }
}

const refutationsOn = (tree: TreeShape): Refutations => new Refutations(tree.pods, tree.l2PerPod * tree.l2Words)

test('Refutations refute only searches without solution', () => {
  const { wrong, refuted } = tryRefutations(refutationsOn, RUNS)
  expect(wrong).toBe(0)
  expect(refuted).toBeGreaterThan(RUNS)
})

test.each<[string, (query: Parameters<Refutations['refute']>) => Parameters<Refutations['refute']>]>([
  ['the refuted state may have fewer slots', ([l2Slots, ...rest]) => [l2Slots.map((bits) => ~bits), ...rest]],
  [
    'the search may want fewer pods',
    ([l2Slots, list, length, pods, slots]) => [l2Slots, list, length, 9 - pods, slots],
  ],
  [
    'the search may want fewer slots',
    ([l2Slots, list, length, pods, slots]) => [l2Slots, list, length, pods, 99 - slots],
  ],
  ['pods of the search need not be candidates', ([l2Slots, list, , pods, slots]) => [l2Slots, list, 0, pods, slots]],
])('the check finds a wrong refutation: %s', (_, turned) => {
  const { wrong } = tryRefutations((tree) => {
    const refutations = refutationsOn(tree)
    return {
      add: (...query) => refutations.add(...turned(query)),
      refute: (...query) => refutations.refute(...turned(query)),
    }
  }, 300)
  expect(wrong).toBeGreaterThan(0)
})

test('SeveralPodsSearch finds the first solution, with the refutations of earlier searches', () => {
  const counts = { found: 0, refuted: 0 }
  const byTree = new Map(
    trees.map((tree) => {
      const search = new Search({ order: 'densest-first', leafJobsHoldUplinks: false }, false)
      return [tree, { search, severalPods: new SeveralPodsSearch(tree, search) }]
    }),
  )
  fc.assert(
    fc.property(runs, ({ tree, queries }) => {
      const { search, severalPods } = byTree.get(tree)!
      for (const { state, shape } of queries) {
        // `WholeLeaves` asks only if there are enough candidates.
        if (state.whole.filter((whole) => whole >= shape.leaves).length < shape.pods) continue
        const leavesUsable = new Int32Array(tree.pods * (tree.nodesPerLeaf + 1))
        for (let pod = 0, row = 0; pod < tree.pods; pod++, row += tree.nodesPerLeaf + 1) {
          leavesUsable[row] = tree.leavesPerPod
          leavesUsable[row + tree.wholeLeaf] = state.whole[pod]
        }
        const expected = firstSolution(tree, state, shape)
        search.begin()
        const isFound = severalPods.find({ l2Slots: state.l2Slots, leavesUsable } as FreeIndex, shape)
        const found = isFound ? [...severalPods.chosen.subarray(0, shape.pods), severalPods.remainderPod] : undefined
        expect(found?.filter((pod) => pod >= 0)).toEqual(expected)
        if (expected !== undefined) counts.found++
        else if (search.steps === 0) counts.refuted++
      }
    }),
    { numRuns: RUNS, seed: 10 },
  )
  expect(counts.found).toBeGreaterThan(RUNS)
  expect(counts.refuted).toBeGreaterThan(RUNS)
})
