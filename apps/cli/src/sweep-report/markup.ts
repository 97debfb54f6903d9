import { visibleOnOneLine } from '../terminal/output.ts'

/** Escapes text for HTML and SVG. Invisible characters are spelled out. */
export function escapeMarkup(text: string): string {
  return visibleOnOneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
