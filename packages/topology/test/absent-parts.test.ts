import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PartMarks, withoutParts } from '../src/absent-parts.ts'
import { parseAbsent } from '../src/absent-text.ts'
import {
  coordinates,
  describeIrregularity,
  formatAbsent,
  nodeName,
  parseTopology,
  pgft,
  recognisePgft,
  switchGraph,
  switchName,
  type Topology,
  topologyFromJson,
  topologyToJson,
} from '../src/index.ts'
import { numberedGraph, type UnnumberedSwitch } from '../src/switch-graph.ts'
import { linksOf, treesWithAbsences } from './arbitraries.ts'

/** Returns the names of all nodes and cables of a machine, each with the names of its ends. */
function partsOf(topology: Topology): {
  readonly nodes: ReadonlyArray<string>
  readonly cables: ReadonlyArray<string>
} {
  const nodes = [...topology.leafOfNode].map(
    (leaf, node) => `${nodeName(topology, node)} ${switchName(topology, 0, leaf)}`,
  )
  const cables = topology.levels.flatMap((_, level) =>
    linksOf(topology, level).map(
      ([sw, , parent]) => `${switchName(topology, level, sw)} ${switchName(topology, level + 1, parent)}`,
    ),
  )
  return { nodes, cables: cables.sort() }
}

/** Names of the parts that a tree has without its absent parts, found by removing useless switches again and again. */
function naiveParts(tree: Topology, absent: PartMarks): ReturnType<typeof partsOf> {
  const gone = new Set<string>()
  const key = (level: number, sw: number): string => switchName(tree, level, sw)
  absent.switches.forEach((marks, level) => marks.forEach((mark, sw) => mark === 1 && gone.add(key(level, sw))))
  const nodes = (): ReadonlyArray<readonly [node: string, leaf: string]> =>
    [...tree.leafOfNode.entries()]
      .filter(([node]) => absent.nodes[node] === 0)
      .map(([node, leaf]) => [`node${node}`, key(0, leaf)] as const)
      .filter(([, leaf]) => !gone.has(leaf))
  const cables = (): ReadonlyArray<readonly [lower: string, upper: string]> =>
    tree.levels.flatMap((_, level) =>
      linksOf(tree, level)
        .filter((__, link) => absent.links[level][link] === 0)
        .map(([sw, , parent]) => [key(level, sw), key(level + 1, parent)] as const)
        .filter(([lower, upper]) => !gone.has(lower) && !gone.has(upper)),
    )
  for (let before = -1; before < gone.size;) {
    before = gone.size
    const used = new Set([...nodes(), ...cables()].map(([, upper]) => upper))
    for (const [level, { switches }] of tree.levels.entries())
      for (let sw = 0; sw < switches; sw++) if (!used.has(key(level, sw))) gone.add(key(level, sw))
  }
  return {
    nodes: nodes().map((each) => each.join(' ')),
    cables: cables()
      .map((each) => each.join(' '))
      .sort(),
  }
}

/** Returns the machine, or undefined if a level has no switch left. */
function machineOf({ tree, absent }: { readonly tree: Topology; readonly absent: PartMarks }): Topology | undefined {
  try {
    return withoutParts(tree, absent)
  } catch {
    return undefined
  }
}

const machines = treesWithAbsences
  .map((drawn) => ({ ...drawn, machine: machineOf(drawn) }))
  .filter(({ machine }) => machine !== undefined) as fc.Arbitrary<{
  readonly tree: Topology
  readonly absent: PartMarks
  readonly machine: Topology
}>

describe('a regular tree without some parts', () => {
  test('a machine has the parts that are left, without switches that lead to no node', () => {
    fc.assert(
      fc.property(machines, ({ tree, absent, machine }) => {
        expect(partsOf(machine)).toEqual(naiveParts(tree, absent))
      }),
      { numRuns: 250 },
    )
  })

  test('the envelope has the ids in the whole tree, and the arrays of the machine agree with each other', () => {
    fc.assert(
      fc.property(machines, ({ tree, machine }) => {
        const { envelope } = machine
        if (envelope === undefined) {
          expect(machine).toBe(tree)
          return
        }
        envelope.nodes.forEach((id, node) => expect(nodeName(machine, node)).toBe(`node${id}`))
        envelope.switches.forEach((ids, level) =>
          ids.forEach((id, sw) => expect(switchName(machine, level, sw)).toBe(switchName(tree, level, id))),
        )
        for (const [level, { firstPort, parentOfLink }] of machine.levels.entries())
          for (const [sw, port, parent] of linksOf(machine, level)) {
            const id = envelope.links[level][firstPort[sw] + port]
            expect(Math.floor(id / tree.levels[level].firstPort[1])).toBe(envelope.switches[level][sw])
            expect(tree.levels[level].parentOfLink[id]).toBe(envelope.switches[level + 1][parent])
            expect(parentOfLink[firstPort[sw] + port]).toBe(parent)
          }
        for (let leaf = 0; leaf < machine.leaves; leaf++) {
          const pod = machine.podOfLeaf[leaf]
          expect(machine.firstLeafOfPod[pod]).toBeLessThanOrEqual(leaf)
          expect(machine.firstLeafOfPod[pod + 1]).toBeGreaterThan(leaf)
          expect(machine.firstNodeOfLeaf[leaf + 1]).toBeGreaterThan(machine.firstNodeOfLeaf[leaf])
        }
      }),
      { numRuns: 120 },
    )
  })

  test('a header and a spec of a machine give the same machine again', () => {
    fc.assert(
      fc.property(machines, ({ tree, machine }) => {
        expect(topologyFromJson(JSON.parse(JSON.stringify(topologyToJson(machine))))).toEqual(machine)
        const text = formatAbsent(machine)
        expect(text === '').toBe(machine.envelope === undefined)
        if (text !== '') expect(parseAbsent(text, tree, 'x')).toEqual(machine)
        if (text !== '') expect(parseAbsent(text.replaceAll('; ', ' # comment\n'), tree, 'x')).toEqual(machine)
      }),
      { numRuns: 120 },
    )
  })
})

/** Random graphs with the parts of a machine: switches of each level in random order, with other names. */
const shuffled = machines.chain(({ machine }) => {
  const total = machine.levels.reduce((sum, { switches }) => sum + switches, 0)
  return fc
    .shuffledSubarray(
      Array.from({ length: total }, (_, i) => i),
      { minLength: total },
    )
    .map((order) => {
      let next = 0
      const switches = machine.levels.map(({ switches: count }) =>
        Array.from({ length: count }, (): UnnumberedSwitch & { nodes: string[]; parents: UnnumberedSwitch[] } => ({
          name: `s${order[next++]}`,
          nodes: [],
          parents: [],
        })),
      )
      machine.leafOfNode.forEach((leaf, node) => switches[0][leaf].nodes.push(nodeName(machine, node)))
      for (const level of machine.levels.keys())
        for (const [sw, , parent] of linksOf(machine, level))
          switches[level][sw].parents.push(switches[level + 1][parent])
      const levels = switches.map((level) => level.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
      const named = {
        ...machine,
        levels: machine.levels.map((level, at) => ({ ...level, names: switches[at].map(({ name }) => name) })),
      }
      return { machine: named, graph: numberedGraph('x', levels, true) }
    })
})

describe('recognisePgft', () => {
  test('recognisePgft finds a whole tree around every tree without some parts, whatever the order and the names', () => {
    fc.assert(
      fc.property(shuffled, ({ machine, graph }) => {
        const read = recognisePgft(graph)
        fc.pre(read.irregularity?.includes('not connected') !== true)
        expect(read.irregularity).toBeUndefined()
        expect(read.pgft ?? read.envelope?.shape).toBeDefined()
        const [found, expected] = [partsOf(read), partsOf(machine)]
        expect({ nodes: found.nodes.toSorted(), cables: found.cables }).toEqual({
          nodes: expected.nodes.toSorted(),
          cables: expected.cables,
        })
        expect(topologyFromJson(topologyToJson(read)).leafOfNode).toEqual(read.leafOfNode)
      }),
      { numRuns: 250 },
    )
  })

  const graph = (leaves: ReadonlyArray<number>, ...parents: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>) =>
    recognisePgft(switchGraph({ name: 'x', leaves, parents }))

  test.each([
    ['a leaf of another size', graph([2, 1, 2], [[0], [0], [0]]), 'node 3'],
    ['a missing link', graph([1, 1, 1], [[0, 1], [0], [0, 1]]), 'leaf 1 ports 1'],
    [
      'a missing cable',
      graph(
        [1, 1],
        [
          [0, 0, 1, 1],
          [0, 1, 1],
        ],
      ),
      'leaf 1 ports 2',
    ],
    ['a pod of another size', graph([1, 1, 1, 1, 1], [[0], [0], [1], [1], [2]], [[0], [0], [0]]), 'leaf 5'],
    ['an L2 switch less', graph([1, 1], [[0, 1], [2]], [[0], [1], [1]]), 'L2 3'],
  ])('the whole tree of a graph with %s has the rest as absent parts', (_, found, expected) => {
    expect(formatAbsent(found)).toBe(expected)
  })

  test.each([
    [
      'that lead to the same spine',
      graph(
        [1, 1],
        [
          [0, 1],
          [2, 3],
        ],
        [
          [0, 1],
          [0, 1],
          [0, 1],
          [0, 1],
        ],
      ).irregularity,
      'switches l2-0 and l2-1, which are connected below, both lead to spine0',
    ],
    [
      'that lead to spines of one switch in another pod',
      graph(
        [1, 1],
        [
          [0, 1],
          [2, 3],
        ],
        [
          [0, 1],
          [2, 3],
          [0, 2],
          [1, 3],
        ],
      ).irregularity,
      'switches l2-0 and l2-1, which are connected below, meet again above through spine0 and spine2',
    ],
    ['of two trees', graph([1, 1], [[0], [1]]).irregularity, 'switch leaf1 is not connected with leaf0'],
    ['of one level without a switch above', graph([1, 1]).irregularity, 'switch leaf1 is not connected with leaf0'],
  ])('the `irregularity` of a graph names two switches %s', (_, found, expected) => expect(found).toBe(expected))
})

describe('a spec with absent parts', () => {
  test('nodes, leaves, cables, L2 switches and spines can be absent', () => {
    const spec = 'radix:8 without nodes 3,9-11; leaf 4; leaf 5 ports 2; L2 7 ports 0,3; spine 1'
    const machine = parseTopology(spec)
    expect(machine.name).toBe(spec)
    expect(machine).toMatchObject({ nodes: 128 - 8, leaves: 31, pods: 8 })
    expect(machine.levels.map(({ switches, links }) => [switches, links])).toEqual([
      [31, 128 - 4 - 1],
      [32, 128 - 2 - 8],
      [15, 0],
    ])
    expect(formatAbsent(machine)).toBe('nodes 3,9-11; leaf 4; leaf 5 ports 2; L2 7 ports 0,3; spine 1')
    expect(describeIrregularity(machine)).toBe(
      'parts of its tree are absent (nodes 3,9-11; leaf 4; leaf 5 ports 2; L2 7 ports 0,3; spine …)',
    )
    expect(nodeName(machine, 3)).toBe('node4')
    expect(() => coordinates(machine, 0, 0)).toThrow('coordinates exist only in a regular tree')
  })

  test('parts can have names, come from a file, and be absent from a machine that already lacks parts', () => {
    const files: Record<string, string> = {
      'dir/parts.txt': '# not yet delivered\nnodes cn[3-4]\nleaves 2-3 # a rack\n',
      'dir/t.conf': 'SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-7]\nSwitchName=top Switches=a,b',
      names: 'cn[1-16]',
    }
    const read = (spec: string) => parseTopology(spec, (path) => files[path])
    const named = read('kary:4:2@names without @dir/parts.txt')
    expect(named.name).toBe('kary:4:2 without @parts.txt')
    expect(named.nodeNames).toEqual(['cn1', 'cn2', 'cn5', 'cn6', 'cn7', 'cn8'])
    expect(formatAbsent(named)).toBe('nodes 2-3; leaf 2-3')
    expect(formatAbsent(read('slurm:dir/t.conf'))).toBe('node 7')
    expect(formatAbsent(read('slurm:dir/t.conf without node n1'))).toBe('nodes 0,7')
    expect(read('slurm:dir/t.conf without leaf b').pgft).toBeUndefined()
    expect(read('slurm:dir/t.conf without leaf b').nodeNames).toEqual(['n1', 'n2', 'n3', 'n4'])
  })

  test('nothing is absent if all named parts hang on other absent parts that the tree does not need', () => {
    expect(parseTopology('pgft:2;2,2;1,1;1,1')).toEqual(pgft({ m: [2, 2], w: [1, 1], p: [1, 1] }))
  })

  test.each([
    ['radix:4 without', 'expected a positive integer, found "4 without"'],
    ['radix:4 without ;', '"radix:4 without ;": expected absent parts, such as nodes 3,17-19; leaf 4;'],
    [
      'radix:4 without node 16',
      '"radix:4 without node 16": without "node 16": expected node ids from 0 to 15, found "16"',
    ],
    ['radix:4 without leaf 3 ports 2', 'without "leaf 3 ports 2": expected up-port ids from 0 to 1, found "2"'],
    ['radix:4 without spine 0 ports 0', 'there is no up-port here'],
    ['radix:4 without node 3 ports 0', 'a node has no ports; expected parts such as'],
    ['radix:4 without rack 3', 'found "rack", but the tree has nodes, leaf, L2, spine; expected parts such as'],
    ['radix:4 without nodes', 'expected parts such as nodes 3,17-19'],
    ['radix:4 without nodes 3-x', 'expected node ids from 0 to 15 or names, found "3-x"'],
    ['radix:4 without node cn3', 'no node is called "cn3"'],
    ['radix:4 without nodes 0-15', 'all nodes are absent; a machine has at least one'],
    ['radix:4 without spines 0-3', 'no spine switch is left; each level has at least one'],
  ])('the spec %j is refused', (spec, message) => {
    expect(() => parseTopology(spec)).toThrow(message)
  })
})
