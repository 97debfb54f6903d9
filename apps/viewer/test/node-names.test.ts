import { pgft, switchNames, withNodeNames, withSwitchNames } from '@cloister/topology'
import { expect, it } from 'vitest'
import { placesNamed } from '../src/page/controls/places.ts'
import { leafLabel, nodesByName, withLeafNames } from '../src/page/state/node-names.ts'

const plain = pgft({ m: [2, 2, 4], w: [1, 2, 2], p: [1, 1, 1] })
const named = withLeafNames(
  withNodeNames(
    plain,
    Array.from({ length: plain.nodes }, (_, node) => `gpu${101 + node}`),
  ),
)

it('a log with names of nodes names leaves by their nodes, and a log without names keeps the numbers', () => {
  expect([leafLabel(plain, 1), leafLabel(named, 1)]).toEqual(['leaf1', 'gpu103'])
  expect([nodesByName(plain, '0-1,3'), nodesByName(named, '0-1,3')]).toEqual(['0-1,3', 'gpu[101-102,104]'])
  expect(withLeafNames(plain)).toBe(plain)
})

it('the search finds a leaf of a log with names of nodes by its number', () => {
  expect(placesNamed('leaf 1', named)).toEqual([{ kind: 'nodes', name: 'gpu[103-104]', from: 2, to: 4 }])
})

it('a log with names of switches keeps the names of leaves, and the search prefers a name to a number', () => {
  const names = switchNames(plain).map((name, at) => (at < plain.leaves ? `leaf${at + 1}` : name))
  const both = withLeafNames(withSwitchNames(named, names))
  expect(leafLabel(both, 0)).toBe('leaf1')
  expect(placesNamed('leaf 1', both)).toEqual([{ kind: 'nodes', name: 'leaf1', from: 0, to: 2 }])
})
