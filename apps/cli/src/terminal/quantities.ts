// Numbers as tables show them. A figure that is not defined shows as a dash.

export function percent(share: number | null, digits: number = 1): string {
  return share === null ? '-' : `${(share * 100).toFixed(digits)} %`
}

/** Seconds, in the largest unit that keeps two digits before the point. */
export function duration(seconds: number | null): string {
  if (seconds === null) return '-'
  if (seconds >= 10 * 86_400) return `${(seconds / 86_400).toFixed(2)} d`
  if (seconds >= 10 * 3_600) return `${(seconds / 3_600).toFixed(2)} h`
  if (seconds >= 10 * 60) return `${(seconds / 60).toFixed(2)} min`
  return `${count(Math.round(seconds * 10) / 10)} s`
}

/** Thousands set apart. */
export function count(value: number | null): string {
  return value === null ? '-' : value.toLocaleString('en-US')
}

export function decimal(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits)
}

export function bytes(size: number): string {
  return size < 1e6 ? `${(size / 1e3).toFixed(1)} kB` : `${(size / 1e6).toFixed(1)} MB`
}
