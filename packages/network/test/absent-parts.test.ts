// Machines with absent parts: the router, the auditor's rule and the partition routes read positions in the whole tree.
import { nestedRemaindersBreach } from '@cloister/audit'
import type { Resources } from '@cloister/placement'
import { Draw } from '@cloister/placement/testing'
import { parseTopology, pgft, shareOf, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FlowChecker, flowLimitsOf, fullBandwidth, randomPermutation, routePermutation } from '../src/index.ts'
import { inMachine, inTree, machineWithout, someParts } from './absent.ts'
import { allocation, randomLegal, range } from './allocations.ts'
import { allPermutations, canRoute } from './exhaustive.ts'
import { shapes } from './shapes.ts'

const seeds = fc.integer({ min: 0 })
const never = (): boolean => false

/** Returns a random machine with absent parts, and an allocation that meets the conditions of Jigsaw on the whole tree. */
function drawn(
  tree: Topology,
  draw: Draw,
  isUntouched: boolean,
): { readonly machine: Topology; readonly job: Resources; readonly whole: Resources } | undefined {
  const whole = randomLegal(tree, draw)
  const own = [whole.nodes, ...whole.links].map((ids) => new Set(Array.from(ids)))
  const isKept = (level: number, id: number): boolean => isUntouched && (id < 0 || own[level + 1]?.has(id) === true)
  const machine = machineWithout(tree, someParts(tree, draw, isKept))
  if (machine?.envelope === undefined) return undefined
  const job = inMachine(machine, whole)
  return job.nodes.length === 0 ? undefined : { machine, job, whole }
}

describe('an allocation on a machine with absent parts', () => {
  const few = shapes.filter(({ m }) => m.length < 4)

  test('has the same answers of the rule and of the router as on the whole tree, and the routes use only its own links', () => {
    const met = { proved: 0, unproved: 0, crossing: 0 }
    fc.assert(
      fc.property(few, seeds, (shape, seed) => {
        const tree = pgft(shape)
        const found = drawn(tree, new Draw(seed), false)
        if (found === undefined) return
        const { machine, job } = found
        const onTree = inTree(machine, job)
        expect(inMachine(machine, onTree)).toEqual(job)
        const breach = nestedRemaindersBreach(machine, job.nodes, job.links)
        expect(breach === undefined).toBe(nestedRemaindersBreach(tree, onTree.nodes, onTree.links) === undefined)
        const allocated = fullBandwidth(machine, job)
        expect('unproved' in allocated).toBe('unproved' in fullBandwidth(tree, onTree))
        met['unproved' in allocated ? 'unproved' : 'proved']++
        if ('unproved' in allocated) return
        const checker = new FlowChecker(machine)
        for (const permutation of range(0, 4).map((i) => randomPermutation(job.nodes.length, seed + i))) {
          const { flows, problem } = checker.check(job, permutation, routePermutation(allocated, permutation))
          expect(problem).toBeUndefined()
          if (flows > 0) met.crossing++
        }
      }),
      { numRuns: 500 },
    )
    expect(met.proved).toBeGreaterThan(100)
    expect(met.unproved).toBeGreaterThan(30)
    expect(met.crossing).toBeGreaterThan(100)
  })

  test('has the answers of a regular machine if the absent parts are no parts of the allocation', () => {
    let several = 0
    fc.assert(
      fc.property(few, seeds, (shape, seed) => {
        const tree = pgft(shape)
        const found = drawn(tree, new Draw(seed), true)
        if (found === undefined) return
        const { machine, job, whole } = found
        expect(job.nodes.length).toBe(whole.nodes.length)
        expect(nestedRemaindersBreach(tree, whole.nodes, whole.links)).toBeUndefined()
        expect(nestedRemaindersBreach(machine, job.nodes, job.links)).toBeUndefined()
        expect(fullBandwidth(machine, job)).not.toHaveProperty('unproved')
        if ((job.links[1]?.length ?? 0) > 0) several++
      }),
      { numRuns: 300 },
    )
    expect(several).toBeGreaterThan(20)
  })

  test.each([
    'pgft:2;3,3;1,3;1,1',
    'pgft:2;2,3;1,2;1,2',
    'pgft:3;2,2,3;1,2,2;1,1,1',
    'pgft:3;3,2,2;1,3,2;1,1,1',
    'pgft:2;4,3;1,2;1,1',
    'pgft:3;3,2,2;1,2,1;1,1,1',
    'pgft:3;4,2,2;1,1,2;1,1,1',
  ])('on %s without some parts has routes for every permutation if the rule accepts it', (spec) => {
    const tree = parseTopology(spec)
    const share = shareOf(tree)
    const limits = flowLimitsOf(share)
    const loads = share && {
      leaf: share.uplink,
      l2: [share.spine[0] * share.uplink[1], share.spine[1] * share.uplink[0]] as const,
    }
    const met = { accepted: 0, several: 0, refused: 0 }
    fc.assert(
      fc.property(seeds, (seed) => {
        const draw = new Draw(seed)
        const machine = machineWithout(tree, someParts(tree, draw, never))
        if (machine?.envelope === undefined) return
        expect(shareOf(machine)).toEqual(share)
        const job = anyAllocation(machine, draw)
        if (nestedRemaindersBreach(machine, job.nodes, job.links, loads) !== undefined) {
          met.refused++
          return
        }
        met.accepted++
        if (new Set(Array.from(job.nodes, (node) => machine.leafOfNode[node])).size > 1) met.several++
        for (const permutation of allPermutations(job.nodes.length))
          if (!canRoute(machine, job, permutation, limits))
            expect.fail(`${machine.name} ${JSON.stringify(job)}: no routes of ${permutation.join()}`)
      }),
      { numRuns: 400 },
    )
    expect(met.several).toBeGreaterThan(15)
    expect(met.refused).toBeGreaterThan(15)
  })
})

/** Draws up to five nodes of up to three leaves, with most of the present links up from them, position by position. */
function anyAllocation(machine: Topology, draw: Draw): Resources {
  const { levels, leafOfNode, podOfLeaf } = machine
  const leaves = draw.sample(range(0, machine.leaves), Math.min(machine.leaves, 1 + draw.below(3)))
  const all = range(0, machine.nodes).filter((node) => leaves.includes(leafOfNode[node]))
  const nodes = draw.sample(all, Math.min(all.length, 2 + draw.below(4)))
  const used = [...new Set(nodes.map((node) => leafOfNode[node]))]
  if (used.length === 1) return { nodes: nodes.toSorted((a, b) => a - b), links: levels.map(() => []) }
  const pick = (level: number, switches: ReadonlyArray<number>): ReadonlyArray<number> =>
    range(0, levels[level].links).filter(
      (link) =>
        switches.some((sw) => link >= levels[level].firstPort[sw] && link < levels[level].firstPort[sw + 1]) &&
        !draw.once(6),
    )
  const leafLinks = pick(0, used)
  const isSeveral = new Set(used.map((leaf) => podOfLeaf[leaf])).size > 1
  const l2Links = isSeveral ? pick(1, [...new Set(leafLinks.map((link) => levels[0].parentOfLink[link]))]) : []
  return { nodes: nodes.toSorted((a, b) => a - b), links: [leafLinks, l2Links] }
}

describe('positions in the whole tree, and not numbers of ports, decide which cables match', () => {
  const tree = parseTopology('pgft:3;4,4,3;1,4,4;1,1,1')
  const machine = machineWithout(tree, ['leaf 2 ports 1', 'L2 10 ports 0', 'L2 4'])!

  test.each([
    ['leaves with cables to the same L2 indices', true, [0, 2], [0, 2], undefined],
    ['leaves with the same ports, but cables to other L2 indices', false, [0, 1], [0, 2], undefined],
    [
      'pods with cables to the same spines',
      true,
      [2, 3],
      [2, 3],
      [
        [1, 2],
        [1, 2],
      ],
    ],
    [
      'pods with the same ports, but cables to other spines',
      false,
      [2, 3],
      [2, 3],
      [
        [0, 1],
        [1, 2],
      ],
    ],
  ])('%s', (_, isSound, first, second, spines) => {
    const other = spines === undefined ? { pod: 0, leaf: 2 } : { pod: 2, leaf: 0 }
    const whole = allocation(
      tree,
      [
        { pod: 0, leaf: 0, nodes: 2, l2: first },
        { ...other, nodes: 2, l2: second },
      ],
      spines === undefined
        ? []
        : [
            { pod: 0, l2: 2, spines: spines[0].slice(0, 1) },
            { pod: 0, l2: 3, spines: [0] },
            { pod: 2, l2: 2, spines: spines[1].slice(0, 1) },
            { pod: 2, l2: 3, spines: [0] },
          ],
    )
    const job = inMachine(machine, whole)
    expect(job.links.flatMap((ids) => Array.from(ids)).length).toBe(
      whole.links.flatMap((ids) => Array.from(ids)).length,
    )
    expect(nestedRemaindersBreach(machine, job.nodes, job.links) === undefined).toBe(isSound)
    expect('unproved' in fullBandwidth(machine, job)).toBe(!isSound)
    const permutation = [2, 3, 0, 1]
    expect(canRoute(machine, job, permutation)).toBe(isSound)
  })
})
