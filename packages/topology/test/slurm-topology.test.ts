import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatHostlist,
  formatTopologyConf,
  lowestCommonLevel,
  parseSlurmTopology,
  parseTopology,
  pgft,
  type Topology,
  TopologyError,
} from '../src/index.ts'
import { fileOf, type Line, nearly, shapes, slurmLines } from './arbitraries.ts'
import { traceFile } from './trace-files.ts'

/** Lines of a random `topology.conf`, with a random order of the lines. */
const shuffled = slurmLines.chain((lines) =>
  fc.tuple(fc.constant(lines), fc.shuffledSubarray(lines, { minLength: lines.length })),
)

/**
 * Returns the level of the lowest switch above both nodes, from the names in the lines. The level of a switch is one
 * above its highest child.
 */
function naiveLevel(lines: ReadonlyArray<Line>, a: string, b: string): number {
  const levels: number[] = []
  const below: Array<Set<string>> = []
  for (const { nodes, children } of lines) {
    levels.push(children.length === 0 ? 0 : 1 + Math.max(...children.map((child) => levels[child])))
    below.push(new Set([...nodes, ...children.flatMap((child) => [...below[child]])]))
  }
  const common = levels.filter((_, i) => below[i].has(a) && below[i].has(b))
  return common.length > 0 ? Math.min(...common) : 1 + Math.max(...levels)
}

test('parseSlurmTopology gives every two nodes the lowest common level of the file, for any order of the lines', () => {
  fc.assert(
    fc.property(shuffled, ([all, file]) => {
      const topology = parseSlurmTopology(fileOf(file, all), 'x')
      const names = topology.nodeNames!
      expect([...names].sort()).toEqual(all.flatMap((line) => line.nodes).sort())
      for (let a = 0; a < names.length; a++) {
        for (let b = 0; b < names.length; b++)
          expect(lowestCommonLevel(topology, a, b)).toBe(naiveLevel(all, names[a], names[b]))
      }
    }),
    { numRuns: 200 },
  )
})

test('the options parents and cables of slurm:FILE make any regular tree from the file of a tree of single links', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const single = shape.m.map(() => 1)
      const text = formatTopologyConf(pgft({ m: shape.m, w: single, p: single }, 'x'))
      const [parents, cables] = [shape.w, shape.p].map((counts) => counts.slice(1).join())
      const spec = parents === '' ? 'slurm:x' : `slurm:x,parents=${parents},cables=${cables}`
      const read = parseTopology(spec, () => text)
      expect(withoutNames({ ...read, name: 'x' })).toEqual(withoutNames(pgft(shape, 'x')))
    }),
    { numRuns: 60 },
  )
})

test('the option parents of slurm:FILE names parallel switches, and refuses wrong numbers', () => {
  const text = 'SwitchName=s1 Nodes=a\nSwitchName=s2 Nodes=b\nSwitchName=p Switches=s[1-2]\nSwitchName=p-2 Switches=p'
  const read = (parents: string): Topology => parseTopology(`slurm:x,parents=${parents}`, () => text)
  expect(read('2,1').levels.map((level) => level.names)).toEqual([
    ['s1', 's2'],
    ['p-1', 'p-2-'],
    ['p-2-1', 'p-2-2'],
  ])
  expect(() => read('2')).toThrow('slurm:x,parents=2: parents: expected 2 numbers, one a level below the top, found 1')
  expect(() => read('2,0')).toThrow('"slurm:x,parents=2,0": parents2: expected a positive integer, found "0"')
  expect(() => read('4000000,2')).toThrow('parents: too large: at most 4194304 links are supported')
})

test('parseSlurmTopology numbers the leaves of a pod in the order of the file', () => {
  fc.assert(
    fc.property(shuffled, ([all, file]) => {
      const topology = parseSlurmTopology(fileOf(file, all), 'x')
      const position = new Map(file.map((line, i) => [line.name, i]))
      const positions = topology.levels[0].names!.map((name) => position.get(name)!)
      for (let pod = 0; pod < topology.pods; pod++) {
        const own = positions.slice(topology.firstLeafOfPod[pod], topology.firstLeafOfPod[pod + 1])
        expect(own).toEqual([...own].sort((a, b) => a - b))
      }
    }),
  )
})

test('parseSlurmTopology reads the graph that formatTopologyConf wrote', () => {
  fc.assert(
    fc.property(shuffled, ([all, file]) => {
      const topology = parseSlurmTopology(fileOf(file, all), 'x')
      expect(parseSlurmTopology(formatTopologyConf(topology), 'x')).toEqual(topology)
    }),
    { numRuns: 200 },
  )
  fc.assert(
    fc.property(shapes, (shape) => {
      const tree = pgft({ ...shape, p: shape.p.map(() => 1) }, 'x')
      const read = parseSlurmTopology(formatTopologyConf(tree), 'x')
      expect(withoutNames(read)).toEqual(withoutNames(tree))
    }),
    { numRuns: 50 },
  )
})

function withoutNames(topology: Topology): unknown {
  const levels = topology.levels.map((level) => ({ ...level, names: undefined }))
  return { ...topology, levels, pgft: undefined, nodeNames: undefined }
}

test('parseSlurmTopology reads comments, continued lines, quotes, any case, spaces around = and LinkSpeed', () => {
  const text = [
    '# a comment \\',
    '  SWITCHNAME=s0 nodes=cn[10,9,8]   # the first',
    '',
    'switchname = s1 LinkSpeed=100 \\',
    '   Nodes="cn[1-2],login" ',
    '\tSwitchName=top Switches=s[0-1]\r',
  ].join('\n')
  const topology = parseSlurmTopology(text, 'slurm:topology.conf')
  expect(topology.levels.map((level) => level.names)).toEqual([['s0', 's1'], ['top']])
  expect(topology.nodeNames).toEqual(['cn8', 'cn9', 'cn10', 'cn1', 'cn2', 'login'])
  expect(topology).toMatchObject({ name: 'slurm:topology.conf', pods: 1 })
})

test('parseSlurmTopology inserts a switch with one child at each level that a link skips', () => {
  const text =
    'SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\nSwitchName=p Switches=a\nSwitchName=core Switches=p,b\nSwitchName=root Switches=core,b'
  const topology = parseSlurmTopology(text, 'x')
  expect(topology.levels.map((level) => level.names)).toEqual([
    ['a', 'b'],
    ['p', 'b-core', 'b-root'],
    ['core', 'b-root-root'],
    ['root'],
  ])
  expect(topology.levels.map((level) => level.links)).toEqual([3, 3, 2, 0])
})

describe('parseSlurmTopology refuses a wrong file with a TopologyError that names line and field', () => {
  test.each([
    ['', 'x: no switch found; expected lines such as SwitchName=s0 Nodes=cn[001-016]'],
    ['# nothing\n\n', 'x: no switch found'],
    ['SwitchName=a', 'x: line 1: switch "a" has neither Nodes nor Switches'],
    ['Nodes=n1', 'x: line 1: SwitchName: missing'],
    ['SwitchName=a Nodes=n[1-', 'x: line 1: Nodes: "n[1-": "[" at character 1 is never closed'],
    ['SwitchName=a Nodes=n1 Switches=b', 'x: line 1: switch "a" has both Nodes and Switches'],
    ['SwitchName=a Nodes=n1 Nodes=n2', 'x: line 1: Nodes: given twice'],
    ['SwitchName=a[1-2] Nodes=n1', 'x: line 1: SwitchName: expected the name of one switch, found "a[1-2]"'],
    ['\nSwitchName=a Nodes=n1\nSwitchName=b Switches=c', 'x: line 3: Switches: no line defines switch "c"'],
    [
      'SwitchName=a Nodes=n1\nSwitchName=b Switches=a,c\nSwitchName=c Switches=b',
      'x: line 2: Switches: switch "b" is below itself',
    ],
    [
      'SwitchName=top Switches=b\nSwitchName=a Nodes=n1\nSwitchName=b Switches=a,c\nSwitchName=c Switches=b',
      'x: line 3: Switches: switch "b" is below itself',
    ],
    ['SwitchName=a Switches=a', 'x: line 1: Switches: switch "a" is below itself'],
    ['SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2', 'x: line 2: SwitchName: switch "a" is already on line 1'],
    ['SwitchName=a Nodes=n1\nSwitchName=b Nodes=n[0-3]', 'x: line 2: Nodes: node "n1" is already on line 1'],
    ['SwitchName=a Nodes=n1\nSwitchName=b Switches=a,a', 'x: line 2: Switches: switch "a" is listed twice'],
    ['SwitchName=s0 Nodes=n1\nSwitchName=b Switches=s[0-3]', 'x: line 2: Switches: no line defines switch "s1"'],
    ['SwitchName=a Nodes=', 'x: line 1: expected Field=value as in a topology.conf, found "Nodes="'],
    ['SwitchName=a Nodes=""', 'x: line 1: Nodes: expected at least one node'],
    ['SwitchName=a Nodes=n1, n2', 'x: line 1: expected Field=value as in a topology.conf, found "n2"'],
    [
      'RingName=r1 Nodes=n1',
      'x: line 1: unknown field "RingName"; a line has SwitchName, either Nodes or Switches, and optionally LinkSpeed',
    ],
    [
      'SwitchName=a Nodes=n[1-99999999]',
      'x: line 1: Nodes: "n[1-99999999]": "1-99999999" at character 2 makes more names',
    ],
    [
      Array.from({ length: 17 }, (_, i) => `SwitchName=s${i} ${i === 0 ? 'Nodes=n' : `Switches=s${i - 1}`}`).join('\n'),
      'x: line 17: Switches: more than 16 levels',
    ],
  ])('parseSlurmTopology refuses the text %j', (text, message) => {
    expect(() => parseSlurmTopology(text, 'x')).toThrow(TopologyError)
    expect(() => parseSlurmTopology(text, 'x')).toThrow(message)
  })

  test('parseSlurmTopology gives a topology or a TopologyError for any text', () => {
    const valid =
      'SwitchName=s0 Nodes=cn[001-032,040]\nSwitchName=s1 Nodes=a,b # x\nSwitchName=top Switches=s[0-1] LinkSpeed=1\n'
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearly(valid)), (text) => {
        try {
          expect(parseSlurmTopology(text, 'x').nodes).toBeGreaterThan(0)
        } catch (error) {
          expect(error).toBeInstanceOf(TopologyError)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('parseSlurmTopology refuses a long chain of switches and a long line quickly', () => {
    const { user } = process.cpuUsage()
    const chain = Array.from(
      { length: 50_000 },
      (_, i) => `SwitchName=s${i} ${i === 0 ? 'Nodes=n' : `Switches=s${i - 1}`}`,
    ).join('\n')
    expect(() => parseSlurmTopology(chain, 'x')).toThrow('more than 16 levels')
    expect(() => parseSlurmTopology('a'.repeat(1_000_000), 'x')).toThrow(TopologyError)
    expect(() => parseSlurmTopology('\\\n'.repeat(200_000), 'x')).toThrow(TopologyError)
    expect(process.cpuUsage().user - user, 'microseconds of work').toBeLessThan(20_000_000)
  })
})

test('parseSlurmTopology reads the file of IIT Kanpur HPC2010: 32 leaves of 16 nodes, each leaf below 16 switches', (context) => {
  const text = traceFile(context, 'topology/iitk-hpc2010-topology.conf')
  const topology = parseTopology('slurm:some/iitk-hpc2010-topology.conf', () => text)
  expect(topology).toMatchObject({ name: 'slurm:iitk-hpc2010-topology.conf', nodes: 512, leaves: 32, pods: 1 })
  expect(topology.levels.map(({ switches, links }) => [switches, links])).toEqual([
    [32, 512],
    [16, 0],
  ])
  expect([...topology.firstNodeOfLeaf]).toEqual(Array.from({ length: 33 }, (_, leaf) => 16 * leaf))
  expect(formatHostlist(topology.levels[0].names!)).toBe('ibsw[2-11,13-30,47-50]')
  expect(formatHostlist(topology.nodeNames!.slice(0, 32))).toBe('cn[209-224,321-336]')
  for (let leaf = 0; leaf < 32; leaf++)
    expect([...topology.levels[0].parentOfLink.subarray(16 * leaf, 16 * leaf + 16)]).toEqual([...Array(16).keys()])
  expect([lowestCommonLevel(topology, 0, 15), lowestCommonLevel(topology, 0, 511)]).toEqual([0, 1])
  expect(parseSlurmTopology(formatTopologyConf(topology), topology.name)).toEqual(topology)
})
