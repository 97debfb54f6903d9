import type { PgftShape } from '@cloister/topology'
import fc from 'fast-check'

const small = fc.integer({ min: 1, max: 4 })

/** Random shapes of regular trees with one to four levels, small enough to enumerate all nodes. */
export const shapes: fc.Arbitrary<PgftShape> = fc.integer({ min: 1, max: 4 }).chain((height) => {
  const upper = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: height - 1, maxLength: height - 1 })
  return fc
    .tuple(fc.array(small, { minLength: height, maxLength: height }), upper, upper)
    .map(([m, w, p]) => ({ m, w: [1, ...w], p: [1, ...p] }))
})
