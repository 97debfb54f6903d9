import type { ClusterState, Resources } from '@cloister/placement'
import { ask } from '@cloister/placement/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { brokenCondition } from './conditions.ts'
import { brokenResources, type BoundJigsaw, jigsawOn, options, start } from './bound-jigsaw.ts'
import { placeableShapes, shapeOf } from './placeable.ts'
import { brokenIn, nameless, POD_STATES, podClasses } from './pods-of-radix-4.ts'

/** Factor of the number of random states. `CLOISTER_BRUTE_FORCE=20` selects the large form of the tests. */
const TIMES = Number(process.env['CLOISTER_BRUTE_FORCE'] ?? 1)

/**
 * Expects for every size that Jigsaw finds a placement if and only if the exhaustive search finds one, and that the
 * placement has the first shape in Jigsaw's order.
 */
function expectProved({ topology, placer, sparse, holdUplinks, needs }: BoundJigsaw, state: ClusterState<any>): void {
  const possible = placeableShapes(topology, state, holdUplinks, needs)
  for (let size = 1; size <= topology.nodes + 1; size++) {
    const outcome = ask(placer, state, size)
    const found = outcome.ok ? shapeOf(topology, outcome) : 'none'
    const first = firstShape(possible.get(size), sparse)
    if (found !== first) expect.fail(`${size} nodes: shape ${found} instead of ${first}`)
    if (!outcome.ok) continue
    const broken =
      outcome.nodes.length === size
        ? brokenCondition(topology, outcome, holdUplinks, needs)
        : `${outcome.nodes.length} nodes`
    if (broken !== undefined || !state.isFree(outcome)) expect.fail(`${size} nodes: ${broken ?? 'not free'}`)
  }
}

/**
 * Returns the first of some shapes in Jigsaw's order. Densest first: a single leaf, then most nodes a leaf, then most
 * leaves a pod. Sparsest first: few nodes a leaf, then a single leaf, then few leaves a pod.
 */
function firstShape(shapes: ReadonlySet<string> | undefined, sparse: boolean): string {
  const rank = (shape: string): number => {
    const [kind, count] = shape.split(':')
    if (kind === 'leaf') return sparse ? 1000 : 0
    return (kind === 'pod' ? 500 : 1500) + (sparse ? Number(count) : -Number(count))
  }
  return [...(shapes ?? [])].sort((a, b) => rank(a) - rank(b))[0] ?? 'none'
}

describe('Jigsaw against exhaustive search on radix:4', () => {
  const { topology, placer, state } = jigsawOn('radix:4')

  function onBroken<T>(broken: Resources, run: (fork: ClusterState<any>) => T): T {
    const fork = state.fork()
    fork.fail(broken)
    const result = run(fork)
    fork.drop()
    return result
  }

  test('Jigsaw agrees with the exhaustive search in every state of one pod of radix:4', () => {
    for (const config of [{}, { order: 'sparsest-first', leafJobsHoldUplinks: true }] as const) {
      const other = jigsawOn('radix:4', config)
      for (let pod = 0; pod < POD_STATES; pod++) onBroken(brokenIn([pod]), (fork) => expectProved(other, fork))
    }
  })

  /** Sizes of jobs that can be placed over several pods, by the name that `nameless` gives to the machine. */
  const known = new Map<string, ReadonlySet<number>>()
  function sizesOverSeveralPods(classes: ReadonlyArray<number>): ReadonlySet<number> {
    const key = nameless(classes)
    const sizes =
      known.get(key) ??
      onBroken(
        brokenIn(classes.map((at) => podClasses[at][0])),
        (fork) =>
          new Set(
            [...placeableShapes(topology, fork, false)]
              .filter(([, shapes]) => [...shapes].some((shape) => shape.startsWith('pods')))
              .map(([size]) => size),
          ),
      )
    known.set(key, sizes)
    return sizes
  }

  /**
   * Expects that Jigsaw finds a placement over several pods if a placement over several pods exists and none in a
   * single pod. The test of one pod covers all other sizes.
   */
  function expectSeveralPods(classes: ReadonlyArray<number>, member: number): void {
    const sizes = sizesOverSeveralPods(classes)
    onBroken(brokenIn(classes.map((at) => podClasses[at][member % podClasses[at].length])), (fork) => {
      for (let size = 3; size <= 4 * classes.length; size++) {
        const outcome = ask(placer, fork, size)
        const several = outcome.ok && outcome.links.length === 2
        if (outcome.ok ? several && !sizes.has(size) : sizes.has(size))
          expect.fail(`pods ${classes.join()}: ${size} nodes ${outcome.ok ? 'placed' : 'refused'}`)
        if (!several) continue
        const broken = brokenCondition(topology, outcome, false)
        if (broken !== undefined) expect.fail(`pods ${classes.join()}: ${size} nodes: ${broken}`)
      }
    })
  }

  test('Jigsaw agrees with the exhaustive search in every state of two pods that matters to placements over several pods', () => {
    podClasses.forEach((_, first) =>
      podClasses.forEach((_, second) => expectSeveralPods([first, second], first + second)),
    )
  })

  test('Jigsaw agrees with the exhaustive search in every state of the spine links of four pods with free leaves, for two orders of the pods', () => {
    const whole = podClasses.flatMap((states, at) => (states.length === 1 && (states[0] & 255) === 255 ? [at] : []))
    expect(whole.length).toBe(16)
    for (const pods of multisets(whole, 4)) for (const order of [pods, pods.toReversed()]) expectSeveralPods(order, 0)
  })

  test('Jigsaw agrees with the exhaustive search in random states of three and four pods of radix:4', () => {
    const at = fc.nat(podClasses.length - 1)
    fc.assert(fc.property(fc.array(at, { minLength: 3, maxLength: 4 }), fc.nat(999), expectSeveralPods), {
      numRuns: 6000 * TIMES,
    })
  })
})

function multisets(from: ReadonlyArray<number>, count: number): ReadonlyArray<ReadonlyArray<number>> {
  return count === 0
    ? [[]]
    : from.flatMap((first, at) => multisets(from.slice(at), count - 1).map((others) => [first, ...others]))
}

describe('Jigsaw against exhaustive search in random states', () => {
  test.each([
    ['the maximal tree of radix 4', 'radix:4', 600],
    ['the maximal tree of radix 6', 'radix:6', 400],
    ['parallel cables to the spines', 'pgft:3;4,4,3;1,4,2;1,1,2', 400],
    ['parallel cables everywhere, tapered at the L2 switches', 'pgft:3;4,3,3;1,2,2;1,2,2', 600],
    ['tapered at the leaves and at the L2 switches', 'pgft:3;4,3,3;1,2,2;1,1,1', 600],
    ['more than 32 ports a switch', 'pgft:3;40,2,3;1,1,1;1,40,80', 50],
    ['two levels, tapered', 'pgft:2;5,4;1,3;1,1', 300],
    ['two levels, more up-ports than nodes', 'pgft:2;3,4;1,5;1,1', 300],
    ['two levels, parallel cables', 'pgft:2;4,4;1,2;1,2', 300],
    ['one level', 'pgft:1;9;1;1', 100],
  ])('Jigsaw agrees with the exhaustive search in random states of a tree: %s', (_, spec, numRuns) => {
    const resources = brokenResources(jigsawOn(spec).topology)
    const sizes = fc.array(fc.nat(9999), { maxLength: 8 })
    fc.assert(
      fc.property(options, resources, sizes, (config, broken, asked) => {
        const tried = jigsawOn(spec, config)
        const { placer, state, topology } = tried
        state.fail(broken)
        asked.forEach((size, at) => {
          const outcome = ask(placer, state, 1 + (size % topology.nodes))
          if (outcome.ok) start(state, outcome, at)
        })
        expectProved(tried, state)
      }),
      { numRuns: numRuns * TIMES },
    )
  })
})
