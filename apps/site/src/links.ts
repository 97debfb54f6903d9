import { existsSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { DocumentPage } from './documents.ts'

/** What links of documents lead to on the site. */
export interface Targets {
  /** The repository's root, a folder. */
  readonly root: string
  /** Paths of pages by the document that they show. */
  readonly pages: ReadonlyMap<string, string>
  /** Where the repository can be seen; without it, what is no page is named and not linked. */
  readonly repository: string | undefined
}

/** A page with its links as the site needs them, and the pictures that it shows, from the repository's root. */
export interface LinkedPage {
  readonly markdown: string
  readonly pictures: ReadonlyArray<string>
}

/** Where pictures stand on the site: by their path in the repository. */
export const PICTURES = 'pictures'

const PLAYGROUND = 'apps/site/playground/index.html'

/** A picture that a module draws is an SVG of its name. */
export function pictureFile(picture: string): string {
  return picture.replace(/\.ts$/, '.svg')
}

/** The links of a document lead from file to file; those of its page from page to page. */
export function withLinks(page: DocumentPage, targets: Targets): LinkedPage {
  const pictures: Array<string> = []
  const markdown = outsideOfCode(page.markdown, (text) =>
    text.replaceAll(
      /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g,
      (link, bang: string, label: string, target: string) => {
        if (/^[a-z]+:/.test(target)) return link
        const [path = '', anchor] = target.split('#')
        const hash = anchor === undefined ? '' : `#${anchor}`
        if (path === '' && page.isWhole) return link
        const file = path === '' ? page.document : posix.join(dirname(page.document), path)
        if (bang === '!') {
          pictures.push(file)
          return `![${label}](${relativeTo(page.path, `${PICTURES}/${pictureFile(file)}`)})`
        }
        const shown = pageOf(file, targets)
        if (shown !== undefined) return `[${label}](${relativeTo(page.path, shown)}.md${hash})`
        // No page of VitePress: the browser follows the link, not a script.
        if (file === PLAYGROUND) return `[${label}](${relativeTo(page.path, 'playground/index.html')}){target="_self"}`
        return targets.repository === undefined ? label : `[${label}](${targets.repository}/blob/main/${file}${hash})`
      },
    ),
  )
  return { markdown, pictures }
}

/** The page that shows a document, or the README of a folder. */
function pageOf(file: string, { root, pages }: Targets): string | undefined {
  const path = join(root, file)
  if (!existsSync(path)) return pages.get(file)
  return pages.get(statSync(path).isDirectory() ? posix.join(file, 'README.md') : file)
}

/** A path as it is written on a page. */
export function relativeTo(page: string, target: string): string {
  const path = posix.relative(posix.dirname(page), target)
  return path.startsWith('.') ? path : `./${path}`
}

/** Changes the text of a document, and not what stands in its blocks of code. */
function outsideOfCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, at) => (at % 2 === 0 ? change(part) : part))
    .join('')
}
