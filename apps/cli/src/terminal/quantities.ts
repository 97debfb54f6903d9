// Formats of numbers in tables. The figure `null` becomes a dash.

export function percent(share: number | null, digits: number = 1): string {
  return share === null ? '-' : `${(share * 100).toFixed(digits)} %`
}

/** Formats seconds in the largest unit of d, h and min with a value of at least 10, else in s, and `null` as a dash. */
export function duration(seconds: number | null): string {
  return durations([seconds])[0]
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const

/** Formats times in one unit: the largest of d, h and min in which the least nonzero time is at least 10, else s. */
export function durations(seconds: ReadonlyArray<number | null>): ReadonlyArray<string> {
  const least = seconds.reduce<number>(
    (min, each) => (each === null || each === 0 ? min : Math.min(min, each)),
    Infinity,
  )
  const [unit, length] = units.find(([, length]) => least >= 10 * length && least < Infinity) ?? ['s', 1]
  return seconds.map((each) => {
    if (each === null) return '-'
    return length === 1 ? `${count(Math.round(each * 10) / 10)} s` : `${fixed(each / length)} ${unit}`
  })
}

function fixed(value: number): string {
  return withCommas(value.toFixed(2))
}

/** Formats a number with separators of thousands, and at most three digits after the point. */
export function count(value: number | null): string {
  return value === null ? '-' : withCommas(String(Number(value.toFixed(3))))
}

/** Adds separators of thousands. The first call of `toLocaleString` in a process would take 10 ms. */
function withCommas(digits: string): string {
  return digits.replaceAll(/\B(?=(?:\d{3})+(?!\d))/g, ',')
}

/** Formats a number of things: `1 violation`, `2 violations`. */
export function counted(value: number, noun: string, plural: string = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`
}

export function decimal(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits)
}

export function bytes(size: number): string {
  return size < 1e6 ? `${(size / 1e3).toFixed(1)} kB` : `${(size / 1e6).toFixed(1)} MB`
}
