import { JigsawConditions } from '@cloister/audit'
import { bindPolicy, ClusterState, type Placement } from '@cloister/placement'
import { ask } from '@cloister/placement/testing'
import { parseTopology, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { laas } from '../src/index.ts'
import { fitsInOnePod, fitsOnWholeLeaves, freeResources, range } from './brute-force.ts'

/** Factor of the number of random states. `CLOISTER_BRUTE_FORCE=20` selects the large form of the tests. */
const TIMES = Number(process.env['CLOISTER_BRUTE_FORCE'] ?? 1)

interface Taken {
  readonly nodes: ReadonlyArray<number>
  readonly links: ReadonlyArray<ReadonlyArray<number>>
}

/** Checker that requests every size in a state and compares each answer of LaaS with the brute-force search. */
class Examiner {
  /** Number of LaaS's answers of each kind so far, to detect kinds that the test does not reach. */
  readonly met = { oneLeaf: 0, onePod: 0, severalPods: 0, rounded: 0, refused: 0 }
  readonly #topology: Topology
  readonly #placer: ReturnType<typeof bindPolicy<any, any>>['placer']
  readonly #empty: ClusterState<any>
  readonly #conditions: JigsawConditions

  constructor(topology: Topology, config: unknown) {
    this.#topology = topology
    this.#placer = bindPolicy<any, any>(laas, topology, config).placer
    this.#empty = new ClusterState(topology, { index: this.#placer.index })
    this.#conditions = new JigsawConditions(topology)
  }

  examine(taken: Taken): void {
    const state = this.#empty.fork()
    state.withhold(taken)
    const free = freeResources(this.#topology, state)
    for (let nodes = 1; nodes <= state.freeNodes; nodes++) {
      const outcome = ask(this.#placer, state, nodes)
      const within = fitsInOnePod(free, nodes)
      const fits = within || fitsOnWholeLeaves(this.#topology, free, nodes)
      expect(outcome.ok, `${nodes} nodes with ${JSON.stringify(taken)} taken`).toBe(fits)
      if (outcome.ok) this.#examinePlacement(state, outcome, nodes, within)
      else this.met.refused++
    }
    state.drop()
  }

  expectEveryKind(): void {
    for (const [kind, times] of Object.entries(this.met)) expect(times, kind).toBeGreaterThan(0)
  }

  #examinePlacement(state: ClusterState<any>, placement: Placement, requested: number, within: boolean): void {
    const { nodes, links } = placement
    expect(state.isFree(placement)).toBe(true)
    expect(this.#conditions.breach(nodes, links)).toBeUndefined()
    const pods = new Set(Array.from(nodes, (node) => this.#topology.podOfLeaf[this.#topology.leafOfNode[node]])).size
    expect(pods === 1).toBe(within)
    if (within) {
      expect(nodes.length).toBe(requested)
      this.met[links.length === 0 ? 'oneLeaf' : 'onePod']++
      return
    }
    const leaves = new Set(Array.from(nodes, (node) => this.#topology.leafOfNode[node])).size
    const { firstPort } = this.#topology.levels[0]
    // A whole leaf has all its up-ports free, and as many free nodes as up-ports.
    expect(links[0].length).toBe(leaves * firstPort[1])
    expect(nodes.length).toBe(leaves * firstPort[1])
    expect(leaves).toBe(Math.ceil(requested / firstPort[1]))
    this.met.severalPods++
    if (nodes.length > requested) this.met.rounded++
  }
}

const all = (count: number): ReadonlyArray<number> => range(count)

describe('LaaS against brute force', () => {
  test('LaaS places what brute force places in two pods of radix 4, for every choice of whole leaves and of free spine links', () => {
    const topology = parseTopology('pgft:3;2,2,2;1,2,2;1,1,1')
    const examiner = new Examiner(topology, {})
    for (let leaves = 0; leaves < 1 << topology.leaves; leaves++) {
      for (let spineLinks = 0; spineLinks < 1 << topology.levels[1].links; spineLinks++) {
        const chosen = (mask: number, count: number): ReadonlyArray<number> => all(count).filter((i) => (mask >> i) & 1)
        examiner.examine({
          nodes: chosen(leaves, topology.leaves).map((leaf) => 2 * leaf),
          links: [[], chosen(spineLinks, topology.levels[1].links)],
        })
      }
    }
    examiner.expectEveryKind()
  })

  for (const [spec, config, runs] of [
    ['radix:4', {}, 600],
    ['radix:4', { order: 'sparsest-first' }, 300],
    ['radix:6', {}, 200],
    ['pgft:3;4,3,3;1,2,2;1,1,1', { bandwidth: 'full' }, 200],
    ['pgft:3;2,3,3;1,2,3;1,1,2', {}, 200],
    ['pgft:3;4,3,3;1,2,3;1,2,2', {}, 60],
  ] as const) {
    describe(`on the topology ${spec} with the config ${JSON.stringify(config)}`, () => {
      const topology = parseTopology(spec)
      const examiner = new Examiner(topology, config)

      test('LaaS finds a placement if and only if brute force finds one, in random states', () => {
        fc.assert(
          fc.property(takenResources(topology), (taken) => examiner.examine(taken)),
          { numRuns: runs * TIMES, seed: 1 },
        )
      })

      afterAll(() => examiner.expectEveryKind())
    })
  }
})

/**
 * Draws the nodes and links that other jobs hold: some whole leaves, a few more nodes, and some links of each level.
 */
function takenResources({ leaves, firstNodeOfLeaf, nodes, levels }: Topology): fc.Arbitrary<Taken> {
  const few = (count: number): fc.Arbitrary<ReadonlyArray<number>> =>
    fc.oneof(fc.subarray([...all(count)], { maxLength: Math.ceil(count / 8) }), fc.subarray([...all(count)]))
  return fc
    .record({ leaves: few(leaves), nodes: few(nodes), uplinks: few(levels[0].links), spineLinks: few(levels[1].links) })
    .map((choice) => {
      const onLeaves = choice.leaves.flatMap((leaf) => range(firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]))
      return {
        nodes: [...new Set([...onLeaves, ...choice.nodes])].sort((a, b) => a - b),
        links: [choice.uplinks, choice.spineLinks],
      }
    })
}
