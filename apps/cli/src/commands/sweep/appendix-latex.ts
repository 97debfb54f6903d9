import { visibleOnOneLine } from '../../terminal/output.ts'
import type { Block } from './appendix-text.ts'
import { folded } from './folded-commands.ts'
import type { Rows } from './tables.ts'

/** Commands of headings by level. IEEE's class for conferences has no further level. */
const sections = ['section*', 'subsection*', 'subsubsection*', 'paragraph*', 'appendixpart'] as const

/** Macros of the appendix. A box after a heading on the line of its text must begin a paragraph of its own. */
const macros = String.raw`% Needs \usepackage{graphicx,tabularx,upquote}, and for pdflatex \usepackage[T1]{fontenc}.
\providecommand\appendixbreak{\csname if@noskipsec\endcsname\leavevmode\fi\par}
\providecommand\appendixgap[1]{\appendixbreak\smallskip\noindent\fbox{\parbox{\dimexpr\linewidth-2\fboxsep-2\fboxrule\relax}{%
  \raggedright\textbf{TO BE FILLED IN BY THE AUTHORS:} #1}}\par\medskip}
\providecommand\appendixpart[1]{\appendixbreak\smallskip\noindent\textit{#1.} }
\providecommand\appendixfit[2]{\sbox0{\ifdim\linewidth<#1\linewidth=#1\fi#2}%
  \ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi}`

/** Returns an appendix as LaTeX without a preamble, for `\input` into a paper. The packages needed are in the first line. */
export function asLatex(blocks: ReadonlyArray<Block>): string {
  const parts = blocks.map((block, at) => {
    const next = blocks[at + 1]
    if (block.kind === 'text' && next?.kind === 'table' && isWide(next)) return `See Table~\\ref{${labelOf(at + 1)}}.`
    if (block.kind === 'table') return isWide(block) ? floating(block, blocks[at - 1], labelOf(at)) : inText(block)
    return block.kind === 'heading' ? `\\${sections[block.level - 1]}{${prose(block.text)}}` : partOf(block)
  })
  const body = parts.join('\n\n')
  const head = [macros, ...declarationsOf(body), '\\begingroup\\emergencystretch=5em'].join('\n')
  return `${head}\n\n${body}\n\n\\par\\endgroup\n`
}

function partOf({ kind, text }: Extract<Block, { readonly text: string }>): string {
  switch (kind) {
    case 'code':
      return `{\\footnotesize\n\\begin{verbatim}\n${folded(text)}\n\\end{verbatim}\n}`
    case 'gap':
      return `\\appendixgap{${inline(text)}.}`
    default:
      return inline(text)
  }
}

/**
 * Returns a declaration for each character of a text beyond ASCII. A character that pdflatex does not know is an error;
 * with the declaration pdflatex prints its number. Other engines take the character from the font.
 */
function declarationsOf(text: string): ReadonlyArray<string> {
  const characters = new Set(text.match(/[^\p{ASCII}]/gu))
  return [...characters].map((character) => {
    const hex = character.codePointAt(0)!.toString(16).padStart(4, '0')
    const name = `u8:\\detokenize{${character}}\\endcsname`
    return `\\ifcsname ${name}\\else\\expandafter\\def\\csname ${name}{\\textbackslash{}u${hex}}\\fi`
  })
}

/** Most characters of a cell without line breaks. */
const longColumn = 24
/** Most characters of the rows of a table in one of two columns of a paper. */
const wideTable = 60

/** Headings of metrics have two lines, such as `wait,` and `mean`. */
const linesOf = (heading: string): ReadonlyArray<string> => heading.split(/(?<=,) /)

/** Returns the number of characters of each column; for a column whose cells are broken, `longColumn + 1`. */
function widthsOf({ heading, rows }: Rows): ReadonlyArray<number> {
  return heading.map((title, at) =>
    Math.min(
      longColumn + 1,
      Math.max(...linesOf(title).map((line) => line.length), ...rows.map((row) => row[at].length)),
    ),
  )
}

/** Returns the number of characters of a row with the spaces between columns. */
function widthOf(rows: Rows): number {
  return widthsOf(rows).reduce((sum, width) => sum + width + 2, 0)
}

const isWide = (rows: Rows): boolean => widthOf(rows) > wideTable

const labelOf = (at: number): string => `tab:artifact-${at}`

function inText(rows: Rows): string {
  return `\\appendixbreak\\medskip\\noindent{\\footnotesize ${tabular(rows)}}\\par\\medskip`
}

/** Returns a table over all columns of a page. The text before the table becomes the caption. */
function floating(rows: Rows, before: Block | undefined, label: string): string {
  const caption = before?.kind === 'text' ? inline(before.text.replace(/:$/, '.')) : ''
  const head = `\\caption{${caption}}\\label{${label}}`
  return ['\\begin{table*}', head, '\\centering\\footnotesize', tabular(rows), '\\end{table*}'].join('\n')
}

function tabular(rows: Rows): string {
  const row = (cells: ReadonlyArray<string>): string => `${cells.join(' & ')} \\\\`
  const long = widthsOf(rows).map((width) => width > longColumn)
  const columns = long.map((isLong) => (isLong ? '>{\\raggedright\\arraybackslash}X' : 'l')).join('')
  const body = [
    `{@{}${columns}@{}}`,
    row(rows.heading.map((title) => `\\shortstack[l]{${linesOf(title).map(value).join('\\\\')}}`)),
    '\\hline\\noalign{\\smallskip}',
    ...rows.rows.map((cells) => row(cells.map((cell) => value(cell).replace(/^-(?=\d)/, '$-$')))),
  ].join('\n')
  const [begin, end] = long.includes(true) ? ['tabularx}{\\linewidth', 'tabularx'] : ['tabular', 'tabular']
  return `\\appendixfit{${Math.ceil(widthOf(rows) / 2)}em}{\\begin{${begin}}${body}\n\\end{${end}}}`
}

/** Returns a text with values between backticks. */
function inline(text: string): string {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 0 ? prose(part) : `\\texttt{${value(part)}}`))
    .join('')
}

/** Returns a value, such as a path, with straight quotes. */
function value(text: string): string {
  return prose(text, /\S{11,}/gu).replaceAll("'", '\\textquotesingle{}')
}

/** Returns a text without the special characters of LaTeX. Lines may break in a long word, at its punctuation. */
function prose(text: string, long: RegExp = /\S{21,}/gu): string {
  const breakable = visibleOnOneLine(text).replaceAll(long, (word) =>
    word.replaceAll(/[\p{L}\p{N}]{8}(?=[\p{L}\p{N}])|[^\p{L}\p{N}](?=.)/gu, '$&\u200b'),
  )
  return breakable.replaceAll(/-(?=-)|[\\{}$&#_%~^`±…<>|\u200b]/g, (found) => latex[found])
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
  '`': '\\textasciigrave{}',
  '±': '$\\pm$',
  '…': '\\ldots{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  // Two hyphens would become a dash.
  '-': '-{}',
  // `visibleOnOneLine` leaves no space without width, so it marks the places of line breaks.
  '\u200b': '\\allowbreak{}',
}
