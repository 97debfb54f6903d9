import type { Row } from './figure.ts'

/** Returns a picture's data as CSV: a line of column names, then a line for each row. Quotes texts if necessary. */
export function csvOf(data: ReadonlyArray<Row>): string {
  const names = Object.keys(data[0] ?? {})
  const lines = data.map((row) => names.map((name) => cell(row[name])).join(','))
  return `${[names.map(cell).join(','), ...lines].join('\n')}\n`
}

function cell(value: string | number | null): string {
  if (value === null) return ''
  const text = String(value)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
