import { bindPolicy, ClusterState, type Outcome } from '@cloister/placement'
import { ask, policySuite } from '@cloister/placement/testing'
import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { kueueTas } from '../src/index.ts'

policySuite(kueueTas, {
  configs: [
    { blockSizes: [6, 12], mode: 'required', level: 12, slices: [{ size: 2, level: 'leaf' }], indivisible: 'unsliced' },
    { blockSizes: [5], profile: 'balanced', level: 'leaf' },
  ],
  histories: 1,
  symmetric: false,
})

// Six leaves of four nodes in pods of two leaves.
const topology = parseTopology('pgft:3;4,2,3;1,4,2;1,1,2')
const place = (config: object, busy: ReadonlyArray<number>, nodes: number): Outcome => {
  const { placer } = bindPolicy(kueueTas, topology, config)
  const state = new ClusterState(topology)
  state.fail({ nodes: busy, links: [] })
  return ask(placer, state, nodes)
}
const placed = (config: object, busy: ReadonlyArray<number>, nodes: number): Array<number> | undefined => {
  const outcome = place(config, busy, nodes)
  return outcome.ok ? Array.from(outcome.nodes) : undefined
}

test('a block is a pod, or a run of leaves with at least the given nodes', () => {
  const busy = [0, 1, 8, 12, 16]
  expect(placed({ mode: 'required' }, busy, 6)).toEqual([2, 3, 4, 5, 6, 7])
  expect(placed({ mode: 'required', blockSizes: [12] }, busy, 6)).toEqual([2, 3, 4, 5, 6, 7])
  expect(placed({ mode: 'required', blockSizes: [12] }, busy, 10)).toEqual([13, 14, 15, 17, 18, 19, 20, 21, 22, 23])
  expect(place({ mode: 'required', blockSizes: [12] }, busy, 11)).toEqual({
    ok: false,
    code: 'no-placement',
    constraint: 'free nodes in one block',
  })
  expect(place({ mode: 'required', blockSizes: [12] }, [], 13)).toEqual({
    ok: false,
    code: 'never',
    constraint: 'one block',
  })
})

test('with nodes as lowest level the first free nodes of chosen leaves are taken; with leaves, leaves keep their shares', () => {
  const busy = [0, 10, 11, 12, 13]
  // The second leaf of the first pod has most free nodes. The first leaf gives the rest.
  expect(placed({ mode: 'required' }, busy, 5)).toEqual([1, 2, 3, 4, 5])
  expect(placed({ mode: 'required', lowest: 'leaf' }, busy, 5)).toEqual([1, 4, 5, 6, 7])
  expect(placed({ mode: 'unconstrained' }, busy, 6)).toEqual([1, 2, 3, 4, 5, 6])
  expect(placed({ mode: 'unconstrained', lowest: 'leaf' }, busy, 6)).toEqual([1, 2, 8, 9, 14, 15])
  expect(placed({ mode: 'unconstrained', lowest: 'leaf' }, busy, 2)).toEqual([8, 9])
})

test('slices: a size that is no multiple never runs, or runs without slices', () => {
  const slices = [{ size: 3, level: 'leaf' }]
  expect(place({ slices }, [], 7)).toEqual({
    ok: false,
    code: 'never',
    constraint: 'a multiple of the slices of 3 nodes',
  })
  expect(place({ slices, indivisible: 'unsliced' }, [], 7)).toMatchObject({ ok: true })
  expect(place({ slices }, [], 21)).toEqual({
    ok: false,
    code: 'never',
    constraint: 'the machine, for slices of 3 nodes in one leaf each',
  })
  expect(placed({ slices }, [0, 1, 5], 6)).toEqual([8, 9, 10, 12, 13, 14])
})

test.each([
  [{ blockSizes: [8, 4] }, 'blockSizes: expected ascending sizes'],
  [{ level: 8 }, 'level 8: there is no such level; blocks are named by a size of blockSizes'],
  [{ lowest: 'leaf', level: 'node' }, 'level node: there is no such level'],
  [{ level: 'leaf', slices: [{ size: 2, level: 'block' }] }, 'slices: level block is not below leaf'],
  [
    {
      slices: [
        { size: 4, level: 'leaf' },
        { size: 2, level: 'leaf' },
      ],
    },
    'slices: level leaf is not below leaf',
  ],
  [
    {
      slices: [
        { size: 4, level: 'block' },
        { size: 3, level: 'leaf' },
      ],
    },
    'slices: size 3 does not divide 4',
  ],
])('a config %j is refused: %s', (config, message) => {
  expect(() => bindPolicy(kueueTas, topology, config)).toThrow(message)
})
