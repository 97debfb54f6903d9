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

/** Returns an appendix as LaTeX without a preamble, for `\input` into a paper. The packages needed are in the first line. */
export function asLatex(blocks: ReadonlyArray<Block>): string {
  return `% Needs \\usepackage{graphicx} and an engine that reads UTF-8.\n${blocks.map(latexOf).join('\n\n')}\n`
}

const sections = ['section', 'subsection', 'subsubsection', 'paragraph', 'subparagraph'] as const

function latexOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `\\${sections[block.level - 1]}*{${escaped(block.text)}}`
    case 'text':
      return inline(block.text)
    case 'code':
      return `\\begin{verbatim}\n${block.text}\n\\end{verbatim}`
    case 'gap':
      return `\\noindent\\fbox{\\parbox{0.95\\linewidth}{\\textbf{TO BE FILLED IN BY THE AUTHORS:} ${inline(block.text)}.}}`
    case 'table': {
      const row = (cells: ReadonlyArray<string>): string => `${cells.map(escaped).join(' & ')} \\\\`
      const columns = 'l'.repeat(block.heading.length)
      const lines = [row(block.heading), '\\hline', ...block.rows.map(row)].join('\n')
      return `\\noindent\\resizebox{\\linewidth}{!}{%\n\\begin{tabular}{@{}${columns}@{}}\n${lines}\n\\end{tabular}}`
    }
  }
}

function inline(text: string): string {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 0 ? escaped(part) : `\\texttt{${escaped(part)}}`))
    .join('')
}

function escaped(text: string): string {
  return visibleOnOneLine(text).replaceAll(/[\\{}$&#_%~^±…<>|]/g, (found) => latex[found])
}

const latex: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  _: '\\_',
  '%': '\\%',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '±': '$\\pm$',
  '…': '\\ldots{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
}
