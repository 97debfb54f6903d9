import { parseTopology } from '@cloister/topology'
import { describe, expect, it } from 'vitest'
import { squareAt, squares, layOut } from '../src/fabric-layout.ts'

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
])('`layOut` of the fabric of %s', (name) => {
  const topology = parseTopology(name)

  it('`layOut` has a square for every node and cable, and `squareAt` finds each square by its position', () => {
    const layout = layOut(topology, 560, 400, undefined, true)
    const nodes = new Set<number>()
    const links = new Set<string>()
    for (const square of squares(topology, layout)) {
      if (square.kind === 'node') nodes.add(square.node)
      else links.add(`${square.level}:${square.link}`)
      const { x, y, ...plain } = square
      expect(squareAt(topology, layout, x + layout.across / 2, y + layout.down / 2)).toEqual(plain)
    }
    expect(nodes.size).toBe(topology.nodes)
    expect(links.size).toBe(topology.levels.reduce((sum, level) => sum + level.links, 0))
  })

  it('`layOut` makes squares of a single pod at least as large as in the whole fabric, and has cables only if asked to', () => {
    const alone = layOut(topology, 560, 400, 0, true)
    const all = layOut(topology, 560, 400, undefined, true)
    expect(alone.across * alone.down).toBeGreaterThanOrEqual(all.across * all.down)
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

it('`layOut` fits fabrics of radix 18 and 28 into a pane, with squares of at least 2 pixels', () => {
  for (const [name, width, height] of [
    ['radix:18', 540, 360],
    ['radix:28', 540, 380],
  ] as const) {
    const layout = layOut(parseTopology(name), width, height, undefined, true)
    expect(layout.width).toBeLessThanOrEqual(width)
    expect(layout.height).toBeLessThanOrEqual(height)
    expect(layout.fits).toBe(true)
    expect(Math.min(layout.across, layout.down)).toBeGreaterThanOrEqual(2)
  }
})

it('`layOut` reports that the fabric of radix 64 does not fit into a pane, and that one pod of the fabric fits', () => {
  const topology = parseTopology('radix:64')
  expect(layOut(topology, 480, 320, undefined, true).fits).toBe(false)
  expect(layOut(topology, 480, 320, 5, true)).toMatchObject({ fits: true, across: 3, down: 7 })
})

it('`layOut` places the nodes of a leaf of hundreds of nodes in several rows, instead of one row with narrow squares', () => {
  const layout = layOut(parseTopology('pgft:2;366,12;1,1;1,1'), 480, 320, undefined, false)
  expect(layout).toMatchObject({ fits: true, across: 5, down: 4 })
  expect(layout.blocks.map(({ title }) => title)).toEqual(Array.from({ length: 12 }, (_, leaf) => `leaf${leaf}`))
})

it('`layOut` fills the pane, and names the rows of a single pod', () => {
  for (const [name, pod] of [
    ['radix:18', undefined],
    ['radix:12', undefined],
    ['radix:4', undefined],
    ['radix:64', 3],
    ['radix:18', 0],
  ] as const) {
    const topology = parseTopology(name)
    const layout = layOut(topology, 560, 360, pod, true)
    const [right, bottom] = [...squares(topology, layout)].reduce(
      ([x, y], each) => [Math.max(x, each.x + layout.across), Math.max(y, each.y + layout.down)],
      [0, 0],
    )
    expect([name, right / 560 > 0.8 || layout.across >= 24, bottom / 360 > 0.8 || layout.down >= 24]).toEqual([
      name,
      true,
      true,
    ])
    expect(right).toBeLessThanOrEqual(560)
    expect(bottom).toBeLessThanOrEqual(360)
    expect(layout.namesRows).toBe(pod !== undefined)
  }
})

it('`layOut` keeps the names of narrow pods apart', () => {
  const layout = layOut(parseTopology('radix:18'), 180, 300, undefined, false)
  for (const [at, { title, x, y }] of layout.blocks.entries()) {
    const next = layout.blocks[at + 1]
    if (next !== undefined && next.y === y) expect(next.x - x).toBeGreaterThanOrEqual(7.5 * title.length)
    expect(x + 7.5 * title.length).toBeLessThanOrEqual(180)
  }
})
