import { bindPolicy, ClusterState, type Outcome } from '@cloister/placement'
import { ask, policySuite } from '@cloister/placement/testing'
import { parseTopology, switchGraph, type Topology } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { type Config, contiguous } from '../src/index.ts'
import { figure1 } from './figure-1.ts'

const wide = parseTopology('pgft:3;40,3,2;1,20,1;1,2,1')
policySuite(contiguous, { configs: [{}, { search: 'relaxed' }, { search: 'first-fit' }], topologies: [wide] })

describe('contiguous with some nodes not installed', () => {
  policySuite(contiguous, {
    configs: [{ installed: 7 }, { search: 'relaxed', installed: 9 }],
    topologies: [wide],
    symmetric: false,
  })
})

/** Returns the nodes of a job by Figure 1 of Pascual and Miguel-Alonso; [] if Figure 1 finds no nodes. */
function expected(
  topology: Topology,
  { search, installed = topology.nodes }: Config,
  nodes: number,
  isFree: (node: number) => boolean,
): Array<number> {
  const { m } = topology.pgft!
  const subtree = (level: number): number => m.slice(0, level).reduce((product, each) => product * each, 1)
  const find = (above: number): Array<number> =>
    search === 'first-fit'
      ? figure1(() => topology.nodes, 1, installed, nodes, isFree)
      : figure1(subtree, m.length, installed, nodes, isFree, above)
  const found = find(0)
  return found.length === 0 && search === 'relaxed' ? find(1) : found
}

function check(topology: Topology, config: Config, down: ReadonlyArray<number>, sizes: ReadonlyArray<number>): void {
  const { placer } = bindPolicy(contiguous, topology, config)
  const state = new ClusterState(topology)
  state.fail({ nodes: down, links: [] })
  for (const nodes of sizes) {
    const outcome = ask(placer, state, nodes)
    const subject = { topology: topology.name, config, down, nodes }
    expect({ ...subject, placed: outcome.ok ? Array.from(outcome.nodes) : [] }).toEqual({
      ...subject,
      placed: expected(topology, config, nodes, (node) => state.isNodeFree(node)),
    })
  }
}

const searches = ['contiguous', 'relaxed', 'first-fit'] as const
test.each(searches)(
  'contiguous with search %s follows Figure 1 of Pascual and Miguel-Alonso in every state of small trees, wholly or partly installed',
  (search) => {
    for (const name of ['kary:2:3', 'kary:3:2', 'pgft:3;1,3,2;1,2,2;1,1,1', 'pgft:1;5;1;1']) {
      const topology = parseTopology(name)
      const nodes = [...topology.leafOfNode.keys()]
      const sizes = [...nodes, topology.nodes].map((node) => node + 1)
      for (let state = 0; state < 2 ** nodes.length; state++) {
        const installed = 1 + (state % topology.nodes)
        const down = nodes.filter((node) => ((state >>> node) & 1) === 1)
        check(topology, { search }, down, sizes)
        check(topology, { search, installed }, down, sizes)
      }
    }
  },
)

test.each(searches)(
  'contiguous with search %s follows Figure 1 of Pascual and Miguel-Alonso on leaves with more than 32 nodes',
  (search) => {
    for (let every = 1; every < 12; every++) {
      const down = [...wide.leafOfNode.keys()].filter((node) => (node * node) % 37 < every * 3)
      for (const installed of [39, 40, 41, 113, 119, 121, 200, 240])
        check(wide, { search, installed }, down, [1, 7, 33, 40, 41, 64, 90, 120, 121, 200, 240])
    }
  },
)

const askOn = (topology: Topology, config: object, down: ReadonlyArray<number>, nodes: number): Outcome => {
  const { placer } = bindPolicy(contiguous, topology, config)
  const state = new ClusterState(topology)
  state.fail({ nodes: down, links: [] })
  return ask(placer, state, nodes)
}
const found = (outcome: Outcome): Array<number> | undefined => (outcome.ok ? Array.from(outcome.nodes) : undefined)

test('contiguous needs an empty leaf for 4 nodes and one second-stage switch for 14 nodes of a 4-ary 3-tree, as in Pascual and Miguel-Alonso', () => {
  const tree = parseTopology('kary:4:3')
  expect(found(askOn(tree, {}, [1, 4, 11], 4))).toEqual([12, 13, 14, 15])
  expect(found(askOn(tree, {}, [0, 5, 10, 19, 30], 14))).toEqual([
    16, 17, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 31,
  ])
})

test("contiguous with search relaxed tries the job's level and one level above, and no further level", () => {
  const tree = parseTopology('kary:2:3')
  expect(askOn(tree, {}, [0, 2, 4, 6], 2)).toEqual({
    ok: false,
    code: 'no-placement',
    constraint: 'free nodes below one switch of level 1',
    nearest: { have: 1, need: 2 },
  })
  expect(found(askOn(tree, { search: 'relaxed' }, [0, 2, 4, 6], 2))).toEqual([1, 3])
  expect(askOn(tree, { search: 'relaxed' }, [0, 1, 2, 4, 5, 6], 2)).toEqual({
    ok: false,
    code: 'no-placement',
    constraint: 'free nodes below one switch of level 2',
    nearest: { have: 1, need: 2 },
  })
  expect(found(askOn(tree, { search: 'first-fit' }, [0, 1, 2, 4, 5, 6], 2))).toEqual([3, 7])
})

test('contiguous never uses or counts nodes that are not installed', () => {
  const tree = parseTopology('kary:4:4')
  expect(askOn(tree, { installed: 240 }, [], 241)).toEqual({ ok: false, code: 'never', constraint: 'machine size' })
  expect(found(askOn(tree, { installed: 240 }, [], 240))).toEqual([...Array.from({ length: 240 }).keys()])
  expect(askOn(tree, { installed: 240, search: 'first-fit' }, [0], 240)).toEqual({
    ok: false,
    code: 'no-placement',
    constraint: 'free nodes',
    nearest: { have: 239, need: 240 },
  })
})

test('contiguous searches the subtrees of a tree with absent parts, by the present nodes of the largest subtree of a level', () => {
  const machine = parseTopology('pgft:3;4,3,3;1,2,2;1,1,1 without nodes 1-2,14; leaf 2; leaf 5 ports 0; leaf 6-8; L2 1')
  const ids = machine.envelope!.nodes
  const subtrees = [4, 12, 36].map((size) => [
    ...Map.groupBy(ids.keys(), (node) => Math.floor(ids[node] / size)).values(),
  ])
  const largest = subtrees.map((each) => Math.max(...each.map(({ length }) => length)))
  expect(largest).toEqual([4, 11, 17])
  for (let every = 1; every < 12; every++) {
    const down = [...ids.keys()].filter((node) => (node * node + node) % 13 < every)
    for (let size = 1; size <= machine.nodes; size++) {
      const level = largest.findIndex((most) => most >= size)
      const free = subtrees[level].map((nodes) => nodes.filter((node) => !down.includes(node)))
      expect(found(askOn(machine, {}, down, size))).toEqual(free.find(({ length }) => length >= size)?.slice(0, size))
    }
  }
  expect(askOn(machine, {}, [], 18)).toEqual({ ok: false, code: 'never', constraint: 'machine size' })
})

test('contiguous refuses a wrong option, and a topology that it does not serve', () => {
  const graph = switchGraph({ name: 'graph', leaves: [3, 5], parents: [[[0], [0]]] })
  expect(() => bindPolicy(contiguous, graph)).toThrow(
    'policy contiguous: does not serve graph: it is a switch graph; its subtrees must be those of a tree',
  )
  expect(found(askOn(graph, { search: 'first-fit' }, [1], 4))).toEqual([0, 2, 3, 4])
  expect(() => bindPolicy(contiguous, parseTopology('kary:2:2'), { installed: 5 })).toThrow(
    'does not serve kary:2:2: 5 nodes are to be installed, but it has only 4',
  )
  expect(() => bindPolicy(contiguous, graph, { search: 'nearby' })).toThrow(/search/)
  expect(() => bindPolicy(contiguous, graph, { installed: 0 })).toThrow(/installed/)
})
