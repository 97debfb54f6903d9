import { Draw } from '@cloister/placement/testing'
import { expect, test } from 'vitest'
import { range } from './allocations.ts'
import { cablesOf, checkFamilies, defect, type Family } from './families.ts'

test.each([
  [2, 3, { kept: 22, flows: 10 }],
  [3, 3, { kept: 55, flows: 91 }],
  [4, 3, { kept: 108, flows: 1762 }],
])(
  'every family of %i vertices and %i links that meets the rule of CONDITION.md has links for all flows',
  (vertices, links, counts) => {
    expect(checkFamilies(vertices, links)).toEqual(counts)
  },
)

test('random families of 5 vertices and 4 links, and of 12 vertices and 9 links, that meet the rule of CONDITION.md have links for all flows', () => {
  const draw = new Draw(7)
  for (const [vertices, links] of [
    [5, 4],
    [12, 9],
  ] as const) {
    for (let kept = 0; kept < 150;) {
      const needs = range(0, vertices).map(() => 1 + draw.below(draw.pick([2, links])))
      const sets = needs.map(() => (1 << links) - 1 - (draw.once(2) ? 0 : 1 << draw.below(links)))
      const cables = cablesOf({ sets, needs }, links)
      if (cables === undefined) continue
      kept++
      const senders = needs.flatMap((need, vertex) => range(0, need).map(() => vertex))
      const by = 1 + draw.below(senders.length - 1)
      // A flow of a vertex to itself takes no link.
      const flows = senders
        .map((from, i) => ({ from, to: senders[(i * by + by) % senders.length] }))
        .filter(({ from, to }) => from !== to)
      const few = flows.filter(({ to }, i) => flows.slice(0, i).filter((other) => other.to === to).length < needs[to])
      const ends = (end: 'from' | 'to'): Int32Array => Int32Array.from(few, (flow) => flow[end])
      expect(defect({ sets, needs }, cables, ends('from'), ends('to'))).toBeUndefined()
    }
  }
})

test('lackingCables refuses a family without spare links if any link is removed', () => {
  // Two vertices have all four links, the third vertex has links 0 to 2, and the fourth vertex has link 0.
  const kept: Family = { sets: [0b1111, 0b1111, 0b0111, 0b0001], needs: [4, 4, 2, 1] }
  expect(cablesOf(kept, 4)).toBeDefined()
  for (const [vertex, set] of kept.sets.entries()) {
    for (let rest = set; rest !== 0; rest &= rest - 1) {
      const sets = kept.sets.with(vertex, set & ~(rest & -rest))
      expect(cablesOf({ ...kept, sets }, 4)).toBeUndefined()
    }
  }
})
