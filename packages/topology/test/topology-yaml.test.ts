import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  formatTopologyConf,
  formatTopologyYaml,
  lowestCommonLevel,
  parseSlurmTopology,
  parseTopology,
  pgft,
  type Topology,
  topologyOfYaml,
} from '../src/index.ts'
import { shapes } from './arbitraries.ts'

const read = (spec: string, text: string): Topology =>
  parseTopology(
    spec,
    () => text,
    (yaml) => ({ value: parse(yaml) }),
  )

const several = `# two views of the same nodes
---
- topology: ring0
  cluster_default: false
  ring: {rings: [{ring: r, nodes: "n[1-4]"}]}
- topology: fabric
  cluster_default: true
  tree:
    switches:
      - switch: s0
        nodes: n[1-2]
      - {switch: s1, nodes: "n[3-4]"}
      - {switch: top, children: "s[0-1]"}
- topology: racks
  cluster_default: false
  block:
    block_sizes: [2, 4]
    blocks:
      - {block: b1, nodes: "n[1-2]"}
      - {block: b2, nodes: "n[3-4]"}
      - {block: b3, nodes: "n[5-6]"}
      - {block: b4, nodes: "n7"}
`

describe('a topology.yaml', () => {
  test('a topology.yaml gives the same topology as a topology.conf, for reading and writing', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const topology = pgft(shape)
        const again = topologyOfYaml(parse(formatTopologyYaml(topology)), 'x')
        expect(again).toEqual(parseSlurmTopology(formatTopologyConf(topology), 'x'))
      }),
      { numRuns: 60 },
    )
  })

  test('topologyOfYaml takes the topology of the option `topology`, by default the one with cluster_default', () => {
    expect(read('slurm:site/topology.yaml', several)).toMatchObject({
      name: 'slurm:topology.yaml',
      nodes: 4,
      leaves: 2,
    })
    expect(read('slurm:topology.yaml,topology=fabric,cables=3', several)).toMatchObject({
      name: 'slurm:topology.yaml,topology=fabric,cables=3',
      nodes: 4,
      levels: [{ links: 6 }, {}],
    })
    expect(() => read('slurm:topology.yaml,topology=none', several)).toThrow(
      'slurm:topology.yaml,topology=none: no topology is called "none"; there are "ring0", "fabric", "racks"',
    )
  })

  test('in a topology.yaml, blocks become leaves, with aggregates of blocks above', () => {
    const topology = read('slurm:topology.yaml,topology=racks', several)
    expect(topology).toMatchObject({ nodes: 7, leaves: 4 })
    const level = (a: string, b: string): number =>
      lowestCommonLevel(topology, topology.nodeNames!.indexOf(a), topology.nodeNames!.indexOf(b))
    expect([level('n1', 'n2'), level('n1', 'n4'), level('n5', 'n7'), level('n1', 'n5')]).toEqual([0, 1, 1, 2])
  })

  test('in a topology.yaml, names may be digits; the children of a switch with nodes are left out, as in Slurm', () => {
    const tree = (switches: string): string => `- topology: t\n  tree: {switches: [${switches}]}\n`
    expect(read('slurm:t', tree('{switch: 1, nodes: 12}, {switch: 2, children: 1}')).nodeNames).toEqual(['12'])
    const both = read(
      'slurm:t',
      tree('{switch: a, nodes: n1}, {switch: b, nodes: n2, children: a}, {switch: c, children: "a,b"}'),
    )
    expect(both.remarks).toEqual(['switch b has nodes and children; the children are left out, as Slurm does'])
  })

  test.each([
    [
      '- topology: t\n  tree: {switches: [{switch: a}]}',
      '[0].tree.switches[0]: switch "a" has neither nodes nor children',
    ],
    ['- topology: t\n  tree: {switches: 3}', '[0].tree.switches: expected a list, found 3'],
    [
      '- topology: t\n  tree: {switches: [{switch: "a,b", nodes: n1}]}',
      '[0].tree.switches[0].switch: expected one name, found "a,b"',
    ],
    ['- topology: t\n  tree: {switches: [{switch: a, nodes: "n["}]}', 'slurm:t: Nodes: '],
    [
      '- topology: t\n  tree: {switches: [{switch: a, nodes: n1}, {switch: a, nodes: n2}]}',
      'switch "a" is already defined',
    ],
    ['- topology: t\n  ring: {rings: []}', '[0].ring: is no tree; expected tree or block'],
    ['- topology: t\n  flat: true', '[0].flat: has no switches; expected tree or block'],
    ['- topology: t', '[0]: has neither tree nor block'],
    [
      '- topology: t\n  block: {block_sizes: [2, 6], blocks: [{block: a, nodes: n1}]}',
      'expected a power of two times 2, the smallest block, found 6',
    ],
    ['- t: [', 'is no YAML: '],
    ['- 3', '[0]: expected fields, found 3'],
  ])('topologyOfYaml names the fault in the text %j', (text, message) => {
    expect(() => read('slurm:t', text)).toThrow(message)
  })

  test('parseTopology refuses a topology.yaml without `parseYaml`, and a topology.conf with the option `topology`', () => {
    expect(() => parseTopology('slurm:t', () => several)).toThrow('slurm:t: YAML cannot be read here')
    expect(() => read('slurm:t,topology=a', 'SwitchName=s Nodes=n[1-2]\n')).toThrow(
      'a topology.conf has a single topology; topology=NAME works only with a topology.yaml',
    )
  })
})

describe('parseSlurmTopology, for blocks in a topology.conf and for the output of scontrol:', () => {
  test('blocks of a topology.conf give the same topology as blocks of a topology.yaml', () => {
    const conf =
      'BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockName=b3 Nodes=n[5-6]\nBlockName=b4 Nodes=n7\nBlockSizes=2,4\n'
    expect(parseSlurmTopology(conf, 'x')).toEqual({ ...read('slurm:topology.yaml,topology=racks', several), name: 'x' })
    expect(() => parseSlurmTopology('BlockName=b1\n', 'x')).toThrow('x: line 1: Nodes: missing; every block has nodes')
    expect(() => parseSlurmTopology('BlockName=b1 Nodes=n1\nBlockSizes=x\n', 'x')).toThrow(
      'line 2: BlockSizes: expected sizes',
    )
    expect(() => parseSlurmTopology('BlockName=b1 Nodes=n1\nSwitchName=s Nodes=n2\n', 'x')).toThrow(
      'has both switches and blocks',
    )
  })

  test('`scontrol show topology` may print the nodes below every switch, and the size of every block', () => {
    const shown =
      'SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-2] \nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[3-4] \n' +
      'SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=s[0-1] \n'
    expect(parseSlurmTopology(shown, 'x')).toEqual({ ...read('slurm:t,topology=fabric', several), name: 'x' })
    const blocks =
      'BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2\nBlockName=b2 BlockIndex=1 Nodes=n[3-4] BlockSize=2\n' +
      'AggregatedBlock=b[1-2] BlockIndex=2 Nodes=n[1-4] BlockSize=4\n'
    expect(parseSlurmTopology(blocks, 'x')).toMatchObject({ nodes: 4, leaves: 2, levels: [{ links: 2 }, {}] })
  })
})
