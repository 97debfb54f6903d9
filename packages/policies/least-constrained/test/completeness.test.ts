import { JigsawConditions, nestedRemaindersBreach } from '@cloister/audit'
import { bindPolicy, ClusterState, type Outcome, type Placement, type Placer } from '@cloister/placement'
import { ask } from '@cloister/placement/testing'
import { parseTopology, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { leastConstrained } from '../src/index.ts'
import { freeResources, range, sizesThatFit } from './brute-force.ts'

/** Factor of the number of random states. `CLOISTER_BRUTE_FORCE=20` selects the large form of the tests. */
const TIMES = Number(process.env['CLOISTER_BRUTE_FORCE'] ?? 1)

/** Nodes and links that other jobs hold. If links are shared, `bandwidth` is held on each link, in MB/s. */
interface Taken {
  readonly nodes: ReadonlyArray<number>
  readonly links: ReadonlyArray<{
    readonly ids: ReadonlyArray<ReadonlyArray<number>>
    readonly bandwidth: number | undefined
  }>
}

/** Requests every size in a state, and compares each answer of least-constrained with the brute-force search. */
class Examiner {
  /** Number of answers of each kind so far, to detect kinds that the test does not reach. */
  readonly met: Record<string, number> = { oneLeaf: 0, onePod: 0, wholeLeaves: 0, otherLeaves: 0, refused: 0 }
  readonly #topology: Topology
  readonly #placer: Placer<any>
  readonly #empty: ClusterState<any>
  readonly #conditions: JigsawConditions
  readonly #anyRemainderPod: boolean

  constructor(topology: Topology, config: Readonly<Record<string, unknown>>) {
    this.#topology = topology
    this.#anyRemainderPod = config['anyRemainderPod'] === true
    if (this.#anyRemainderPod) this.met['remainderInFullPod'] = 0
    this.#placer = bindPolicy<any, any>(leastConstrained, topology, config).placer
    this.#empty = new ClusterState(topology, {
      index: this.#placer.index,
      linkCapacity: this.#placer.linkCapacity ?? 0,
    })
    this.#conditions = new JigsawConditions(topology)
  }

  examine(taken: Taken, bandwidth: number | undefined): void {
    const state = this.#empty.fork()
    state.withhold({ nodes: taken.nodes, links: [] })
    for (const { ids, bandwidth: used } of taken.links) state.withhold({ nodes: [], links: ids }, used)
    const capacity = this.#placer.linkCapacity
    const needed = bandwidth ?? capacity ?? 0
    const isFree = (level: number, link: number): boolean =>
      capacity === undefined ? state.isLinkFree(level, link) : state.capacityLeft(level, link) >= needed
    const sizes = sizesThatFit(freeResources(this.#topology, state, isFree), this.#anyRemainderPod)
    for (let nodes = 1; nodes <= state.freeNodes; nodes++) {
      const outcome = this.#ask(state, nodes, bandwidth)
      expect(outcome.ok, `${nodes} nodes with ${JSON.stringify(taken)} taken`).toBe(sizes.has(nodes))
      if (outcome.ok) this.#examinePlacement(state, outcome, nodes, needed)
      else this.met.refused++
    }
    state.drop()
  }

  #ask(state: ClusterState<any>, nodes: number, bandwidth: number | undefined): Outcome {
    return ask(this.#placer, state, nodes, { bandwidth })
  }

  expectEveryKind(): void {
    for (const [kind, times] of Object.entries(this.met)) expect(times, kind).toBeGreaterThan(0)
  }

  #examinePlacement(state: ClusterState<any>, placement: Placement, requested: number, needed: number): void {
    const { nodes, links, bandwidth } = placement
    expect(nodes.length).toBe(requested)
    expect(state.isFree(placement, bandwidth)).toBe(true)
    expect(bandwidth).toBe(this.#placer.linkCapacity === undefined || links.length === 0 ? undefined : needed)
    const breach = this.#conditions.breach(nodes, links)
    if (this.#anyRemainderPod && breach !== undefined) this.met['remainderInFullPod']++
    else expect(breach).toBeUndefined()
    expect(nestedRemaindersBreach(this.#topology, nodes, links)).toBeUndefined()
    const ofLeaves = Map.groupBy(Array.from(nodes), (node) => this.#topology.leafOfNode[node])
    const wholeLeaf = this.#topology.levels[0].firstPort[1]
    if (links.length < 2) this.met[links.length === 0 ? 'oneLeaf' : 'onePod']++
    else
      this.met[
        [...ofLeaves.values()].filter(({ length }) => length < wholeLeaf).length > 1 ? 'otherLeaves' : 'wholeLeaves'
      ]++
  }
}

const all = (count: number): ReadonlyArray<number> => range(count)

describe('least-constrained against brute force', () => {
  test('least-constrained places what brute force places in two pods of radix 4, for every choice of leaves and uplinks', () => {
    const topology = parseTopology('pgft:3;2,2,2;1,2,2;1,1,1')
    const examiner = new Examiner(topology, { maxSteps: 'unlimited' })
    const chosen = (mask: number, count: number): ReadonlyArray<number> => all(count).filter((i) => (mask >> i) & 1)
    // States of a leaf with two nodes and two uplinks: one or two free nodes, and any free uplinks.
    const nodesTaken = [[], [0]]
    for (let choice = 0; choice < 8 ** 4; choice++) {
      const leaves = all(4).map((leaf) => (choice >> (3 * leaf)) & 7)
      const nodes = leaves.flatMap((each, leaf) => nodesTaken[each & 1].map((node) => 2 * leaf + node))
      const uplinks = leaves.flatMap((each, leaf) => chosen(each >> 1, 2).map((link) => 2 * leaf + link))
      // A stride of 151 in the numbers of the choices of spine links skips most of the 256 choices, but other choices
      // for each choice of leaves.
      for (let spineLinks = choice % 151; spineLinks < 256; spineLinks += 151) {
        examiner.examine({ nodes, links: [{ ids: [uplinks, chosen(spineLinks, 8)], bandwidth: undefined }] }, undefined)
      }
    }
    examiner.expectEveryKind()
  })

  for (const [spec, config, runs] of [
    ['radix:4', {}, 200],
    ['radix:4', { order: 'sparsest-first' }, 100],
    ['radix:6', {}, 30],
    ['pgft:3;4,3,3;1,2,2;1,1,1', {}, 800],
    ['pgft:3;2,3,3;1,2,3;1,1,2', {}, 400],
    ['pgft:3;4,3,3;1,2,3;1,2,2', {}, 200],
    ['pgft:3;4,3,3;1,2,2;1,1,1', { anyRemainderPod: true }, 400],
    ['pgft:3;4,3,3;1,2,3;1,2,2', { anyRemainderPod: true }, 200],
    ['radix:4', { sharing: { capacity: 1000, classes: [300, 700] } }, 200],
    ['radix:6', { sharing: { capacity: 1000, classes: [300, 700] } }, 20],
    ['pgft:3;4,3,3;1,2,3;1,2,2', { sharing: { capacity: 1000, classes: [300, 700] } }, 100],
  ] as const) {
    describe(`on the topology ${spec} with the config ${JSON.stringify(config)}`, () => {
      const topology = parseTopology(spec)
      const examiner = new Examiner(topology, { ...config, maxSteps: 'unlimited' })

      test('least-constrained finds a placement if and only if brute force finds one, in random states', () => {
        const shared = 'sharing' in config
        fc.assert(
          fc.property(
            takenResources(topology, shared),
            shared ? fc.constantFrom(300, 700, 1000, undefined) : fc.constant(undefined),
            (taken, bandwidth) => examiner.examine(taken, bandwidth),
          ),
          { numRuns: runs * TIMES, seed: 1 },
        )
      })

      afterAll(() => examiner.expectEveryKind())
    })
  }

  test('with maxSteps 1, least-constrained refuses with search-bound and claims neither monotone nor complete', () => {
    const topology = parseTopology('radix:4')
    const few = bindPolicy<any, any>(leastConstrained, topology, { maxSteps: 1 }).placer
    const bounded = new ClusterState(topology, { index: few.index })
    const outcome = ask(few, bounded, 16)
    expect(outcome).toEqual({ ok: false, code: 'search-bound', steps: 1 })
    expect(few.claims).toMatchObject({ monotone: false, complete: false })
  })
})

/**
 * Draws the nodes and links that other jobs hold: some whole leaves, a few more nodes, and some links of each level.
 */
function takenResources({ leaves, firstNodeOfLeaf, nodes, levels }: Topology, shared: boolean): fc.Arbitrary<Taken> {
  const few = (count: number): fc.Arbitrary<ReadonlyArray<number>> =>
    fc.oneof(fc.subarray([...all(count)], { maxLength: Math.ceil(count / 8) }), fc.subarray([...all(count)]))
  const links = (bandwidth: number | undefined): fc.Arbitrary<Taken['links'][number]> =>
    fc.record({ ids: fc.tuple(few(levels[0].links), few(levels[1].links)), bandwidth: fc.constant(bandwidth) })
  return fc
    .record({
      leaves: few(leaves),
      more: few(nodes),
      links: shared ? fc.tuple(links(300), links(300), links(400)) : fc.tuple(links(undefined)),
    })
    .map((choice) => {
      const onLeaves = choice.leaves.flatMap((leaf) => range(firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]))
      return { nodes: [...new Set([...onLeaves, ...choice.more])].sort((a, b) => a - b), links: choice.links }
    })
}
