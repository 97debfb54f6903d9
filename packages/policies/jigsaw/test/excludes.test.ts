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
      if (!placer.excludes!(state, state.index, nodes, state, state.index, head)) continue
      excluded += Number(nodes + head <= state.freeNodes)
      expect(ask(placer, beside, head), `${head} nodes beside ${nodes}`).toMatchObject({ ok: false })
    }
    beside.drop()
  }
  expect(excluded).toBeGreaterThan(0)
})
