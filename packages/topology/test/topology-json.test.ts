import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  parseSlurmTopology,
  parseTopology,
  pgft,
  switchGraph,
  type Topology,
  topologyFromJson,
  type TopologyJson,
  TopologyError,
  topologyToJson,
} from '../src/index.ts'
import { fileOf, shapes, slurmLines } from './arbitraries.ts'

const throughText = (topology: Topology): Topology =>
  topologyFromJson(JSON.parse(JSON.stringify(topologyToJson(topology))))

const withoutNames = ({ nodeNames: _names, levels, ...rest }: Topology) => ({
  ...rest,
  levels: levels.map(({ names: _ofLevel, ...level }) => level),
})

test('topologyFromJson builds the topology that topologyToJson wrote, except for names and irregularity', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      expect(throughText(pgft(shape, 'x'))).toEqual(pgft(shape, 'x'))
    }),
  )
  fc.assert(
    fc.property(slurmLines, (lines) => {
      const { irregularity: _why, ...topology } = parseSlurmTopology(fileOf(lines, lines), 'x')
      expect(withoutNames(throughText(topology))).toEqual(withoutNames(topology))
    }),
  )
})

test('topologyToJson writes keys in the order of the log format', () => {
  expect(JSON.stringify(topologyToJson(parseTopology('radix:18')))).toBe(
    '{"name":"radix:18","pgft":{"m":[9,9,18],"w":[1,9,9],"p":[1,1,1]}}',
  )
  expect(JSON.stringify(topologyToJson(parseTopology('radix:4 without node 3; leaf 0; L2 2; L2 3 ports 1')))).toBe(
    '{"name":"radix:4 without node 3; leaf 0; L2 2; L2 3 ports 1","envelope":{"m":[2,2,4],"w":[1,2,2],"p":[1,1,1]},"absent":{"nodes":"3","switches":["0","2"],"links":["","7"]}}',
  )
  expect(JSON.stringify(topologyToJson(switchGraph({ name: 'x', leaves: [2, 1], parents: [[[0], [0]]] })))).toBe(
    '{"name":"x","graph":{"leaves":[2,1],"parents":[[[0],[0]]]}}',
  )
})

describe('topologyFromJson refuses a wrong value', () => {
  test.each<[unknown, string]>([
    [null, 'topology: expected an object with name and pgft, envelope or graph'],
    ['radix:18', 'topology: expected an object'],
    [{}, 'topology.name: expected text'],
    [{ name: '' }, 'topology.name: expected text'],
    [{ name: 'x' }, 'x: topology: expected one of pgft, envelope and graph'],
    [{ name: 'x', pgft: {}, graph: {} }, 'x: topology: expected one of pgft, envelope and graph'],
    [
      { name: 'x', pgft: { m: [{ toString: 0 }], w: [1], p: [1] } },
      'm1: expected an integer from 1 to 4194304, found an object',
    ],
    [
      { name: 'x', graph: { leaves: ['2'], parents: [] } },
      'x: leaves[0]: expected a positive number of nodes, found "2"',
    ],
    [{ name: 'x', pgft: null }, 'm: expected a list of numbers'],
    [{ name: 'x', pgft: { m: [2], w: [1], p: [2] } }, 'p1: expected 1'],
    [
      { name: 'x', envelope: { m: [2, 2], w: [1, 1], p: [1, 1] } },
      'x: topology.absent: the canonical form of these absent parts is pgft',
    ],
    [
      { name: 'x', envelope: { m: [2, 2], w: [1, 1], p: [1, 1] }, absent: { nodes: '4' } },
      'x: absent: the tree has no node 4: it has 4 of them',
    ],
    [
      { name: 'x', envelope: { m: [2, 2], w: [1, 1], p: [1, 1] }, absent: { nodes: '0-1' } },
      'absent parts is {"switches":["0"]}',
    ],
    [{ name: 'x', envelope: { m: [2, 2], w: [1, 1], p: [1, 1] }, absent: { nodes: 3 } }, 'x: topology.absent: '],
    [{ name: 'x', graph: null }, 'x: topology.graph: expected an object'],
    [{ name: 'x', graph: {} }, 'x: leaves: expected the number of nodes of each leaf'],
    [{ name: 'x', graph: { leaves: [1] } }, 'x: parents: expected'],
    [{ name: 'x', graph: { leaves: [1], parents: [[0]] } }, 'x: parents[0][0]: expected a list'],
  ])('topologyFromJson refuses the value %j', (json, message) => {
    expect(() => topologyFromJson(json as TopologyJson)).toThrow(TopologyError)
    expect(() => topologyFromJson(json as TopologyJson)).toThrow(message)
  })

  test('topologyFromJson gives a topology or a TopologyError for any JSON', () => {
    const part = fc.oneof(fc.nat(3), fc.jsonValue({ maxDepth: 1 }))
    const lists = fc.array(part, { maxLength: 3 })
    const json = fc.oneof(
      fc.jsonValue(),
      fc.record({ name: fc.constant('x'), pgft: fc.record({ m: lists, w: lists, p: lists }) }),
      fc.record({
        name: fc.constant('x'),
        envelope: fc.constant({ m: [2, 2], w: [1, 2], p: [1, 1] }),
        absent: fc.oneof(
          part,
          fc.dictionary(
            fc.constantFrom('nodes', 'switches', 'links'),
            fc.oneof(part, lists, fc.constant('0'), fc.constant(['1'])),
          ),
        ),
      }),
      fc.record({
        name: fc.constant('x'),
        graph: fc.record({
          leaves: lists,
          parents: fc.array(fc.oneof(part, fc.array(fc.oneof(part, lists), { maxLength: 3 })), { maxLength: 3 }),
        }),
      }),
    )
    fc.assert(
      fc.property(json, (value) => {
        try {
          expect(topologyFromJson(value as TopologyJson).nodes).toBeGreaterThan(0)
        } catch (error) {
          expect(error).toBeInstanceOf(TopologyError)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
