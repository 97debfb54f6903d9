import { expect, it } from 'vitest'
import { nodeTimeUses } from '@cloister/figures'
import { worstStretches } from '../src/page/panels/worst-stretches.tsx'
import { useNames } from '../src/words.ts'

it('`worstStretches` returns the times with more fragmented nodes than in the mean, the most node-time first', () => {
  const fragmented = Float64Array.of(0, 6, 0, 4, 5, 0, 0, 0, Number.NaN, Number.NaN)
  const t = fragmented.map((_, at) => 5 + at * 10)
  expect(worstStretches({ t, fragmented }, 9)).toEqual([
    { from: 30, to: 50, nodeTime: 90 },
    { from: 10, to: 20, nodeTime: 60 },
  ])
  expect(worstStretches({ t, fragmented }, 1)).toHaveLength(1)
  expect(worstStretches({ t, fragmented: fragmented.map(() => 0) }, 9)).toEqual([])
})

it('the uses of node-time have the same names in pictures as in tracks and panels', () => {
  expect(Object.values(useNames)).toEqual(expect.arrayContaining(nodeTimeUses.map(({ name }) => name)))
})
