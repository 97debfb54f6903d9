import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  fabricPorts,
  type Fabric,
  formatIbnetdiscover,
  parseIbnetdiscover,
  parseTopology,
  pgft,
  topologyFromJson,
  topologyToJson,
  wholeFabric,
} from '../src/index.ts'
import { withRails } from '../src/rails.ts'
import { shapes } from './arbitraries.ts'
import { fabricOfRails } from './rails.ts'

/** Shape of each of two rails over the same 8 hosts: a tree of two pods. The two rails share spines. */
const { pgft: shape } = parseTopology('pgft:3;2,2,2;1,2,2;1,1,1')
const twoRails = fabricOfRails({ shape: shape!, rails: 2, isTopShared: true })
const names = (count: number) => Array.from({ length: count }, (_, node) => `node${node}`)

describe('one rail of a fabric of two rails with common spines', () => {
  test.each(['mlx5_0', 'mlx5_1'])('parseIbnetdiscover reads the rail of %s as a regular tree', (adapter) => {
    const rail = parseIbnetdiscover(twoRails, 'x', { adapter })
    expect(rail.irregularity).toBeUndefined()
    expect(rail).toMatchObject({ pgft: shape, nodes: 8, nodeNames: names(8) })
    expect(rail.levels.map(({ switches }) => switches)).toEqual([4, 4, 4])
  })

  test('parseIbnetdiscover names, in a remark, the switches of the other rail, which are left out', () => {
    expect(parseIbnetdiscover(twoRails, 'x', { adapter: 'mlx5_0' }).remarks).toEqual([
      '8 switches have no node below and are left out ("leaf4", "leaf5", "leaf6", "leaf7", "l2-4", …)',
    ])
  })

  test('fabricPorts gives the ports of the adapters of the chosen rail', () => {
    const rail = parseIbnetdiscover(twoRails, 'x', { adapter: 'mlx5_1' })
    const { nodeGuids, switchGuids } = fabricPorts(twoRails, rail, 'x', 'mlx5_1')
    expect(nodeGuids[0]).toBe('0x0001000000000901')
    expect(switchGuids.map((level) => level.length)).toEqual([4, 4, 4])
  })
})

test('every rail of a fabric of equal rails is the same regular tree, with common top switches or without', () => {
  fc.assert(
    fc.property(shapes, fc.integer({ min: 1, max: 4 }), fc.nat(3), fc.boolean(), (each, rails, pick, isTopShared) => {
      const fabric = fabricOfRails({ shape: each, rails, isTopShared })
      const rail = parseIbnetdiscover(fabric, 'x', { adapter: `mlx5_${pick % rails}` })
      expect(rail.irregularity).toBeUndefined()
      expect(rail.pgft).toEqual(each)
      expect(rail.nodeNames).toEqual(names(pgft(each).nodes))
    }),
  )
})

test.each(['node', 'store'])(
  'the pods with nodes are a regular tree if the hosts of the other pods, named %s and a number, are no nodes',
  (name) => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 1, max: 4 }), (each, times) => {
        const { nodes } = pgft(each)
        const fabric = fabricOfRails({ shape: each, rails: times, isTopShared: true }).replaceAll(
          /node(\d+) mlx5_([1-9])/g,
          (_, node: string, pods: string) => `${name}${Number(node) + Number(pods) * nodes} mlx5_0`,
        )
        expect(parseIbnetdiscover(fabric, 'x', { nodes: `node[0-${nodes - 1}]` }).pgft).toEqual(each)
      }),
    )
  },
)

describe('spines above a leaf with only storage hosts stay in a tree of four levels', () => {
  const tree = pgft({ m: [2, 2, 2, 2], w: [1, 2, 2, 2], p: [1, 1, 1, 1] })

  test.each([
    ['all spines', tree.levels[3].switches],
    ['one spine', 1],
  ])(
    'in a tree of four levels, spines above a leaf with only storage hosts stay in the tree, if the leaf hangs on %s',
    (_, count) => {
      const spines = Array.from(
        { length: count },
        (__, spine) => `S-000204${(spine + 1).toString(16).padStart(8, '0')}00`,
      )
      const cabled = spines.reduce(
        (text, spine, at) =>
          text.replace(
            new RegExp(`^Switch\\t\\d+ "${spine}".*$`, 'm'),
            `$&\n[9]\t"S-00ff000000000000"[${at + 2}]\t# "storage" lid 0 4xHDR`,
          ),
        formatIbnetdiscover(tree),
      )
      const fabric = [
        cabled,
        'Switch\t40 "S-00ff000000000000"\t# "storage"',
        '[1]\t"H-00ff000000000100"[1]\t# "nas1 mlx5_0" lid 0 4xHDR',
        ...spines.map((spine, at) => `[${at + 2}]\t"${spine}"[9]\t# "spine" lid 0 4xHDR`),
        'Ca\t1 "H-00ff000000000100"\t# "nas1 mlx5_0"',
        '[1]\t"S-00ff000000000000"[1]\t# "storage" lid 0 4xHDR',
      ].join('\n')
      expect(parseIbnetdiscover(fabric, 'x')).toMatchObject({
        pgft: tree.pgft,
        remarks: [
          '1 hosts are no nodes (nas1); nodes=HOSTLIST chooses the nodes',
          '1 switch has no node below and is left out ("storage")',
        ],
      })
    },
  )
})

/** Machines of 2 to 4 rails, without common switches or with common switches from a level above the leaves on. */
const machines = fc
  .tuple(shapes, fc.integer({ min: 2, max: 4 }), fc.nat(4))
  .map(([each, count, from]) =>
    withRails(pgft(each), { count, ...(from > 0 && from < each.m.length && { commonFrom: from }) }, 'x'),
  )

describe('a machine with rails', () => {
  test('parseIbnetdiscover finds the rails that formatIbnetdiscover wrote', () => {
    fc.assert(
      fc.property(machines, (machine) => {
        const read = parseIbnetdiscover(formatIbnetdiscover(machine), 'x')
        expect(read.remarks).toBeUndefined()
        expect(topologyToJson(read)).toEqual(topologyToJson(machine))
        expect(read.nodeNames).toEqual(names(machine.nodes))
      }),
    )
  })

  test('parseIbnetdiscover reads 576 nodes on 8 rails as formatIbnetdiscover wrote them', () => {
    const machine = parseTopology('8 rails of pgft:2;72,8;1,4;1,18')
    const read = parseIbnetdiscover(formatIbnetdiscover(machine), machine.name)
    expect(topologyToJson(read)).toEqual(topologyToJson(machine))
    expect(read.nodeNames).toEqual(names(576))
  })

  test('topologyFromJson builds the rails that topologyToJson wrote', () => {
    fc.assert(
      fc.property(machines, (machine) => {
        expect(topologyFromJson(JSON.parse(JSON.stringify(topologyToJson(machine))))).toEqual(machine)
      }),
    )
  })

  test('every cable of the fabric joins two switches of one rail or a common switch, and no two rails have a common cable', () => {
    fc.assert(
      fc.property(machines, (machine) => {
        const fabric = wholeFabric(machine)
        const { levels, rails } = machine
        levels.forEach(({ links, parentOfLink }, level) => {
          const seen = new Set<number>()
          for (let rail = 0; rail < rails!.count; rail++)
            for (let link = 0; link < links; link++) {
              const own = fabric.linkOf(rail, level, link)
              seen.add(own)
              expect(lowerSwitch(fabric, level, own)).toBe(
                fabric.switchOf(rail, level, lowerSwitch(machine, level, link)),
              )
              expect(fabric.levels[level].parentOfLink[own]).toBe(fabric.switchOf(rail, level + 1, parentOfLink[link]))
            }
          expect(seen.size).toBe(rails!.count * links)
          expect(fabric.levels[level].links).toBe(rails!.count * links)
        })
      }),
    )
  })

  test.each([
    ['8 rails of pgft:2;4,3;1,2;1,2', { count: 8 }, [24, 16]],
    ['8 rails with common spines of pgft:2;4,3;1,2;1,2', { count: 8, commonFrom: 1 }, [24, 2]],
    ['2 rails with common L2 of radix:4', { count: 2, commonFrom: 1 }, [16, 8, 4]],
    ['2 rails with common spines of radix:4 without leaf 3', { count: 2, commonFrom: 2 }, [14, 16, 4]],
  ])('parseTopology reads the spec %s', (spec, rails, switches) => {
    const machine = parseTopology(spec)
    expect(machine).toMatchObject({ name: spec, rails })
    expect(wholeFabric(machine).levels.map((level) => level.switches)).toEqual(switches)
  })

  test.each([
    ['1 rails of radix:4', 'rails: expected 2 to 64 rails, found 1'],
    ['65 rails of radix:4', 'rails: expected 2 to 64 rails, found 65'],
    ['2 rails with common leaves of radix:4', 'found common "leaves", expected spines or L2'],
    ['2 rails with common spines of pgft:1;4;1;1', 'found common "spines", expected spines'],
    ['2 rails of 2 rails of radix:4', 'this machine has rails already'],
    ['2 rails of radix', 'no topology has this form'],
  ])('parseTopology refuses the spec %s', (spec, message) => {
    expect(() => parseTopology(spec)).toThrow(message)
  })
})

describe('parseIbnetdiscover names the first difference of two rails', () => {
  const machine = withRails(pgft({ m: [2, 3], w: [1, 2], p: [1, 2] }), { count: 2 }, 'x')
  const fabric = formatIbnetdiscover(machine)
  const read = (text: string) => parseIbnetdiscover(text, 'x')

  test.each<[string, (text: string) => string, string]>([
    [
      'a node without an adapter in a rail',
      (text) => text.replace(/^\[1\]\t"H-.*# "node2 mlx5_1".*$/m, ''),
      'node2 has the adapter mlx5_0, and no cabled adapter mlx5_1',
    ],
    [
      'two nodes with exchanged cables in a rail',
      (text) => text.replaceAll(/node([13]) mlx5_1/g, (_, node: string) => `node${4 - Number(node)} mlx5_1`),
      'node0 and node1 are on one leaf in the rail of mlx5_0, and on two leaves in the rail of mlx5_1',
    ],
    [
      'a missing cable',
      (text) => changeSwitch(text, 'rail1-leaf1', (lines) => lines.filter((line) => !line.startsWith('[3]'))),
      'rail0-leaf1 in the rail of mlx5_0 has 4 cables up, and rail1-leaf1 in the rail of mlx5_1 at the same position has 3',
    ],
  ])('%s', (_, change, message) => {
    expect(read(fabric).rails).toEqual({ count: 2 })
    expect(() => read(change(fabric))).toThrow(message)
  })
})

test('parseIbnetdiscover refuses L2 switches that are common to rails and have too few cables up', () => {
  const fabric = formatIbnetdiscover(parseTopology('2 rails with common L2 of pgft:3;2,2,2;1,2,2;1,1,1'))
  const half = [0, 1, 2, 3].reduce(
    (text, sw) => changeSwitch(text, `l2-${sw}`, (lines) => lines.filter((line) => !/^\[[78]\]/.test(line))),
    fabric,
  )
  expect(() => parseIbnetdiscover(half, 'x')).toThrow(
    'x: "l2-0" is common to 2 rails and has 1 cables to each switch above, but 2 rails need a multiple of 2',
  )
})

test('ib:FILE,adapters=HOSTLIST chooses the adapters of the rails', () => {
  const fabric = formatIbnetdiscover(parseTopology('3 rails of pgft:2;2,3;1,2;1,2'))
  const read = (spec: string) => parseTopology(spec, () => fabric)
  expect(read('ib:f').rails).toEqual({ count: 3 })
  expect(read('ib:f,adapters=mlx5_[0,2],nodes=node[0-3]')).toMatchObject({ rails: { count: 2 }, nodes: 4 })
  expect(read('ib:f,adapter=mlx5_1').rails).toBeUndefined()
})

/** Changes the lines of one switch in the output of `ibnetdiscover`. */
function changeSwitch(
  text: string,
  name: string,
  change: (lines: ReadonlyArray<string>) => ReadonlyArray<string>,
): string {
  return text
    .split('\n\n')
    .map((part) => (part.includes(`# "${name}" enhanced`) ? change(part.split('\n')).join('\n') : part))
    .join('\n\n')
}

function lowerSwitch({ levels }: Pick<Fabric, 'levels'>, level: number, link: number): number {
  return levels[level].firstPort.findLastIndex((first, sw) => first <= link && sw < levels[level].switches)
}
