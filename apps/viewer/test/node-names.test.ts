import { pgft, withNodeNames } from '@cloister/topology'
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
