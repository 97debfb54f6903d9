import { bindPolicy, ClusterState, type Communication, type Outcome } from '@cloister/placement'
import { ask, policySuite } from '@cloister/placement/testing'
import { parseTopology, switchGraph } from '@cloister/topology'
import { small, stateOf } from '@cloister/used-machines'
import { expect, test } from 'vitest'
import { combal } from '../src/index.ts'

policySuite(combal, { topologies: [parseTopology('pgft:3;4,2,2;1,2,1;1,1,2'), ...small] })

/** Topology in the slides of Mangat and Malakar: three leaves with 2, 3 and 4 nodes. */
const slides = switchGraph({ name: 'three leaves', leaves: [2, 3, 4], parents: [[[0], [0], [0]]] })
/**
 * Function that tells the two groups of ranks in the test's matrix apart: ranks 1 and 4, and ranks 0, 2, 3 and 5. Ranks
 * of one group exchange many bytes, all other pairs few.
 */
const isGroup = (rank: number): boolean => rank === 1 || rank === 4
const bytes = Array.from({ length: 6 }, (_, a) =>
  Array.from({ length: 6 }, (__, b) => (a === b ? 0 : isGroup(a) === isGroup(b) ? 400_000 : 5000)),
)
const communication: Communication = {
  pattern: 'matrix:six',
  share: 500,
  matrix: { name: 'six', sha256: 'of six', bytes },
}

function place(config: object, wanted: Communication | undefined, nodes = 6): Outcome {
  return ask(bindPolicy(combal, slides, config).placer, new ClusterState(slides), nodes, { communication: wanted })
}

test('uCombal gives the leaf with the most free nodes the larger group, with ranks in the order of the groups', () => {
  for (const factor of ['ratio', 'rounded-up'])
    expect(place({ balance: 'unbalanced', factor }, communication)).toEqual({
      ok: true,
      nodes: Int32Array.of(2, 3, 5, 6, 7, 8),
      links: [],
      ranks: Int32Array.of(5, 2, 6, 7, 3, 8),
    })
})

test('Combal divides the job evenly among the two leaves with the most free nodes', () => {
  const outcome = place({}, communication)
  expect(outcome.ok && Array.from(outcome.nodes)).toEqual([2, 3, 4, 5, 6, 7])
})

test('combal fills the leaves with the fewest free nodes first for a job without communication or without a matrix', () => {
  const others = [
    undefined,
    { pattern: 'matrix:six', share: 500 },
    { ...communication, matrix: { ...communication.matrix!, bytes: [[0]] } },
  ]
  for (const each of others)
    expect(place({}, each)).toEqual({ ok: true, nodes: Int32Array.of(0, 1, 2, 3, 4, 5), links: [] })
})

test('combal prefers, for a job without a matrix, the leaf with more communicating nodes among leaves with equally many free nodes', () => {
  const topology = parseTopology('pgft:2;2,3;1,1;1,1')
  const state = stateOf(topology, ['computes', 'free', 'communicates', 'free', 'free', 'free'])
  const { placer } = bindPolicy(combal, topology)
  const outcome = ask(placer, state, 3)
  expect(outcome.ok && Array.from(outcome.nodes)).toEqual([1, 3, 4])
})

test('combal puts a job that fits on one leaf there, with ranks in the order of the nodes', () => {
  expect(place({}, communication, 4)).toEqual({ ok: true, nodes: Int32Array.of(5, 6, 7, 8), links: [] })
})

test('combal refuses an unknown value of an option', () => {
  expect(() => bindPolicy(combal, slides, { balance: 'odd' })).toThrow(
    'policy combal: config {"balance":"odd"} is not valid',
  )
})
