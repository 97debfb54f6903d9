// The site's own rules for Markdown: folded names of the API, and blocks of code that fit into the page.
import type { MarkdownRenderer } from 'vitepress'
import { HTML, RUN, runFrame, STAGE, stageFrame } from './links.ts'

/** Adds the rules to VitePress's renderer of Markdown. */
export function addRules(markdown: MarkdownRenderer): void {
  const { rules } = markdown.renderer
  const { fence } = rules
  markdown.core.ruler.push('headless', withoutEmptyHeadings)
  markdown.core.ruler.push('folded', withFoldedNames)
  rules.fence = (tokens, at, ...others) => {
    const { info, content } = tokens[at]
    if (info === RUN) return runFrame(content)
    if (info === STAGE) return stageFrame(content)
    if (info === HTML) return content
    return inBlock(content, fence?.(tokens, at, ...others) ?? '')
  }
  // An indented block, as some docstrings have, becomes a block like all others: with its own scroll bar and size.
  rules.code_block = (...given) => rules.fence!(...given)
}

/** Tells the style sheet how wide a block of code is. @param html the block from VitePress */
function inBlock(code: string, html: string): string {
  const lengths = code.split('\n').map(({ length }) => length)
  const fitting = lengths.filter((length) => length <= MOST_COLUMNS)
  const kind = fitting.length < lengths.length ? 'code wrapped' : 'code'
  return `<div class="${kind}" style="--columns:${Math.max(...fitting, LEAST_COLUMNS)}">${html}</div>`
}

/** Marks the options of commands in highlighted code. Browsers would break a line behind the hyphens of an option. */
export function withOptions(html: string): string {
  return html.replaceAll(/(?<=[ >])--?[a-z][\w-]*(?=[ <])/g, '<span class="option">$&</span>')
}

/** Longest line of code that is not wrapped, in characters: a block of such lines fits into a page of 1280 pixels. */
const MOST_COLUMNS = 135
/** Length of a line that fits at the usual size of code, in characters. */
const LEAST_COLUMNS = 60

type MarkdownState = Parameters<Parameters<MarkdownRenderer['core']['ruler']['push']>[1]>[0]

/** Turns empty headings of tables into plain cells. Screen readers would announce an empty heading. */
function withoutEmptyHeadings({ tokens }: MarkdownState): void {
  for (const [at, token] of tokens.entries())
    if (token.type === 'th_open' && tokens[at + 1].content === '') token.tag = tokens[at + 2].tag = 'td'
}

/** Folds the section of each name on the pages of the API: only the heading and the summary below stay visible. */
function withFoldedNames(state: MarkdownState): void {
  const { relativePath } = state.env as { readonly relativePath?: string }
  if (relativePath?.startsWith('reference/api/') !== true) return
  const html = (content: string) => Object.assign(new state.Token('html_block', '', 0), { content })
  let isOpen = false
  state.tokens = state.tokens.flatMap((token, at, all) => {
    const isHeading = token.type === 'heading_open' && /h[23]/.test(token.tag)
    const end = isHeading && isOpen ? [html('</details>')] : []
    if (isHeading) isOpen = token.tag === 'h3'
    if (isHeading && isOpen) {
      // A heading that opens its section must not contain a link or take the focus.
      token.attrs = token.attrs?.filter(([name]) => name !== 'tabindex') ?? null
      const text = all[at + 1].children ?? []
      all[at + 1].children = text.slice(
        0,
        text.findIndex((each) => each.attrGet('class') === 'header-anchor'),
      )
      return [...end, html('<details class="name"><summary>'), token]
    }
    const summary = isOpen && token.type === 'heading_close' && token.tag === 'h3' ? all.slice(at + 1, at + 4) : []
    for (const each of summary) if (each.type.startsWith('paragraph')) each.tag = 'span'
    summary[0]?.attrSet('class', 'about')
    const isEndOfSummary = token.type === 'paragraph_close' && token.tag === 'span'
    // TypeDoc writes a line between two names.
    return token.type === 'hr' ? [] : [...end, token, ...(isEndOfSummary ? [html('</summary>')] : [])]
  })
  if (isOpen) state.tokens.push(html('</details>'))
}
