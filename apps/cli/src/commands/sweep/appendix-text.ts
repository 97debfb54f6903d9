import { visibleOnOneLine } from '../../terminal/output.ts'
import type { Rows } from './tables.ts'

/** Part of an appendix. Values between backticks are code. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3 | 4 | 5; readonly text: string }
  | { readonly kind: 'text' | 'code'; readonly text: string }
  /** Statement that the authors must add. */
  | { readonly kind: 'gap'; readonly text: string }
  | ({ readonly kind: 'table' } & Rows)

/** Returns an appendix as Markdown. */
export function asMarkdown(blocks: ReadonlyArray<Block>): string {
  return `${blocks.map(markdownOf).join('\n\n')}\n`
}

function markdownOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${block.text}`
    case 'text':
      return visibleOnOneLine(block.text)
    case 'code':
      return `\`\`\`sh\n${block.text}\n\`\`\``
    case 'gap':
      return `> **TO BE FILLED IN BY THE AUTHORS:** ${visibleOnOneLine(block.text)}.`
    case 'table': {
      const row = (cells: ReadonlyArray<string>): string =>
        `| ${cells.map((cell) => visibleOnOneLine(cell).replaceAll(/[\\|<>*_`]/g, '\\$&')).join(' | ')} |`
      return [row(block.heading), `|${'---|'.repeat(block.heading.length)}`, ...block.rows.map(row)].join('\n')
    }
  }
}
