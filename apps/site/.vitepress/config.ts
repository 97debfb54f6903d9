import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefaultTheme, defineConfig, type MarkdownRenderer } from 'vitepress'
import { RUN, runFrame, STAGE, stageFrame } from '../src/links.ts'
import type { ListedChapter } from '../src/site.ts'

const sources = join(import.meta.dirname, '../dist/pages')
const chapters = JSON.parse(readFileSync(join(sources, 'chapters.json'), 'utf8')) as ReadonlyArray<ListedChapter>

/** Returns the id of a heading by GitHub's rule, because links in the documents contain GitHub's ids. */
const slugify = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')

/** Returns the folder of a chapter's pages: `/reference/cli/`, `/reference/api/`, `/reference/` or `/`. */
const folderOf = ({ pages: [{ path }] }: ListedChapter): string =>
  /^reference\/(cli|api)\//.exec(path)
    ? `/${path.split('/', 2).join('/')}/`
    : path.startsWith('reference/')
      ? '/reference/'
      : '/'

const sidebar: DefaultTheme.SidebarMulti = {}
for (const chapter of chapters) {
  const items = chapter.pages.map(({ path, name }) => ({ text: name, link: `/${path.replace(/(^|\/)index$/, '$1')}` }))
  const folder = folderOf(chapter)
  sidebar[folder] = [...((sidebar[folder] ?? []) as DefaultTheme.SidebarItem[]), { text: chapter.title, items }]
}

/** Turns blocks of code in Markdown into plain text. */
const withoutFences = (markdown: string): string =>
  markdown.replaceAll(/^```.*\n([\s\S]*?)^```$/gm, (_, code: string) => code.replaceAll(/^#+/gm, ''))

/** Returns the text of a page for the search: without folded fields, and of the API only names and summaries. */
const searchable = (markdown: string, page: string): string =>
  page.startsWith('reference/api/')
    ? [...markdown.matchAll(/^#{1,3} .*$(\n\n[^\n#`].*)?/gm)].map(([found]) => found).join('\n\n')
    : withoutFences(markdown.replaceAll(/^::: details .*\n[\s\S]*?^:::$/gm, ''))

/** Returns the weight of a page in the search: the glossary, tutorials and commands come first, names of the API last. */
const weightOf = (page: string): number => {
  if (page.includes('glossary')) return 8
  if (/tutorials\/|reference\/cli\//.test(page)) return 3
  return page.includes('reference/api/') ? 0.2 : 1
}

/** Longest line of code that is not wrapped, in characters: a block of such lines fits into a page of 1280 pixels. */
const MOST_COLUMNS = 135
/** Length of a line that fits at the usual size of code, in characters. */
const LEAST_COLUMNS = 60

type MarkdownState = Parameters<Parameters<MarkdownRenderer['core']['ruler']['push']>[1]>[0]

/** Turns empty headings of tables into plain cells. Screen readers would announce an empty heading. */
const withoutEmptyHeadings = ({ tokens }: MarkdownState): void => {
  for (const [at, token] of tokens.entries())
    if (token.type === 'th_open' && tokens[at + 1].content === '') token.tag = tokens[at + 2].tag = 'td'
}

/** Folds the section of each name on the pages of the API: only the heading and the summary below stay visible. */
const withFoldedNames = (state: MarkdownState): void => {
  const { relativePath } = state.env as { readonly relativePath?: string }
  if (relativePath?.startsWith('reference/api/') !== true) return
  const html = (content: string) => Object.assign(new state.Token('html_block', '', 0), { content })
  let isOpen = false
  state.tokens = state.tokens.flatMap((token, at, all) => {
    const isHeading = token.type === 'heading_open' && /h[23]/.test(token.tag)
    const end = isHeading && isOpen ? [html('</details>')] : []
    if (isHeading) isOpen = token.tag === 'h3'
    if (isHeading && isOpen) return [...end, html('<details class="name"><summary>'), token]
    const summary = isOpen && token.type === 'heading_close' && token.tag === 'h3' ? all.slice(at + 1, at + 4) : []
    for (const each of summary) if (each.type.startsWith('paragraph')) each.tag = 'span'
    summary[0]?.attrSet('class', 'about')
    const isEndOfSummary = token.type === 'paragraph_close' && token.tag === 'span'
    // TypeDoc writes a line between two names.
    return token.type === 'hr' ? [] : [...end, token, ...(isEndOfSummary ? [html('</summary>')] : [])]
  })
  if (isOpen) state.tokens.push(html('</details>'))
}

export default defineConfig({
  title: 'Cloister',
  description: 'Simulate, audit and see how jobs are placed on fat-tree clusters',
  lang: 'en',
  // All links are relative, so that the site works in any folder of a server.
  base: './',
  srcDir: 'dist/pages',
  cacheDir: 'dist/cache',
  router: { prefetchLinks: false },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // A test follows every link of the site, including links outside VitePress's pages.
  ignoreDeadLinks: true,
  markdown: {
    // The documents contain no HTML. Without this option, a <name> in their text would become HTML.
    html: false,
    anchor: { slugify },
    // The page has a grey background, on which the colours of the default themes for code are too pale.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => {
      const { fence, code_block: codeBlock } = markdown.renderer.rules
      markdown.core.ruler.push('headless', withoutEmptyHeadings)
      markdown.core.ruler.push('folded', withFoldedNames)
      // A wide block scrolls, so readers must be able to reach the block by keyboard.
      markdown.renderer.rules.code_block = (...given) => codeBlock!(...given).replace('<pre', '<pre tabindex="0"')
      markdown.renderer.rules.fence = (tokens, at, ...others) => {
        const { info, content } = tokens[at]
        if (info === RUN) return runFrame(content)
        if (info === STAGE) return stageFrame(content)
        const lengths = content.split('\n').map(({ length }) => length)
        const fitting = lengths.filter((length) => length <= MOST_COLUMNS)
        const kind = fitting.length < lengths.length ? 'code wrapped' : 'code'
        return `<div class="${kind}" style="--columns:${Math.max(...fitting, LEAST_COLUMNS)}">${fence?.(tokens, at, ...others) ?? ''}</div>`
      }
    },
  },
  vite: { logLevel: 'error' },
  vue: { template: { transformAssetUrls: { tags: {} } } },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // The search also finds words in blocks of code, which `searchable` turns into plain text.
        _render: (markdown, env, renderer) => renderer.render(searchable(markdown, env.relativePath), env),
        miniSearch: { searchOptions: { boostDocument: weightOf } },
      },
    },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Home', link: '/', activeMatch: '^/$' },
      { text: 'Tutorials', link: '/tutorials/first-run', activeMatch: '^/tutorials/' },
      { text: 'Papers', link: '/papers/', activeMatch: '^/papers/' },
      { text: 'Commands', link: '/reference/cli/', activeMatch: '^/reference/cli/' },
      { text: 'Playground', link: '/playground/index.html', target: '_self' },
      {
        text: 'Reference',
        items: [
          { text: 'Glossary', link: '/glossary' },
          { text: "Viewer's help", link: '/reference/apps/viewer' },
          { text: 'Event log', link: '/reference/log/format' },
          { text: 'Policies', link: '/reference/policies/baseline' },
          { text: 'Packages', link: '/reference/packages/audit' },
          { text: 'TypeScript API', link: '/reference/api/' },
        ],
      },
    ],
    // No chapter can be folded, because VitePress would put a button into a button.
    sidebar,
  },
})
