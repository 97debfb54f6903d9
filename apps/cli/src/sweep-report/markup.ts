import { visibleOnOneLine } from '../terminal/output.ts'

/** Text as HTML and SVG have it; what cannot be seen is spelled out. */
export function escapeMarkup(text: string): string {
  return visibleOnOneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
