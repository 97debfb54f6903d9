import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fabricPorts, formatIbnetdiscover, parseIbnetdiscover, parseTopology, pgft } from '../src/index.ts'
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
