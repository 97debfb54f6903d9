import { bindPolicy, ClusterState } from '@cloister/placement'
import { ask } from '@cloister/placement/testing'
import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { jigsaw } from '../src/index.ts'

test.each([
  ['a machine with absent parts', 'pgft:3;4,3,4;1,4,3;1,1,1 without nodes 3,9-11; leaf 5; leaf 1 ports 0', {}],
  ['shared links', 'pgft:3;4,3,4;1,4,3;1,1,1', { sharing: { capacity: 1500 } }],
])('regression: Jigsaw excluded no second job on %s', (_, spec, config) => {
  const topology = parseTopology(spec)
  const { placer } = bindPolicy(jigsaw, topology, config)
  const state = new ClusterState(topology, { index: placer.index, linkCapacity: placer.linkCapacity ?? Infinity })
  state.fail({ nodes: [0, 12, 24, 35], links: [] })
  let excluded = 0
  for (let nodes = 1; nodes <= topology.nodes; nodes++) {
    const outcome = ask(placer, state, nodes)
    if (!outcome.ok) continue
    const beside = state.fork()
    beside.withhold(outcome, outcome.bandwidth)
    for (let head = 1; head <= topology.nodes; head++) {
      if (nodes <= placer.mostNodesBeside!(state, state.index, state, state.index, head)) continue
      excluded += Number(nodes + head <= state.freeNodes)
      expect(ask(placer, beside, head), `${head} nodes beside ${nodes}`).toMatchObject({ ok: false })
    }
    beside.drop()
  }
  expect(excluded).toBeGreaterThan(0)
})

test('beside a head on whole leaves, a job gets the other leaves and the whole leaves that the head leaves over', () => {
  const topology = parseTopology('pgft:3;4,3,4;1,4,3;1,1,1')
  const { placer } = bindPolicy(jigsaw, topology, {})
  const state = new ClusterState(topology, { index: placer.index })
  // Each of the four pods keeps two whole leaves, and two free nodes on its first leaf.
  state.fail({ nodes: [0, 1, 12, 13, 24, 25, 36, 37], links: [] })
  const most = (head: number): number => placer.mostNodesBeside!(state, state.index, state, state.index, head)
  expect([10, 24, 28, 32, 35, 36].map(most)).toEqual([Infinity, 11, 7, 2, 2, 0])
})
