import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatAbsent,
  formatIbnetdiscover,
  missingCables,
  formatPgft,
  parseIbnetdiscover,
  parseSlurmTopology,
  parseTopology,
  pgft,
  TopologyError,
} from '../src/index.ts'
import { fileOf, nearly, shapes, slurmLines } from './arbitraries.ts'

const tree = parseTopology('pgft:2;2,3;1,2;1,2')
const valid = formatIbnetdiscover(tree)
const lines = valid.split('\n')
const lineOf = (text: string): number => lines.findIndex((line) => line.includes(text)) + 1

test('parseIbnetdiscover reads the tree and names that formatIbnetdiscover wrote', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const made = pgft(shape, 'x')
      const read = parseIbnetdiscover(formatIbnetdiscover(made), 'x')
      expect(read.pgft).toEqual(shape)
      expect(read.nodeNames).toEqual(Array.from({ length: made.nodes }, (_, node) => `node${node}`))
      expect({
        ...read,
        nodeNames: undefined,
        levels: read.levels.map((level) => ({ ...level, names: undefined })),
      }).toEqual(made)
    }),
  )
})

test('parseIbnetdiscover reads the links and the absent parts of a machine with absent parts that formatIbnetdiscover wrote', () => {
  fc.assert(
    fc.property(slurmLines, (file) => {
      const made = parseSlurmTopology(fileOf(file, file), 'x')
      // A switch without cables is in no level. On more than two levels, a switch's distance in cables from the leaves
      // can differ from its level in the file.
      fc.pre(made.levels.length === 2 && made.pgft === undefined)
      fc.pre(made.irregularity?.includes('not connected') !== true)
      const read = parseIbnetdiscover(formatIbnetdiscover(made), 'x')
      expect(read.irregularity).toBe(made.irregularity)
      expect(formatAbsent(read)).toBe(formatAbsent(made))
      expect(read.nodes).toBe(made.nodes)
      expect(read.levels.map(({ links }) => links)).toEqual(made.levels.map(({ links }) => links))
    }),
  )
})

describe('parseIbnetdiscover, for the fabric of a site,', () => {
  const read = (text: string, choice = {}) => parseIbnetdiscover(text, 'x', choice)

  test('parseIbnetdiscover leaves out hosts that are no nodes, with a remark; the choice `nodes` chooses the nodes', () => {
    const text = valid.replaceAll('node5 mlx5_0', 'login1 mlx5_0')
    expect(read(text)).toMatchObject({
      nodes: 5,
      remarks: ['1 hosts are no nodes (login1); nodes=HOSTLIST chooses the nodes'],
    })
    expect(formatAbsent(read(text))).toBe('node 5')
    expect(read(text, { nodes: 'node[0-4],login1' })).toMatchObject({ nodes: 6, pgft: tree.pgft })
    expect(() => read(text, { nodes: 'node[0-5]' })).toThrow('x: nodes: no adapter of host "node5" is cabled')
  })

  test('parseIbnetdiscover needs the choice of an adapter if only some hosts have adapters on several switches', () => {
    const text = valid
      .replace(
        lines[lineOf('Switch\t6 "S-0002010000000100"') - 1],
        '$&\n[9]\t"H-00010000000f0600"[1](00010000000f0601)\t\t# "node5 mlx5_1" lid 0 4xHDR',
      )
      .concat('\ncaguid=0x00010000000f0600\nCa\t1 "H-00010000000f0600"\t\t# "node5 mlx5_1"\n')
    expect(() => read(text)).toThrow(
      'x: the rails differ: node0 has the adapter mlx5_0, and no cabled adapter mlx5_1. All rails of a machine are equal',
    )
    expect(read(text, { adapter: 'mlx5_0' })).toMatchObject({ pgft: tree.pgft })
    expect(() => read(text, { adapter: 'mlx5_7' })).toThrow('x: no host has a cabled adapter "mlx5_7"')
  })

  test('parseIbnetdiscover names a missing cable and, in `remarks`, a slow cable in `remarks`', () => {
    const from = lines.find((line) => line.includes('"spine') === false && line.includes('"l2-1"'))!
    const lacking = read(valid.replace(`${from}\n`, ''))
    expect(formatAbsent(lacking)).toBe('leaf 0 ports 3')
    expect(missingCables(lacking)).toEqual(['leaf0 -> l2-1'])
    expect(read(valid.replace(from, from.replace('4xHDR', '4xEDR'))).remarks).toEqual([
      'the cable from "leaf0" port 4 to "l2-1" port 1 runs at 4xEDR, most cables of the level at 4xHDR',
    ])
  })

  test('parseIbnetdiscover adds GUIDs to the names of switches with equal descriptions', () => {
    const text = valid.replaceAll(/"l2-[01]"/g, '"Quantum Mellanox Technologies"')
    expect(read(text).levels[1].names).toEqual([
      'Quantum-Mellanox-Technologies-S-0002020000000100',
      'Quantum-Mellanox-Technologies-S-0002020000000200',
    ])
  })
})

describe('parseIbnetdiscover refuses a wrong file with a TopologyError that names the line', () => {
  test.each([
    ['', 'x: no switch found; expected the output of ibnetdiscover'],
    ['Switch 4 "S-0002010000000100"\t# "a"\n[1]\t"H-00"[1]', 'x: line 2: expected a device or a port'],
    ['[1]\t"S-0002010000000100"[1]', 'x: line 1: expected a device or a port'],
    [
      'Switch 4 "S-0002010000000100"\nSwitch 4 "S-0002010000000100"',
      'x: line 2: device S-0002010000000100 is already on line 1',
    ],
    ['Switch 4 "S-0002010000000100"\t# "a"', 'x: no host found'],
    [
      valid.replaceAll('"S-0002020000000100"', '"S-0002010000000300"'),
      /x: line \d+: device S-0002010000000300 is already on line/,
    ],
  ])('parseIbnetdiscover refuses the text %j', (text, message) =>
    expect(() => parseIbnetdiscover(text, 'x')).toThrow(message),
  )

  test('parseIbnetdiscover gives a topology or a TopologyError for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearly(valid)), (text) => {
        try {
          expect(parseIbnetdiscover(text, 'x').nodes).toBeGreaterThan(0)
        } catch (error) {
          expect(error).toBeInstanceOf(TopologyError)
        }
      }),
      { numRuns: 1000 },
    )
  })
})

test('parseTopology reads the file, the adapter and the nodes of ib:FILE,adapter=A,nodes=HOSTLIST', () => {
  const spec = (text: string) => parseTopology(text, () => valid)
  expect(formatPgft(spec('ib:some/fabric.txt').pgft!)).toBe('pgft:2;2,3;1,2;1,2')
  expect(spec('ib:some/fabric.txt,adapter=mlx5_0,nodes=node[0-3]')).toMatchObject({
    name: 'ib:fabric.txt,adapter=mlx5_0,nodes=node[0-3]',
    nodes: 4,
  })
  expect(() => spec('ib:fabric.txt,nodes=node[0-3')).toThrow('ib:fabric.txt,nodes=node[0-3: "node[0-3"')
})
