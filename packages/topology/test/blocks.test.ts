import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTopology, type Topology, topologyFromJson, TopologyError, topologyToJson } from '../src/index.ts'

const tree = parseTopology('pgft:2;3,3;1,3;1,1')

/** Random blocks of a machine of nine nodes, in the order of their first nodes. */
const blocks: fc.Arbitrary<NonNullable<Topology['blocks']>> = fc
  .array(fc.nat(3), { minLength: 9, maxLength: 9 })
  .map((names) =>
    [...Map.groupBy(names.keys(), (node) => names[node])].map(([name, nodes]) => ({
      name: `nvl-${name}`,
      nodes: Int32Array.from(nodes),
    })),
  )

test('topologyFromJson reads the blocks that topologyToJson wrote', () => {
  fc.assert(
    fc.property(blocks, (drawn) => {
      const json = topologyToJson({ ...tree, blocks: drawn })
      expect(topologyFromJson(JSON.parse(JSON.stringify(json)) as typeof json)).toEqual({ ...tree, blocks: drawn })
    }),
  )
})

test('a machine without blocks has no blocks in its JSON', () => {
  expect(Object.keys(topologyToJson(tree))).toEqual(['name', 'pgft'])
})

test.each([
  [[], 'expected a list of blocks'],
  [3, 'expected a list of blocks, found 3'],
  [[null], 'expected name and nodes of each block'],
  [[{ name: '', nodes: '0-8' }], 'expected name and nodes of each block'],
  [[{ name: 'a', nodes: '' }], 'expected name and nodes of each block'],
  [[{ name: 'a', nodes: '8-0' }], '8-0'],
  [[{ name: 'a', nodes: '0-9' }], 'node 9 of block "a" is beyond the machine'],
  [[{ name: 'a', nodes: '0-7' }], 'node 8 is in no block'],
  [
    [
      { name: 'a', nodes: '0-5' },
      { name: 'b', nodes: '5-8' },
    ],
    'node 5 is in two blocks',
  ],
  [
    [
      { name: 'a', nodes: '5-8' },
      { name: 'b', nodes: '0-4' },
    ],
    'block "b" is not in the order of the blocks\' first nodes',
  ],
])('topologyFromJson refuses the blocks %j', (wrong, message) => {
  const json = { ...topologyToJson(tree), blocks: wrong as never }
  expect(() => topologyFromJson(json)).toThrow(TopologyError)
  expect(() => topologyFromJson(json)).toThrow(message)
})
