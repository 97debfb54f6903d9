/** Returns the Shannon entropy of a distribution of counts, in units of 2^-24 bits; 0 if all counts are 0. */
export function entropy(counts: ArrayLike<number>): number {
  let total = 0
  for (let at = 0; at < counts.length; at++) total += counts[at]
  if (total === 0) return 0
  let sum = 0
  for (let at = 0; at < counts.length; at++) if (counts[at] > 0) sum += counts[at] * log2(counts[at])
  return Math.round((log2(total) - sum / total) * UNITS)
}

const UNITS = 16_777_216
const FRACTION_BITS = 30

/** Computes the binary logarithm by squaring: `Math.log2` may differ between JavaScript engines. */
function log2(count: number): number {
  let rest = count
  let whole = 0
  while (rest >= 2) {
    rest /= 2
    whole++
  }
  let fraction = 0
  let bit = 1
  for (let at = 0; at < FRACTION_BITS && rest > 1; at++) {
    rest *= rest
    bit /= 2
    if (rest >= 2) {
      rest /= 2
      fraction += bit
    }
  }
  return whole + fraction
}
