import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefaultTheme, defineConfig, type MarkdownRenderer } from 'vitepress'
import { askedInBrowser, BASE } from '../src/portable-base.ts'
import { RUN, runFrame } from '../src/links.ts'
import { HTML } from '../src/paper-pages.ts'
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

const isReference = ({ pages: [first] }: ListedChapter): boolean => first.path.startsWith('reference/')

const listOf = (isIn: (chapter: ListedChapter) => boolean): DefaultTheme.SidebarItem[] =>
  chapters
    .filter(isIn)
    .map(({ title, pages }) => ({
      text: title,
      items: pages.map(({ path, name }) => ({ text: name, link: `/${path.replace(/(^|\/)index$/, '$1')}` })),
    }))

/** Turns blocks of code in Markdown into plain text. */
const withoutFences = (markdown: string): string =>
  markdown
    .replaceAll(new RegExp(`^\`\`\`${HTML}\n[^]*?^\`\`\`$`, 'gm'), '')
    .replaceAll(/^```.*\n([\s\S]*?)^```$/gm, (_, code: string) => code.replaceAll(/^#+/gm, ''))

/** Returns the text of a page for the search of the site. On pages of the API only names are headings. */
const searchable = (markdown: string, page: string): string => {
  const text = withoutFences(markdown)
  return page.startsWith('reference/api/') ? text.replaceAll(/^#{4,} (.*?)(?: \{#\S+\})?$/gm, '$1') : text
}

type MarkdownState = Parameters<Parameters<MarkdownRenderer['core']['ruler']['push']>[1]>[0]

/** Turns empty headings of tables into plain cells. Screen readers would announce an empty heading. */
const withoutEmptyHeadings = ({ tokens }: MarkdownState): void => {
  for (const [at, token] of tokens.entries())
    if (token.type === 'th_open' && tokens[at + 1].content === '') token.tag = tokens[at + 2].tag = 'td'
}

export default defineConfig({
  title: 'Cloister',
  description: 'Simulate, audit and see how jobs are placed on fat-tree clusters',
  lang: 'en',
  base: BASE,
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
      // A wide block scrolls, so readers must be able to reach the block by keyboard.
      markdown.renderer.rules.code_block = (...given) => codeBlock!(...given).replace('<pre', '<pre tabindex="0"')
      markdown.renderer.rules.fence = (tokens, at, ...others) =>
        tokens[at].info === RUN
          ? runFrame(tokens[at].content)
          : tokens[at].info === HTML
            ? tokens[at].content
            : (fence?.(tokens, at, ...others) ?? '')
    },
  },
  vite: { logLevel: 'error', plugins: [askedInBrowser] },
  vue: { template: { transformAssetUrls: { tags: {} } } },
  themeConfig: {
    search: {
      provider: 'local',
      // The search also finds words in blocks of code, which `searchable` turns into plain text.
      options: { _render: (markdown, env, renderer) => renderer.render(searchable(markdown, env.relativePath), env) },
    },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Tutorials', link: '/tutorials/first-run' },
      { text: 'Playground', link: '/playground/index.html', target: '_self' },
      { text: 'Papers', link: '/papers/' },
      { text: 'Reference', link: '/reference/cli/' },
      { text: 'Glossary', link: '/glossary' },
    ],
    // No chapter can be folded, because VitePress would put a button into a button.
    sidebar: { '/reference/': listOf(isReference), '/': listOf((chapter) => !isReference(chapter)) },
  },
})
