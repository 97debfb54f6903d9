import { bindPolicy, ClusterState, type Outcome } from '@cloister/placement'
import { ask, policySuite } from '@cloister/placement/testing'
import { lowestCommonLevel, parseTopology, switchGraph, type Topology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { slurmTree } from '../src/index.ts'

const wide = parseTopology('pgft:3;40,3,2;1,20,1;1,2,1')
/**
 * Switch graph of two separate trees. Two leaves of the first tree have two parents. The second tree has one level of
 * switches less.
 */
const forest = switchGraph({
  name: 'forest',
  leaves: [2, 3, 1, 2, 2],
  parents: [
    [[0, 1], [0, 1], [2], [3], [3]],
    [[0], [0], [0], []],
  ],
})
const small = [
  parseTopology('kary:2:3'),
  parseTopology('pgft:3;2,2,2;1,2,1;1,1,2'),
  forest,
  switchGraph({ name: 'one leaf', leaves: [5], parents: [] }),
]
policySuite(slurmTree, { topologies: [wide, forest] })

/** Returns the nodes of a job by the rules of the README, computed plainly over every set of leaves below a switch. */
function expected(topology: Topology, isFree: (node: number) => boolean, nodes: number): Array<number> | undefined {
  const free = (leaf: number): Array<number> =>
    [...topology.leafOfNode.keys()].filter((node) => topology.leafOfNode[node] === leaf && isFree(node))
  const all = [...Array.from({ length: topology.leaves }).keys()]
  for (let level = 0; level < topology.levels.length; level++) {
    const groups = all.map((leaf) =>
      all.filter(
        (other) =>
          lowestCommonLevel(topology, topology.firstNodeOfLeaf[leaf], topology.firstNodeOfLeaf[other]) <= level,
      ),
    )
    const [best] = groups
      .map((leaves) => ({ leaves, count: leaves.flatMap(free).length }))
      .filter(({ count }) => count >= nodes)
      .sort((a, b) => a.count - b.count)
    if (best === undefined) continue
    return best.leaves
      .toSorted((a, b) => free(a).length - free(b).length || a - b)
      .flatMap(free)
      .slice(0, nodes)
      .sort((a, b) => a - b)
  }
  return undefined
}

function check(topology: Topology, down: ReadonlyArray<number>, sizes: ReadonlyArray<number>): void {
  const { placer } = bindPolicy(slurmTree, topology)
  const state = new ClusterState(topology)
  state.fail({ nodes: down, links: [] })
  for (const nodes of sizes) {
    const outcome = ask(placer, state, nodes)
    expect({
      topology: topology.name,
      down,
      nodes,
      placed: outcome.ok ? Array.from(outcome.nodes) : undefined,
    }).toEqual({
      topology: topology.name,
      down,
      nodes,
      placed: expected(topology, (node) => state.isNodeFree(node), nodes),
    })
  }
}

test('slurm-tree follows its rules in every state of small machines', () => {
  for (const topology of small) {
    const nodes = [...topology.leafOfNode.keys()]
    for (let state = 0; state < 2 ** nodes.length; state++)
      check(
        topology,
        nodes.filter((node) => ((state >>> node) & 1) === 1),
        nodes.map((node) => node + 1),
      )
  }
})

test('slurm-tree follows its rules on leaves with more than 32 nodes', () => {
  for (let every = 1; every < 12; every++) {
    check(
      wide,
      [...wide.leafOfNode.keys()].filter((node) => (node * node) % 37 < every * 3),
      [1, 7, 33, 40, 64, 90, 120, 150, 200],
    )
  }
})

test('slurm-tree gives the reason of a refusal: never, no-placement or too-few-nodes', () => {
  const { placer } = bindPolicy(slurmTree, forest)
  const state = new ClusterState(forest)
  const place = (nodes: number): Outcome => ask(placer, state, nodes)
  expect(place(11)).toEqual({ ok: false, code: 'never', constraint: 'machine size' })
  expect(place(7)).toEqual({ ok: false, code: 'never', constraint: 'nodes below one switch' })
  state.fail({ nodes: [0], links: [] })
  expect(place(6)).toEqual({ ok: false, code: 'no-placement', constraint: 'free nodes below one switch' })
  state.fail({ nodes: [1, 2, 3, 4], links: [] })
  expect(place(6)).toEqual({ ok: false, code: 'too-few-nodes', free: 5 })
})

test('slurm-tree refuses any option', () => {
  expect(() => bindPolicy(slurmTree, forest, { order: 'last' })).toThrow(
    'policy slurm-tree: config {"order":"last"} is not valid: order: ',
  )
})
