import { bindPolicy, ClusterState } from '@cloister/placement'
import { ask, policySuite } from '@cloister/placement/testing'
import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { ordered } from '../src/index.ts'

policySuite(ordered, { configs: [{}, { order: 'emptiest-first' }] })

test.each([
  ['fullest-first', [1, 2, 3, 4]],
  ['emptiest-first', [4, 5, 6, 7]],
])('the policy ordered with the order %s takes the expected nodes for a job of four nodes', (order, nodes) => {
  // Three leaves of four nodes. One node of the first leaf is down.
  const topology = parseTopology('pgft:2;4,3;1,2;1,1')
  const state = new ClusterState(topology)
  state.fail({ nodes: [0], links: [] })
  const outcome = ask(bindPolicy(ordered, topology, { order }).placer, state, 4)
  expect(outcome.ok && Array.from(outcome.nodes)).toEqual(nodes)
})
