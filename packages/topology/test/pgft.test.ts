import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTopology, pgft, type PgftShape, TopologyError } from '../src/index.ts'
import { linksOf, shapes } from './arbitraries.ts'

const product = (values: ReadonlyArray<number>): number => values.reduce((a, b) => a * b, 1)

describe('the machines of published papers', () => {
  test.each([
    ['radix:16', 1024, 128, 16, [128, 128, 64]],
    ['radix:18', 1458, 162, 18, [162, 162, 81]],
    ['radix:22', 2662, 242, 22, [242, 242, 121]],
    ['radix:28', 5488, 392, 28, [392, 392, 196]],
    ['pgft:3;22,22,22;1,22,22;1,1,1', 10648, 484, 22, [484, 484, 484]],
    ['cab', 1296, 72, 4, [72, 72, 36]],
    ['pinot', 2592, 144, 8, [144, 144, 108]],
    ['kary:4:6', 4096, 1024, 256, [1024, 1024, 1024, 1024, 1024, 1024]],
    ['kary:4:1', 4, 1, 1, [1]],
  ])(
    'parseTopology gives the published numbers of nodes, leaves, pods and switches of the topology %s',
    (spec, nodes, leaves, pods, switches) => {
      const topology = parseTopology(spec)
      expect(topology.name).toBe(spec)
      expect(topology).toMatchObject({ nodes, leaves, pods })
      expect(topology.levels.map((level) => level.switches)).toEqual(switches)
    },
  )

  test('radix:R has R^3/4 nodes, and kary:K:N has K^N nodes', () => {
    for (let half = 2; half <= 20; half++) expect(parseTopology(`radix:${2 * half}`).nodes).toBe((2 * half) ** 3 / 4)
    for (let k = 1; k <= 6; k++)
      for (let n = 1; n <= 6; n++) {
        const tree = parseTopology(`kary:${k}:${n}`)
        expect(tree.nodes).toBe(k ** n)
        expect(tree.levels.map((level) => level.switches)).toEqual(Array(n).fill(k ** (n - 1)))
      }
  })

  test('no switch of radix:18, Cab or Pinot needs more ports than its radix', () => {
    for (const [spec, ports] of [
      ['radix:18', 18],
      ['cab', 36],
      ['pinot', 36],
    ] as const) {
      const topology = parseTopology(spec)
      topology.levels.forEach(({ switches, links }, level) => {
        const below = level === 0 ? topology.nodes : topology.levels[level - 1].links
        expect((below + links) / switches).toBeLessThanOrEqual(ports)
      })
    }
  })
})

describe('pgft, for a random shape,', () => {
  test('pgft gives the closed-form numbers of switches, links and pods', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const { m, w, p } = shape
        const topology = pgft(shape)
        expect(topology.nodes).toBe(product(m))
        expect(topology.leaves).toBe(product(m.slice(1)))
        expect(topology.pods).toBe(product(m.slice(2)))
        topology.levels.forEach((level, l) => {
          const switches = product(m.slice(l + 1)) * product(w.slice(0, l + 1))
          const upPorts = l + 1 < m.length ? w[l + 1] * p[l + 1] : 0
          expect(level.switches).toBe(switches)
          expect(level.links).toBe(switches * upPorts)
          expect(level.parentOfLink.length).toBe(level.links)
          expect([...level.firstPort]).toEqual(Array.from({ length: switches + 1 }, (_, i) => i * upPorts))
        })
      }),
    )
  })

  test('pgft gives the wiring that Zahavi defines, with switches as tuples in lexicographic order', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const topology = pgft(shape)
        for (let level = 0; level + 1 < shape.m.length; level++) {
          const lower = tuples(shape, level)
          const upper = new Map(tuples(shape, level + 1).map((tuple, id) => [String(tuple), id]))
          const parents = shape.w[level + 1]
          const expected = lower.flatMap((tuple, sw) =>
            Array.from({ length: parents * shape.p[level + 1] }, (_, port) => {
              const subtree = tuple.slice(0, shape.m.length - 1 - level)
              const parallel = tuple.slice(subtree.length)
              return [sw, port, upper.get(String([...subtree.slice(0, -1), ...parallel, port % parents]))]
            }),
          )
          expect(linksOf(topology, level)).toEqual(expected)
        }
      }),
    )
  })

  test('pgft gives every switch above the leaves m·p links from below: p links from each of m children', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const topology = pgft(shape)
        for (let level = 1; level < shape.m.length; level++) {
          const cables = new Map<string, number>()
          for (const [child, , parent] of linksOf(topology, level - 1))
            cables.set(`${child} ${parent}`, (cables.get(`${child} ${parent}`) ?? 0) + 1)
          expect([...cables.values()].every((count) => count === shape.p[level])).toBe(true)
          expect(cables.size).toBe(topology.levels[level].switches * shape.m[level])
        }
      }),
    )
  })

  test('pgft numbers nodes, leaves and L2 switches in tree order', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const topology = pgft(shape)
        const { firstNodeOfLeaf, leafOfNode, firstLeafOfPod, podOfLeaf, firstL2OfPod } = topology
        expectGroups(firstNodeOfLeaf, leafOfNode)
        expectGroups(firstLeafOfPod, podOfLeaf)
        expect(firstNodeOfLeaf.length).toBe(topology.leaves + 1)
        expect(firstLeafOfPod.length).toBe(topology.pods + 1)
        expect(firstL2OfPod.length).toBe(topology.pods + 1)
        if (shape.m.length === 1) return
        expect(firstL2OfPod[topology.pods]).toBe(topology.levels[1].switches)
        for (const [leaf, , l2] of linksOf(topology, 0)) {
          const pod = podOfLeaf[leaf]
          expect(l2 >= firstL2OfPod[pod] && l2 < firstL2OfPod[pod + 1]).toBe(true)
        }
      }),
    )
  })
})

/** Returns every switch of a level as (a_h, …, b_1, …), in lexicographic order. */
function tuples({ m, w }: PgftShape, level: number): number[][] {
  const bases = [...m.slice(level + 1).reverse(), ...w.slice(0, level + 1)]
  return bases.reduce<number[][]>(
    (all, base) => all.flatMap((tuple) => Array.from({ length: base }, (_, digit) => [...tuple, digit])),
    [[]],
  )
}

function expectGroups(first: Int32Array, groupOf: Int32Array): void {
  expect(first[0]).toBe(0)
  expect(first[first.length - 1]).toBe(groupOf.length)
  expect([...groupOf].every((group, i) => i >= first[group] && i < first[group + 1])).toBe(true)
}

describe('pgft refuses a shape with', () => {
  const cab = { m: [18, 18, 4], w: [1, 18, 2], p: [1, 1, 9] }
  test.each<[string, unknown, string | undefined]>([
    ['a node on two leaves', { ...cab, w: [2, 18, 2] }, 'w1'],
    ['a node with two cables', { ...cab, p: [2, 1, 9] }, 'p1'],
    ['lists of different lengths', { ...cab, w: [1, 18] }, 'w'],
    ['lists of different lengths', { ...cab, p: [1, 1, 9, 1] }, 'p'],
    ['no level', { m: [], w: [], p: [] }, 'm'],
    ['too many levels', { m: Array(17).fill(1), w: Array(17).fill(1), p: Array(17).fill(1) }, 'm'],
    ['a fraction', { ...cab, m: [18, 1.5, 4] }, 'm2'],
    ['the number zero', { ...cab, w: [1, 0, 2] }, 'w2'],
    ['a text for a number', { ...cab, p: [1, 1, '9'] }, 'p3'],
    ['an undefined number', { ...cab, m: [18, undefined, 4] }, 'm2'],
    ['too many nodes', { ...cab, m: [4096, 4096, 4] }, 'm'],
    ['too many links', { ...cab, p: [1, 1, 99999] }, 'w3'],
    [
      'more than 10^100 nodes',
      { m: Array(16).fill(2 ** 22), w: [1, ...Array(15).fill(2 ** 22)], p: Array(16).fill(1) },
      'm',
    ],
    ['no lists', {}, 'm'],
    ['the value null', null, 'm'],
  ])('pgft refuses a shape with %s', (_, shape, field) => {
    expect(() => pgft(shape as PgftShape)).toThrow(TopologyError)
    expect(() => pgft(shape as PgftShape)).toThrow(expect.objectContaining({ _tag: 'TopologyError', field }))
  })
})

test('pgft builds a radix-64 tree of 65,536 nodes quickly', () => {
  const { user } = process.cpuUsage()
  expect(parseTopology('radix:64').nodes).toBe(65_536)
  expect(process.cpuUsage().user - user, 'microseconds of work').toBeLessThan(5000_000)
})
