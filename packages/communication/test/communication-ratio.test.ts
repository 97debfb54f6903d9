import { expect, test } from 'vitest'
import { communicationRatio } from '../src/index.ts'

test('communicationRatio is a finite number for every leaf, and mathematically equal ratios give equal numbers', () => {
  expect(communicationRatio(0, 0, 16)).toBe(0)
  expect(communicationRatio(4, 4, 4)).toBe(2)
  const seen = new Map<string, number>()
  for (const nodes of [12, 18, 36, 320]) {
    for (let busy = 1; busy <= nodes; busy++) {
      for (let communicating = 0; communicating <= busy; communicating++) {
        const [numerator, denominator] = [communicating * nodes + busy * busy, busy * nodes]
        const divisor = greatestCommonDivisor(numerator, denominator)
        const fraction = `${numerator / divisor}/${denominator / divisor}`
        const value = communicationRatio(communicating, busy, nodes)
        if (!Object.is(seen.get(fraction) ?? value, value))
          expect(`${fraction} is ${value}`).toBe(`${fraction} is ${seen.get(fraction)}`)
        seen.set(fraction, value)
      }
    }
  }
  expect(new Set(seen.values()).size).toBe(seen.size)
})

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
