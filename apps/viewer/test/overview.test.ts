import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { mix } from '../src/page/drawing/colors.ts'
import { layOutPods, leafBox, loudness, meanColor, paintPods, podAt } from '../src/page/fabric/pods.ts'
import { noOwner } from '../src/run/questions.ts'
import { leafUse } from '../src/run/moment.ts'

const names = ['radix:64', 'radix:28', 'cab', 'kary:3:4', 'pgft:3;4,2,700;1,2,1;1,1,1', 'pgft:3;100,4,3;1,70,2;1,1,1']

it.each(names)('`layOutPods` places every pod of %s within the pane, without overlap', (name) => {
  const topology = parseTopology(name)
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 900 }), fc.integer({ min: 120, max: 600 }), (width, height) => {
      const layout = layOutPods(topology, width, height)
      expect(layout.tiles.map(({ pod }) => pod)).toEqual(Array.from({ length: topology.pods }, (_, pod) => pod))
      const taken = new Set<number>()
      for (const { pod, held, partialLeafFree } of layout.tiles)
        for (const { x, y, width: across, height: down } of [held, partialLeafFree]) {
          expect(x + across).toBeLessThanOrEqual(width)
          expect(y + down).toBeLessThanOrEqual(height)
          expect(podAt(topology, layout, x + across / 2, y + down / 2)?.pod).toBe(pod)
          for (let at = y; at < y + down; at++)
            for (const column of new Set([x, x + across - 1])) {
              expect(taken.has(at * width + column)).toBe(false)
              taken.add(at * width + column)
            }
        }
    }),
    { numRuns: 4 },
  )
})

it('`podAt` finds each leaf of a pod at the middle of the rectangle from `leafBox`', () => {
  const topology = parseTopology('radix:64')
  const layout = layOutPods(topology, 540, 340)
  expect(layout.leafColumns).toBeGreaterThan(0)
  for (const { pod, held, partialLeafFree } of layout.tiles)
    for (const half of [held, partialLeafFree])
      for (let leaf = 0; leaf < 32; leaf++) {
        const { x, y, width, height } = leafBox(layout, half, leaf)
        expect(Math.min(width, height)).toBeGreaterThanOrEqual(3)
        expect(podAt(topology, layout, x + width / 2, y + height / 2)).toEqual({ pod, leaf: 32 * pod + leaf })
      }
})

it('`layOutPods` shows 700 pods without leaves, and names not all of the pods', () => {
  const layout = layOutPods(parseTopology('pgft:3;4,2,700;1,2,1;1,1,1'), 360, 240)
  expect(layout).toMatchObject({ namesAll: false, leafColumns: 0 })
})

it('`leafUse` counts free nodes on leaves with a node or an uplink that is held or down', () => {
  const topology = parseTopology('radix:4')
  const owners = fc.array(fc.constantFrom(noOwner.free, noOwner.free, noOwner.down, 0, 1), {
    minLength: topology.nodes,
    maxLength: topology.nodes,
  })
  const links = fc.array(fc.constantFrom(noOwner.free, noOwner.free, noOwner.free, 1), {
    minLength: topology.levels[0].links,
    maxLength: topology.levels[0].links,
  })
  fc.assert(
    fc.property(owners, fc.option(links, { nil: undefined }), (nodeOwners, linkOwners) => {
      const use = leafUse(topology, Int32Array.from(nodeOwners), linkOwners && Int32Array.from(linkOwners))
      for (let leaf = 0; leaf < topology.leaves; leaf++) {
        const own = nodeOwners.slice(topology.firstNodeOfLeaf[leaf], topology.firstNodeOfLeaf[leaf + 1])
        const { firstPort } = topology.levels[0]
        const up = linkOwners?.slice(firstPort[leaf], firstPort[leaf + 1]) ?? []
        const free = own.filter((owner) => owner === noOwner.free).length
        expect(use.held[leaf]).toBe(own.filter((owner) => owner >= 0).length)
        expect(use.down[leaf]).toBe(own.filter((owner) => owner === noOwner.down).length)
        expect(use.partialLeafFree[leaf]).toBe(
          free < own.length || up.some((owner) => owner !== noOwner.free) ? free : 0,
        )
      }
    }),
  )
})

it('`paintPods` paints for each leaf the mean colour of its nodes, and its share of free nodes on partly used leaves', () => {
  const topology = parseTopology('radix:8')
  const layout = layOutPods(topology, 200, 120)
  const [free, held, loud] = [0xff_00_00_00, 0xff_c8_64_32, 0xff_00_00_ff]
  const nodeOwners = new Int32Array(topology.nodes).fill(noOwner.free)
  // One node of leaf 5 is held, and leaf 6 is wholly held.
  for (const node of [20, 24, 25, 26, 27]) nodeOwners[node] = 3
  for (const scale of [1, 2]) {
    const [width, height] = [200 * scale, 120 * scale]
    const pixels = new Uint32Array(width * height)
    const use = leafUse(topology, nodeOwners, undefined)
    const colorOf = (node: number): number => (nodeOwners[node] < 0 ? free : held)
    paintPods({ pixels, width, height, scale }, topology, layout, use, colorOf, { none: free, partialLeafFree: loud })
    const pixelAt = (leaf: number, half: 'held' | 'partialLeafFree'): number => {
      const box = leafBox(layout, layout.tiles[topology.podOfLeaf[leaf]][half], leaf % 4)
      return pixels[Math.floor((box.y + box.height / 2) * scale) * width + Math.floor((box.x + box.width / 2) * scale)]
    }
    expect([4, 5, 6].map((leaf) => pixelAt(leaf, 'held'))).toEqual([free, mix(free, held, 0.25), held])
    expect([4, 5, 6].map((leaf) => pixelAt(leaf, 'partialLeafFree'))).toEqual([
      free,
      mix(free, loud, loudness(0.75)),
      free,
    ])
  }
  expect(meanColor(0, 0, () => held)).toBe(0xff_00_00_00)
  expect(loudness(0)).toBe(0)
  expect(loudness(1)).toBe(1)
})
