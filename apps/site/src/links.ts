import { existsSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { DocumentPage } from './documents.ts'

/** Targets of links in the documents: pages of the site, or files of the repository. */
export interface Targets {
  /** Root folder of the repository. */
  readonly root: string
  /** Result of `pagesOf`: paths on the site by the path of the document in the repository, some with a heading's id. */
  readonly pages: ReadonlyMap<string, string>
  /** Address of the public repository. If undefined, links to targets outside of the site become plain text. */
  readonly repository: string | undefined
}

/** A page with links for the site. The paths of the page's pictures begin at the repository's root. */
interface LinkedPage {
  readonly markdown: string
  readonly pictures: ReadonlyArray<string>
}

/** Folder of the pictures on the site. A picture keeps its path in the repository. */
export const PICTURES = 'pictures'

const PLAYGROUND = 'apps/site/playground/index.html'

/** Folders of the programs in other languages than TypeScript; the site has a copy. */
export const KITS = ['packages/placement/kits/', 'packages/eventlog/kits/'] as const

/** Returns the path on the site of a file of a kit; undefined for any other file. */
function kitOnSite(file: string): string | undefined {
  const folder = KITS.find((kits) => file.startsWith(kits))
  return folder === undefined ? undefined : `kits/${file.slice(folder.length)}`
}

/** Turns the links of a document, which lead from file to file, into links from page to page. */
export function withLinks(page: DocumentPage, targets: Targets): LinkedPage {
  const pictures: Array<string> = []
  const markdown = outsideOfCode(page.markdown, (text) =>
    text.replaceAll(
      /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g,
      (link, bang: string, label: string, target: string) => {
        if (/^[a-z]+:/.test(target)) return link
        const [path = '', anchor] = target.split('#')
        const hash = anchor === undefined ? '' : `#${anchor}`
        if (path === '' && page.part === 'whole') return link
        const file = path === '' ? page.document : posix.join(dirname(page.document), path)
        if (bang === '!') {
          pictures.push(file)
          return `![${label}](${relativeTo(page.path, `${PICTURES}/${file}`)})`
        }
        const shown = targets.pages.get(`${file}#${anchor}`) ?? pageOf(file, targets)
        if (shown !== undefined) return `[${label}](${relativeTo(page.path, shown)}.md${hash})`
        // The playground is not a page of VitePress, so the browser, and not VitePress's router, must follow the link.
        if (file === PLAYGROUND) return `[${label}](${relativeTo(page.path, 'playground/index.html')}){target="_self"}`
        // VitePress would look for a page behind a link in Markdown.
        const kit = kitOnSite(file)
        if (kit !== undefined) return `<a href="${relativeTo(page.path, kit)}" download>${label}</a>`
        return targets.repository === undefined ? label : `[${label}](${targets.repository}/blob/main/${file}${hash})`
      },
    ),
  )
  return { markdown, pictures }
}

function pageOf(file: string, { root, pages }: Targets): string | undefined {
  const path = join(root, file)
  if (!existsSync(path)) return pages.get(file)
  return pages.get(statSync(path).isDirectory() ? posix.join(file, 'README.md') : file)
}

/** Returns the relative path from a page to a target. Both parameters are paths on the site. */
function relativeTo(page: string, target: string): string {
  const path = posix.relative(posix.dirname(page), target)
  return path.startsWith('.') ? path : `./${path}`
}

function outsideOfCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, at) => (at % 2 === 0 ? change(part) : part))
    .join('')
}

// Writes runs into pages: the block of Markdown for a run, and the HTML of the block.

/** Language of a block of Markdown that shows a run. */
export const RUN = 'run'

/** Language of a block of Markdown that has HTML of the papers' pages. */
export const HTML = 'made-html'

/** Returns the block of Markdown for a run. @param name name of the run's file @param what description of the run */
export function runBlock(name: string, what: string): string {
  return `\`\`\`${RUN}\n${name}\n${what}\n\`\`\`\n\n`
}

/** Returns the HTML of a block of Markdown for a run. The run is loaded when a reader opens the block. */
export function runFrame(block: string): string {
  const [name, what] = block
    .trim()
    .split('\n')
    .map((text) => text.replaceAll("'", '&#39;').replaceAll('"', '&quot;'))
  return `<details class="run"><summary>See a run: ${what}, in the viewer</summary><iframe loading="lazy" title="${what}, in the viewer" src="./runs/${name}.html"></iframe></details>\n`
}

/** Language of a block of Markdown with a large run: the run's file, a description, and a picture as SVG. */
export const STAGE = 'stage'

/** Returns the block of Markdown that shows a picture, and the run in the viewer when a reader touches the picture. */
export function stageBlock(name: string, what: string, picture: string): string {
  return `\`\`\`${STAGE}\n${name}\n${what}\n${picture}\n\`\`\``
}

/** Returns the HTML of a block of Markdown for a large run. The site's theme loads the run. */
export function stageFrame(block: string): string {
  const [name, what, picture] = block.trim().split('\n')
  return `<figure class="stage"><button type="button" data-run="./papers/runs/${name}.html#t=9000&amp;panes=tracks:30"><span class="nodes">nodes</span>${picture}<span class="open">Move through this run</span><span class="time">time</span></button><figcaption>${what}</figcaption></figure>\n`
}
