import { lowerBound } from '@cloister/topology'

/** Every value of a figure: `values[i]` holds from `t[i]` to `t[i + 1]`, the last value until `until`, in seconds. */
export interface Steps {
  readonly t: ArrayLike<number>
  readonly until: number
  readonly values: ArrayLike<number>
}

export interface Extremes {
  readonly low: Float64Array
  readonly high: Float64Array
}

/**
 * Returns a figure's least and greatest differences (`other` minus `first`) in `points` columns of equal length between
 * two times. NaN if a run has no value in a column.
 */
export function differenceExtremes(first: Steps, other: Steps, from: number, to: number, points: number): Extremes {
  const [low, high] = [0, 1].map(() => new Float64Array(points).fill(Number.NaN))
  const width = (to - from) / points
  const end = Math.min(to, first.until, other.until)
  let [a, b] = [lastAt(first, from), lastAt(other, from)]
  let t = from
  while (t < end) {
    const next = Math.min(end, startOf(first, a + 1), startOf(other, b + 1))
    if (a >= 0 && b >= 0 && next > t) {
      const difference = other.values[b] - first.values[a]
      const last = Math.min(points - 1, Math.ceil((next - from) / width) - 1)
      for (let point = Math.min(points - 1, Math.floor((t - from) / width)); point <= last; point++) {
        const start = from + point * width
        if (Math.min(next, start + width) <= Math.max(t, start)) continue
        // Comparisons with NaN are false, so the first difference of a column replaces its initial NaN.
        if (!(low[point] <= difference)) low[point] = difference
        if (!(high[point] >= difference)) high[point] = difference
      }
    }
    t = Math.max(t, next)
    while (startOf(first, a + 1) <= t) a++
    while (startOf(other, b + 1) <= t) b++
  }
  return { low, high }
}

function startOf({ t }: Steps, at: number): number {
  return at < t.length ? t[at] : Infinity
}

/** Returns the index of the last value that begins at or before a time; -1 if all values begin later. */
function lastAt({ t }: Steps, time: number): number {
  return lowerBound(t.length, (at) => t[at] <= time) - 1
}
