import { switchOfLink, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { histories, TaCluster, play } from './ta-cluster.ts'
import { brokenRule, type Job, type JobType, leavesOf, podsOf, typeOf } from './rules.ts'

/** Factor of the number of random states. `CLOISTER_BRUTE_FORCE=20` selects the large form of the tests. */
const TIMES = Number(process.env['CLOISTER_BRUTE_FORCE'] ?? 1)

/** Sizes for which an exhaustive search finds a placement that the rules of TA allow beside the running jobs. */
type Placeable = ReadonlySet<number>

function* subsets(among: ReadonlyArray<number>): Generator<ReadonlyArray<number>> {
  for (let mask = 1; mask < 1 << among.length; mask++) yield among.filter((_, bit) => (mask >>> bit) & 1)
}

function freeNodes({ topology, state }: TaCluster): ReadonlyArray<number> {
  return Array.from({ length: topology.nodes }, (_, node) => node).filter((node) => state.isNodeFree(node))
}

/** Returns the sizes of the allowed placements, by a search of every set of free nodes. */
function placeable(cluster: TaCluster, others: ReadonlyArray<Job>): Placeable {
  const sizes = new Set<number>()
  for (const nodes of subsets(freeNodes(cluster))) {
    const type = typeOf(cluster.topology, nodes.length)
    if (!sizes.has(nodes.length) && brokenRule(cluster.topology, { type, nodes }, others) === undefined)
      sizes.add(nodes.length)
  }
  return sizes
}

/**
 * Returns the sizes of the allowed placements, by a search of every set of leaves. This search suffices, because the
 * rules of TA do not depend on the choice or number of a job's nodes on a leaf.
 */
function placeableByLeaves(cluster: TaCluster, others: ReadonlyArray<Job>): Placeable {
  const { topology } = cluster
  const free = Map.groupBy(freeNodes(cluster), (node) => topology.leafOfNode[node])
  const sizes = new Set<number>()
  for (const leaves of subsets([...free.keys()])) {
    const most = leaves.reduce((sum, leaf) => sum + free.get(leaf)!.length, 0)
    const nodes = leaves.map((leaf) => free.get(leaf)![0])
    for (const type of ['T1', 'T2', 'T3'] as const) {
      if (brokenRule(topology, { type, nodes }, others) !== undefined) continue
      for (let size = leaves.length; size <= most; size++) if (typeOf(topology, size) === type) sizes.add(size)
    }
  }
  return sizes
}

function expectComplete(cluster: TaCluster, possible: Placeable): void {
  for (let size = 1; size <= cluster.topology.nodes + 1; size++) {
    if (cluster.ask(size).ok !== possible.has(size))
      expect.fail(`${size} nodes: ${possible.has(size) ? 'refused' : 'placed'}`)
  }
}

describe('TA against exhaustive search by the rules of section III-B of Pollard et al.', () => {
  test('TA places a size on radix:4 if and only if some set of free nodes meets the rules, after random histories', () => {
    let full = 0
    fc.assert(
      fc.property(histories('radix:4', 30), (history) => {
        const cluster = new TaCluster('radix:4')
        play(cluster, history)
        if (cluster.state.freeNodes > 9) return
        full++
        expectComplete(cluster, placeable(cluster, cluster.running))
      }),
      { numRuns: 200 * TIMES },
    )
    expect(full).toBeGreaterThan(0)
  })

  test.each(['radix:6', 'pgft:3;4,3,3;1,2,2;1,1,1', 'pgft:2;4,8;1,4;1,1'])(
    'TA places a size on the topology %s if and only if some set of leaves meets the rules, after random histories',
    (spec) => {
      let full = 0
      fc.assert(
        fc.property(histories(spec, 60), (history) => {
          const cluster = new TaCluster(spec)
          play(cluster, history)
          const open = new Set(freeNodes(cluster).map((node) => cluster.topology.leafOfNode[node]))
          if (open.size > 10) return
          full++
          expectComplete(cluster, placeableByLeaves(cluster, cluster.running))
        }),
        { numRuns: 80 * TIMES },
      )
      expect(full).toBeGreaterThan(0)
    },
  )

  test('TA places a size if and only if the rules allow it, in every state of two pods of two leaves of two nodes', () => {
    const cluster = new TaCluster('pgft:3;2,2,2;1,2,2;1,1,1')
    const marks: ReadonlyArray<JobType> = ['T1', 'T2', 'T3']
    for (let taken = 0; taken < 1 << 8; taken++) {
      for (let marked = 0; marked < 3 ** 4; marked++) {
        const others = [0, 1, 2, 3].map((leaf): Job => ({
          type: marks[Math.floor(marked / 3 ** leaf) % 3],
          nodes: [2 * leaf],
        }))
        const resources = { nodes: bitsOf(taken), links: linksOf(cluster.topology, others) }
        cluster.state.fail(resources)
        expectComplete(cluster, placeable(cluster, others))
        cluster.state.restore(resources)
      }
    }
  })
})

function bitsOf(mask: number): ReadonlyArray<number> {
  return Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => (mask >>> bit) & 1)
}

/**
 * Returns the links at the up-ports of the leaves of T2 and T3 jobs, and at the up-ports of the L2 switches of the pods
 * of T3 jobs.
 */
function linksOf(topology: Topology, jobs: ReadonlyArray<Job>): ReadonlyArray<ReadonlyArray<number>> {
  const leaves = new Set(
    jobs.filter(({ type }) => type !== 'T1').flatMap(({ nodes }) => [...leavesOf(topology, nodes)]),
  )
  const pods = new Set(jobs.filter(({ type }) => type === 'T3').flatMap(({ nodes }) => [...podsOf(topology, nodes)]))
  const linksOfAll = (level: number, isOf: (sw: number) => boolean): ReadonlyArray<number> =>
    Array.from({ length: topology.levels[level].links }, (_, link) => link).filter((link) =>
      isOf(switchOfLink(topology, level, link)),
    )
  return [
    linksOfAll(0, (leaf) => leaves.has(leaf)),
    linksOfAll(1, (l2) =>
      [...pods].some((pod) => topology.firstL2OfPod[pod] <= l2 && l2 < topology.firstL2OfPod[pod + 1]),
    ),
  ]
}
