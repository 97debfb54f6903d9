// Figures as tables show them.

export function percent(share: number, digits: number = 1): string {
  return `${(share * 100).toFixed(digits)} %`
}

/** Thousands set apart. */
export function count(value: number): string {
  return value.toLocaleString('en-US')
}
