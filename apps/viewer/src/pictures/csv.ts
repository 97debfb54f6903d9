import type { Picture } from './drawing.ts'

/** The numbers of a picture: a line of names, and one for each row; texts are quoted where they have to be. */
export function csvOf(data: Picture['data']): string {
  const names = Object.keys(data[0] ?? {})
  const lines = data.map((row) => names.map((name) => cell(row[name])).join(','))
  return `${[names.map(cell).join(','), ...lines].join('\n')}\n`
}

function cell(value: string | number | null): string {
  if (value === null) return ''
  const text = String(value)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
