import { parseTopology } from '@cloister/topology'
import { expect, it } from 'vitest'
import { namedIn } from '../src/page/state/faults.ts'

const topology = parseTopology('radix:6')

it.each([
  ['placement', 'gave job 2 a placement that is not free: node 7 is taken but not free', [7], []],
  ['placement', 'gave job 2 a placement that is not free: level-1 link 3 is taken but not free', [], [[1, 3]]],
  ['placement', 'gave job 2 an invalid placement: node 54 does not exist: ids go from 0 to 53', [], []],
  ['throws', 'threw Error: node 7 is unknown', [], []],
] as const)('a fault with the code %s marks the nodes and links of its message: %s', (code, message, nodes, links) => {
  expect(namedIn({ code, message }, { topology })).toEqual({
    nodes,
    links: links.map(([level, link]) => ({ level, link })),
  })
})
