import { expect, test } from 'vitest'
import { intervalOf } from '../src/interval.ts'

test('the half width of an interval is that of R to 12 digits, for 2 to 100,001 values', () => {
  // sprintf("%.16g", qt(0.975, n)) of R 4.2 for n degrees of freedom.
  const quantiles: ReadonlyArray<readonly [number, number]> = [
    [1, 12.70620473617469],
    [2, 4.302652729749462],
    [3, 3.182446305283708],
    [4, 2.776445105197793],
    [5, 2.570581835636314],
    [6, 2.446911851144969],
    [9, 2.262157162798205],
    [10, 2.228138851986274],
    [29, 2.045229642132703],
    [100, 1.983971518523552],
    [999, 1.962341461133449],
    [100_000, 1.959987707534609],
  ]
  for (const [n, quantile] of quantiles) {
    const { mean, half } = intervalOf([1, -1, ...Array<number>(n - 1).fill(0)])
    expect(mean).toBe(0)
    expect(half! / (quantile * Math.sqrt(2 / n / (n + 1)))).toBeCloseTo(1, 12)
  }
})
