import { parseTopology } from '@cloister/topology'
import { describe, expect, it } from 'vitest'
import { squareAt, squares, layOut } from '../src/page/fabric/fabric-layout.ts'

describe.each([
  'radix:4',
  'radix:16',
  'radix:28',
  'cab',
  'kary:3:4',
  'pgft:1;5;1;1',
  'pgft:2;3,2;1,2;1,2',
  'pgft:2;366,12;1,1;1,1',
  'pgft:3;100,4,3;1,70,2;1,1,1',
])('the fabric of %s', (name) => {
  const topology = parseTopology(name)

  it('has a square for every node and every cable, and finds it by its place', () => {
    const layout = layOut(topology, 560, 400, undefined, true)
    const nodes = new Set<number>()
    const links = new Set<string>()
    for (const square of squares(topology, layout)) {
      if (square.kind === 'node') nodes.add(square.node)
      else links.add(`${square.level}:${square.link}`)
      const { x, y, ...plain } = square
      expect(squareAt(topology, layout, x + layout.side / 2, y + layout.side / 2)).toEqual(plain)
    }
    expect(nodes.size).toBe(topology.nodes)
    expect(links.size).toBe(topology.levels.reduce((sum, level) => sum + level.links, 0))
  })

  it('draws one pod larger, and no cables where the log has none', () => {
    const alone = layOut(topology, 560, 400, 0, true)
    expect(alone.side).toBeGreaterThanOrEqual(layOut(topology, 560, 400, undefined, true).side)
    expect(
      [...squares(topology, alone)].every(
        (square) => square.kind === 'link' || topology.podOfLeaf[topology.leafOfNode[square.node]] === 0,
      ),
    ).toBe(true)
    expect(
      [...squares(topology, layOut(topology, 560, 400, undefined, false))].every(({ kind }) => kind === 'node'),
    ).toBe(true)
  })
})

it('fits the machines it is made for', () => {
  for (const [name, width, height] of [
    ['radix:18', 540, 360],
    ['radix:28', 540, 380],
  ] as const) {
    const layout = layOut(parseTopology(name), width, height, undefined, true)
    expect(layout.width).toBeLessThanOrEqual(width)
    expect(layout.height).toBeLessThanOrEqual(height)
    expect(layout.fits).toBe(true)
    expect(layout.side).toBeGreaterThanOrEqual(2)
  }
})

it('says where a machine has more squares than there is room, and has room for a pod of it', () => {
  const topology = parseTopology('radix:64')
  expect(layOut(topology, 480, 320, undefined, true).fits).toBe(false)
  expect(layOut(topology, 480, 320, 5, true)).toMatchObject({ fits: true, side: 4 })
})

it('folds leaves of hundreds of nodes instead of drawing them a pixel high', () => {
  const layout = layOut(parseTopology('pgft:2;366,12;1,1;1,1'), 480, 320, undefined, false)
  expect(layout).toMatchObject({ fits: true, side: 4 })
  expect(layout.blocks.map(({ title }) => title)).toEqual(Array.from({ length: 12 }, (_, leaf) => `leaf${leaf}`))
})
