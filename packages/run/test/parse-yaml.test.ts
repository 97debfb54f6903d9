import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { parseYaml } from '../src/node/index.ts'

const good = `# a machine
---
- topology: fabric
  cluster_default: true
  tree:
    switches:
      - switch: s0
        nodes: n[1-2]
      - {switch: s1, nodes: "n[3-4]"}
      - {switch: top, children: "s[0-1]"}
`

test.each([
  ['a wrong hostlist of a switch', '"n[3-4]"', '"n["', 'line 9: '],
  [
    'a switch without nodes and children',
    's1, nodes: "n[3-4]"',
    's1',
    'line 9: [0].tree.switches[1]: switch "s1" has neither',
  ],
  [
    'fields instead of a hostlist',
    'nodes: n[1-2]',
    'nodes: {a: 1}',
    'line 8: [0].tree.switches[0].nodes: expected text',
  ],
  [
    'a number instead of the fields of a tree',
    'tree:\n',
    'tree: 3\n  old:\n',
    'line 5: [0].tree: expected fields, found 3',
  ],
  ['a ring instead of a tree', 'tree:', 'ring:', 'line 5: [0].ring: is no tree'],
  ['a key given twice', '  tree:', '  topology: x\n  tree:', 'line 5: is no YAML: Map keys must be unique'],
  ['a switch given twice', 'switch: s1', 'switch: s0', 'line 9: '],
  ['an open quote', '"s[0-1]"', '"s[0-1]', 'is no YAML: '],
  ['an alias without an anchor', '"s[0-1]"', '*none', 'line 10: is no YAML: Unresolved alias'],
  ['lists 65 deep', 'fabric', '['.repeat(64), 'line 3: is no YAML: lists and maps may be nested at most 64 deep'],
  ['a tab as indentation', '      - {switch: s1', '\t- {switch: s1', 'line 9: is no YAML: '],
])('parseTopology names the line of the error in a topology.yaml with %s', (_, part, broken, message) => {
  expect(good).toContain(part)
  const text = good.replace(part, broken)
  expect(() => parseTopology('slurm:t.yaml', () => text, parseYaml)).toThrow(message)
  expect(() => parseTopology('slurm:t.yaml', () => text, parseYaml)).toThrow(/^slurm:t\.yaml: line \d+: /)
})

test('parseYaml names the line of the first alias if aliases stand for billions of parts', () => {
  const text = `- topology: &a [1,1,1,1,1,1,1,1,1]\n${Array.from({ length: 9 }, (_, at) => {
    const [one, next] = [String.fromCharCode(97 + at), String.fromCharCode(98 + at)]
    return `- topology: &${next} [*${one},*${one},*${one},*${one},*${one},*${one},*${one},*${one},*${one}]\n`
  }).join('')}`
  expect(() => parseTopology('slurm:t.yaml', () => text, parseYaml)).toThrow('slurm:t.yaml: line 2: is no YAML: ')
})

test('parseYaml refuses 50,000 levels by their depth, and reads 60 levels', () => {
  for (const [open, close] of ['[]', '{}', ['- ', ''], ['a: {', '}'], ['? ', '']])
    expect(() => parseYaml(`${open.repeat(50_000)}1${close.repeat(50_000)}`), open).toThrow('nested at most 64 deep')
  const blocks = Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')
  expect(() => parseYaml(blocks)).toThrow('nested at most 64 deep')
  expect(JSON.stringify(parseYaml(`${'['.repeat(60)}1${']'.repeat(60)}`).value)).toHaveLength(121)
})

test('parseTopology with parseYaml reads a correct topology.yaml', () => {
  expect(parseTopology('slurm:t.yaml', () => good, parseYaml)).toMatchObject({ nodes: 4, leaves: 2 })
})
