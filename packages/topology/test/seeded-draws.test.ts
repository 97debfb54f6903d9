import { expect, test } from 'vitest'
import { seededDraws } from '../src/index.ts'

test('seededDraws agrees with mulberry32, and uses only the low 32 bits of a seed', () => {
  const draw = seededDraws(1)
  expect(Array.from({ length: 4 }, () => draw(0x1_0000_0000))).toEqual([2693262067, 11749833, 2265367787, 4213581821])
  expect(seededDraws(-1)(1000)).toBe(seededDraws(0xffff_ffff)(1000))
})

test('seededDraws draws every value below the bound about equally often', () => {
  const draw = seededDraws(3)
  const counts = new Array<number>(10).fill(0)
  for (let drawn = 0; drawn < 20_000; drawn++) counts[draw(10)]++
  expect(counts.reduce((a, b) => a + b)).toBe(20_000)
  for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(4 * Math.sqrt(1800))
})
