import { bindPolicy, ClusterState, type Outcome } from '@cloister/placement'
import { ask, policySuite } from '@cloister/placement/testing'
import { parseTopology, switchGraph, type Topology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { baseline } from '../src/index.ts'

const graph = switchGraph({ name: 'graph', leaves: [3, 5, 1], parents: [[[0], [0, 0], []]] })
const wide = parseTopology('pgft:2;40,2;1,20;1,2')
policySuite(baseline, { topologies: [wide] })

/**
 * Expects that a job of any size gets the free nodes with the lowest ids, or a refusal if there are too few free nodes.
 */
function expectFirstFree(topology: Topology, down: ReadonlyArray<number>): void {
  const { placer } = bindPolicy(baseline, topology)
  const state = new ClusterState(topology)
  state.fail({ nodes: down, links: [] })
  const free = [...topology.leafOfNode.keys()].filter((node) => !down.includes(node))
  for (let nodes = 1; nodes <= topology.nodes + 1; nodes++) {
    const answer = ask(placer, state, nodes)
    const ids = answer.ok ? { ok: true, nodes: answer.nodes, links: answer.links } : answer
    expect(ids).toEqual(expected(topology, free, nodes))
  }
}

function expected(topology: Topology, free: ReadonlyArray<number>, nodes: number): Outcome {
  if (nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
  if (nodes > free.length) return { ok: false, code: 'too-few-nodes', free: free.length }
  return { ok: true, nodes: free.slice(0, nodes), links: [] }
}

test('Baseline takes the first free nodes in every state of a small machine', () => {
  for (let state = 0; state < 2 ** graph.nodes; state++) {
    expectFirstFree(
      graph,
      [...graph.leafOfNode.keys()].filter((node) => ((state >>> node) & 1) === 1),
    )
  }
})

test('Baseline takes the first free nodes on leaves with more than 32 nodes', () => {
  for (let every = 1; every < 40; every++)
    expectFirstFree(
      wide,
      [...wide.leafOfNode.keys()].filter((node) => node % every === 0),
    )
})

test('Baseline refuses any option', () => {
  expect(() => bindPolicy(baseline, graph, { order: 'last' })).toThrow(
    'policy baseline: config {"order":"last"} is not valid: order: baseline has nothing to configure; expected {}',
  )
})
