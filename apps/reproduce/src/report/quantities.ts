// Texts of numbers for tables.

export function percent(share: number, digits: number = 1): string {
  return `${(share * 100).toFixed(digits)} %`
}

/** Returns a number as a text with commas between thousands. */
export function count(value: number): string {
  return value.toLocaleString('en-US')
}
