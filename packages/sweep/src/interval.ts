/** Mean of a sample, with the 95 % confidence interval of the true mean. */
export interface Interval {
  readonly mean: number
  /** Half of the width of the interval, by Student's distribution, or null for a single value. */
  readonly half: number | null
  readonly count: number
}

/** Returns the mean of independent values (at least one), with the confidence interval of the mean. */
export function intervalOf(values: ReadonlyArray<number>): Interval {
  const count = values.length
  const mean = values.reduce((sum, each) => sum + each, 0) / count
  if (count < 2) return { mean, half: null, count }
  const squares = values.reduce((sum, each) => sum + (each - mean) * (each - mean), 0)
  const error = Math.sqrt(squares / (count - 1) / count)
  return { mean, half: studentQuantile(count - 1) * error, count }
}

/**
 * Returns the 97.5 % quantile of Student's distribution with `n` degrees of freedom, an integer of at least 1.
 *
 * With c² = n / (n + t²), the probability of a value outside of ±t is √(1 - c²) Σ aₖ cᵏ over k = n, n + 2, n + 4, …, where
 * a₀ = 1, a₁ = 2/π and aₖ₊₂ = aₖ (k + 1) / (k + 2). This is the rest of the finite series in Abramowitz and Stegun,
 * Handbook of Mathematical Functions, 26.7.3 and 26.7.4. The probability is convex in t > 0, so Newton's method increases
 * t from the quantile of the normal distribution to the result. Only exact operations are used, so all machines agree.
 */
function studentQuantile(n: number): number {
  for (let t = 1.95; ;) {
    const square = n / (n + t * t)
    let term = n % 2 === 0 ? 1 : (2 / Math.PI) * Math.sqrt(square)
    for (let k = n % 2; k < n; k += 2) term *= (square * (k + 1)) / (k + 2)
    const density = term * Math.sqrt(n * square)
    let sum = 0
    for (let k = n; sum + term > sum; k += 2) {
      sum += term
      term *= (square * (k + 1)) / (k + 2)
    }
    const next = t + (sum * Math.sqrt(1 - square) - 0.05) / density
    if (next <= t) return t
    t = next
  }
}
