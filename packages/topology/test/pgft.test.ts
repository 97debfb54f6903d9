import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTopology } from '../src/index.ts'

describe('machines of the papers', () => {
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
  ])('%s', (spelling, nodes, leaves, pods, switches) => {
    const topology = parseTopology(spelling)
    expect(topology.name).toBe(spelling)
    expect(topology).toMatchObject({ nodes, leaves, pods })
    expect(topology.levels.map((level) => level.switches)).toEqual(switches)
  })
})

test('the maximal radix-r tree has r^3/4 nodes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 20 }), (half) => {
      expect(parseTopology(`radix:${2 * half}`).nodes).toBe((2 * half) ** 3 / 4)
    }),
  )
})
