import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefaultTheme, defineConfig } from 'vitepress'
import { slugify } from '../src/documents.ts'
import { addRules, withOptions } from '../src/markdown-rules.ts'
import { HTML } from '../src/links.ts'
import type { ListedChapter } from '../src/site.ts'

const sources = join(import.meta.dirname, '../dist/pages')
const chapters = JSON.parse(readFileSync(join(sources, 'chapters.json'), 'utf8')) as ReadonlyArray<ListedChapter>

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

/** Turns blocks of code in Markdown into plain text: sessions into their commands, because outputs repeat words. */
const withoutFences = (markdown: string): string =>
  markdown
    .replaceAll(new RegExp(`^\`\`\`${HTML}\n[^]*?^\`\`\`$`, 'gm'), '')
    .replaceAll(/^```.*\n([\s\S]*?)^```$/gm, (_, code: string) => {
      const commands = code.split('\n').filter((line) => line.startsWith('$ '))
      return (commands.length > 0 ? commands.join('\n') : code).replaceAll(/^#+/gm, '')
    })

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
    config: addRules,
    codeTransformers: [{ postprocess: withOptions }],
  },
  vite: { logLevel: 'error' },
  vue: { template: { transformAssetUrls: { tags: {} } } },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // The search also finds words in blocks of code, which `searchable` turns into plain text.
        _render: (markdown, env, renderer) =>
          renderer.render(searchable(markdown, env.relativePath), { ...env, relativePath: '' }),
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
