// Numbers in the form of tables.

export function percent(share: number, digits: number = 1): string {
  return `${(share * 100).toFixed(digits)} %`
}

/** Returns the number with its thousands set apart. */
export function count(value: number): string {
  return value.toLocaleString('en-US')
}
