import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linkNeeds } from '../src/link-needs.ts'

const ports = fc.record({ down: fc.integer({ min: 1, max: 48 }), up: fc.integer({ min: 1, max: 48 }) })

test('the links for nodes are the fewest that give each node its exact share, and nodesFor is the inverse', () => {
  fc.assert(
    fc.property(ports, ports, (leaf, l2) => {
      const { uplinksFor, nodesFor, spinesFor, cablesFor } = linkNeeds(leaf, l2, true)
      for (const [needs, most, { down, up }] of [
        [uplinksFor, nodesFor, leaf],
        [spinesFor, cablesFor, l2],
      ] as const) {
        for (let below = 0; below <= down; below++) {
          const enough = (links: number): boolean => links * Math.max(down, up) >= below * up
          expect(enough(needs[below])).toBe(true)
          expect(needs[below] === 0 || !enough(needs[below] - 1)).toBe(true)
          for (let above = 0; above <= up; above++) expect(below <= most[above]).toBe(needs[below] <= above)
        }
      }
    }),
  )
})

test('with full bandwidth, every node needs an uplink and every cable a spine link', () => {
  const { uplinksFor, nodesFor, spinesFor, cablesFor } = linkNeeds({ down: 4, up: 2 }, { down: 3, up: 2 }, false)
  expect([uplinksFor, nodesFor, spinesFor, cablesFor].map((list) => Array.from(list))).toEqual([
    [0, 1, 2, 3, 4],
    [0, 1, 2],
    [0, 1, 2, 3],
    [0, 1, 2],
  ])
})
