/** Resources of Flux, made to its RFC 4 (resource model), RFC 20 (R) and RFC 40 (graph of Fluxion). */
import { describe, expect, test } from 'vitest'
import { parseTopology, switchName, type Topology } from '../src/index.ts'

const read = (value: unknown): Topology =>
  parseTopology('flux:x', () => (typeof value === 'string' ? value : JSON.stringify(value)))

const R = (execution: object, more: object = {}): object => ({ version: 1, execution, ...more })
const execution = {
  R_lite: [
    { rank: '0-1,3', children: { core: '0-47', gpu: '0-7' } },
    { rank: '2', children: { core: '0-3' } },
  ],
  nodelist: ['node[186-188]', 'login1'],
}
const vertex = (id: string, type: string, more: object = {}): object => ({ id, metadata: { type, ...more } })
const contains = { subsystem: 'containment', relationship: 'contains' }

describe('flux:FILE with an R', () => {
  test('has the hosts of the nodelist on one leaf, and says so', () => {
    const machine = read(R(execution))
    expect([machine.nodes, machine.leaves, machine.nodeNames]).toEqual([
      4,
      1,
      ['login1', 'node186', 'node187', 'node188'],
    ])
    expect(machine.remarks).toEqual(['an R of Flux has no switches, so all nodes hang on one leaf'])
  })

  test('with the graph of Fluxion has the switches of the graph', () => {
    const graph = {
      nodes: [
        vertex('0', 'cluster', { basename: 'tiny', id: 0 }),
        vertex('1', 'rack', { id: 7 }),
        vertex('2', 'rack', { id: 8 }),
      ].concat(
        ['3', '4', '5'].map((id) => vertex(id, 'node', { name: `n${id}` })),
        vertex('6', 'ssd'),
        vertex('7', 'node', { name: 'stray' }),
      ),
      edges: [
        { source: '0', target: '1' },
        { source: '0', target: '2', metadata: contains },
        { source: '1', target: '3', metadata: { name: { containment: 'contains' } } },
        { source: '3', target: '1', metadata: { name: { containment: 'in' } } },
        { source: '2', target: '4', metadata: contains },
        { source: '1', target: '4', metadata: { subsystem: 'power', relationship: 'supplies' } },
        { source: '2', target: '5', metadata: contains },
      ],
    }
    const machine = read(R(execution, { scheduling: { graph } }))
    expect([machine.nodes, machine.leaves, machine.nodeNames]).toEqual([3, 2, ['n3', 'n4', 'n5']])
    expect([switchName(machine, 0, 1), switchName(machine, 1, 0)]).toEqual(['rack8', 'tiny0'])
    expect(machine.remarks).toEqual(['left out without a vertex above: stray'])
    expect(read({ graph }).nodeNames).toEqual(machine.nodeNames)
  })
})

test.each([
  ['{', 'flux:x: is no JSON'],
  [
    { jobs: [] },
    'flux:x: the document: found neither execution nor graph, expected an R of Flux or a graph of Fluxion',
  ],
  [{ ...R(execution), version: 2 }, 'flux:x: version: expected 1, found 2'],
  [R({ ...execution, nodelist: ['a[1-3]'] }), 'flux:x: execution.nodelist: names 3 hosts for 4 ranks in R_lite'],
  [R({ ...execution, nodelist: ['a[1-'] }), 'flux:x: execution.nodelist[0]: '],
  [R({ ...execution, R_lite: [{ rank: '3-1' }] }), 'flux:x: execution.R_lite[0].rank: '],
  [
    { graph: { nodes: [vertex('0', 'node')], edges: [{ source: '1', target: '0' }] } },
    'flux:x: graph.edges[0].source: found "1", expected the id of a vertex',
  ],
  [
    {
      graph: {
        nodes: [vertex('0', 'rack'), vertex('1', 'rack'), vertex('2', 'node', { name: 'n' })],
        edges: [
          { source: '0', target: '2' },
          { source: '1', target: '2' },
        ],
      },
    },
    'flux:x: graph.edges[1].source: puts "n" into "rack", but "n" is already in "rack"',
  ],
  [
    {
      graph: {
        nodes: [vertex('0', 'rack'), vertex('1', 'node')],
        edges: [
          { source: '0', target: '1' },
          { source: '1', target: '0' },
        ],
      },
    },
    'is inside itself',
  ],
  [
    { graph: { nodes: [vertex('0', 'rack')], edges: [{ source: '0', target: '0' }] } },
    'graph.nodes: no vertex has the type node',
  ],
])('%j is an error that names the place', (value, message) => {
  expect(() => read(value)).toThrow(message)
})
