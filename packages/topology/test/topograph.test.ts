/** Models of NVIDIA's topograph, and the JSON of its engine `graph`. `host-files.test.ts` reads random machines. */
import { describe, expect, test } from 'vitest'
import { LineCounter, parse, parseDocument, type YAMLMap } from 'yaml'
import { formatAbsent, formatPgft, parseTopology, type Topology, TopologyError } from '../src/index.ts'
import { traceFile } from './trace-files.ts'

/** Reads a file; `lineOf` knows the lines of the entries of the top-level list `blocks` only. */
const read = (spec: string, text: string): Topology =>
  parseTopology(
    spec,
    () => text,
    (yaml) => {
      const lines = new LineCounter()
      const document = parseDocument(yaml, { lineCounter: lines })
      return {
        value: parse(yaml),
        lineOf: (path) => {
          const [, number] = /^blocks\[(\d+)\]/.exec(path) ?? []
          const entry =
            number === undefined ? undefined : (document.getIn(['blocks', Number(number)]) as YAMLMap | undefined)
          return entry?.range == null ? undefined : lines.linePos(entry.range[0]).line
        },
      }
    },
  )

describe("topograph's six models", () => {
  test.for([
    ['small-tree', 6, 'pgft:2;3,2;1,1;1,1', '', 2],
    ['medium', 8, 'pgft:3;2,2,2;1,1,1;1,1,1', '', 4],
    ['large', 96, 'pgft:3;8,2,6;1,1,1;1,1,1', '', 12],
    ['nvl72', 72, 'pgft:3;18,2,2;1,1,1;1,1,1', '', 4],
    ['dual-xclr-regular', 96, 'pgft:3;8,2,6;1,1,1;1,1,1', '', 12],
    ['dual-xclr-irregular', 255, 'pgft:3;9,15,2;1,1,1;1,1,1', 'nodes 25-26,257-260; leaf 14', 29],
  ] as const)(
    'the model %s has %i nodes, and its whole tree is %s',
    ([model, nodes, shape, absent, blocks], context) => {
      const text = traceFile(context, `topology/topograph/${model}.yaml`)
      const machine = read(`topograph:${model}.yaml`, text)
      expect(machine.irregularity).toBeUndefined()
      expect(machine).toMatchObject({ nodes })
      expect(formatPgft(machine.envelope?.shape ?? machine.pgft!)).toBe(shape)
      expect(formatAbsent(machine)).toBe(absent)
      // In each of the models, each leaf is an accelerator domain or a sub-domain.
      expect(machine.blocks!.map((block) => block.nodes.length)).toEqual(
        Array.from({ length: blocks }, (_, leaf) => machine.firstNodeOfLeaf[leaf + 1] - machine.firstNodeOfLeaf[leaf]),
      )
    },
  )

  test('racks without nodes are left out, and sub-domains are the blocks', (context) => {
    const machine = read('topograph:x', traceFile(context, 'topology/topograph/dual-xclr-irregular.yaml'))
    expect(machine.remarks).toEqual(['left out without nodes: rack-1-03, rack-1-13'])
    expect(machine.blocks![0].name).toBe('domain-01/rack-1-01')
  })
})

test('two domains below one leaf are two blocks, and a model without switches has leaves only', () => {
  const machine = read(
    'topograph:x',
    `blocks:
- {switch: s1, nodes: ["n[1-2]"], annotations: {accelerator.topology.test/domain: a}}
- {switch: s1, nodes: ["n[3-4]", n6], annotations: {accelerator.topology.test/domain: b}}
- {switch: s2, nodes: ["n5"]}
`,
  )
  expect(machine).toMatchObject({ nodes: 6, leaves: 2, nodeNames: ['n1', 'n2', 'n3', 'n4', 'n6', 'n5'] })
  expect(machine.blocks!.map(({ name, nodes }) => [name, [...nodes]])).toEqual([
    ['a', [0, 1]],
    ['b', [2, 3, 4]],
    ['s2', [5]],
  ])
  expect(machine.remarks).toEqual(['in no NVLink domain, so one more block on each leaf: n5'])
})

test('a machine with blocks keeps the blocks without some parts', () => {
  const model = `switches: {top: {switches: [s1, s2, s3]}}
blocks:
- {switch: s1, nodes: ["n[1-3]"], annotations: {accelerator.topology.test/domain: a}}
- {switch: s2, nodes: [n4]}
- {switch: s3, nodes: [n5]}
`
  const blocksOf = (spec: string): unknown => read(spec, model).blocks!.map(({ name, nodes }) => [name, [...nodes]])
  expect(blocksOf('topograph:x')).toEqual([
    ['a', [0, 1, 2]],
    ['s2', [3]],
    ['s3', [4]],
  ])
  expect(blocksOf('topograph:x without nodes n2')).toEqual([
    ['a', [0, 1]],
    ['s2', [2]],
    ['s3', [3]],
  ])
  expect(blocksOf('topograph:x without leaf s2')).toEqual([
    ['a', [0, 1, 2]],
    ['s3', [3]],
  ])
})

test.each([
  ['- a', 'topograph:x: the document: expected fields, found a list'],
  ['capacity_blocks: {}', 'topograph:x: capacity_blocks: unknown field; expected switches, blocks'],
  ['switches: {}', 'topograph:x: blocks: expected a list, found undefined'],
  ['blocks: [{switch: s1}]', 'topograph:x: blocks: no block has nodes'],
  ['blocks: [{nodes: [n1]}]', 'topograph:x: line 1: blocks[0].switch: expected the name of a switch, found undefined'],
  ['blocks: [{switch: s1, nodes: n1}]', 'line 1: blocks[0].nodes: expected a list, found "n1"'],
  ['blocks: [{switch: s1, nodes: ["n[1"]}]', 'line 1: blocks[0].nodes[0]: "n[1": "[" at character 1 is never closed'],
  ['blocks: [{switch: s1, nodes: [[]]}]', 'line 1: blocks[0].nodes[0]: expected text, found a list'],
  ['blocks: [{switch: s1, node: [n1]}]', 'blocks[0].node: unknown field; expected switch, nodes, labels, annotations'],
  [
    'blocks:\n- {switch: s1, nodes: [n1]}\n- {switch: s2, nodes: [n2, n1]}',
    'topograph:x: line 3: blocks[1].nodes[1]: host "n1" is already on line 2; a host hangs on one leaf',
  ],
  [
    'switches: {a: {switches: [c]}, b: {switches: [c]}}\nblocks: [{switch: c, nodes: [n1]}]',
    'topograph:x: switches.b.switches[0]: switch "c" is below "b" and below "a"; a switch has one parent',
  ],
  [
    'switches: {a: {switches: [b]}}\nblocks: [{switch: c, nodes: [n1]}]',
    'topograph:x: line 2: blocks[0].switch: no entry of switches names "c"',
  ],
  [
    'switches: {a: {switches: [b]}}\nblocks: [{switch: a, nodes: [n1]}, {switch: b, nodes: [n2]}]',
    'topograph:x: line 2: blocks[0].switch: host "n1" hangs on switch "a", which has switches below; expected a leaf',
  ],
  [
    'switches: {a: {switches: [b]}, b: {switches: [a, c]}}\nblocks: [{switch: c, nodes: [n1]}]',
    'topograph:x: switches.b: switch "b" is below itself',
  ],
  [
    'switches: {a: {nodes: [n1]}}\nblocks: []',
    'switches.a.nodes: unknown field; expected labels, annotations, switches',
  ],
  ['{"instances": []}', 'topograph:x: instances: expected a list, found an empty list'],
  [
    '{"instances": [{"id": "a", "network_layers": ["s"], "attributes": 3}]}',
    'instances[0].attributes: expected fields',
  ],
  ['{"blocks": 3}', 'topograph:x: blocks: expected a list, found 3'],
  ['{', 'topograph:x: is no JSON'],
])('parseTopology names the fault of the model %j', (text, message) => {
  expect(() => read('topograph:x', text)).toThrow(TopologyError)
  expect(() => read('topograph:x', text)).toThrow(message)
})
