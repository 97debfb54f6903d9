import { expect, it } from 'vitest'
import { sampleLines } from '../sample.mjs'

const text = `import { a } from './a.ts'

/** A comment. */
export function f(x: number): number {
  // another
  if (x > 1) {
    return x
  }
  return -x
}
`

it('sampleLines draws lines of code, the same lines for the same seed', () => {
  const all = ['f.ts:4-4', 'f.ts:6-6', 'f.ts:7-7', 'f.ts:9-9']
  expect(sampleLines([{ file: 'f.ts', text }], 100, 1)).toEqual(all)
  const draws = new Set(Array.from({ length: 20 }, (_, seed) => sampleLines([{ file: 'f.ts', text }], 2, seed).join()))
  expect(draws.size).toBeGreaterThan(2)
  expect(sampleLines([{ file: 'f.ts', text }], 2, 7)).toEqual(sampleLines([{ file: 'f.ts', text }], 2, 7))
})
