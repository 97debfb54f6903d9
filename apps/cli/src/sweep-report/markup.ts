import { visibleOnOneLine } from '../terminal/output.ts'

/** Escapes text for HTML and SVG. Replaces invisible characters by their escapes, such as `\u200b`. */
export function escapeMarkup(text: string): string {
  return visibleOnOneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
