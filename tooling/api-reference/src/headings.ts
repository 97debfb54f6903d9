// Gives each heading of a page a unique id as the target of links, so that all renderers have the same ids.
import { posix } from 'node:path'

/** Matches a heading of Markdown: its level, text, and the id from TypeDoc. */
const HEADING = /^(#+) (.*?)(?: \{#(\S+)\})?$/

/**
 * Gives every heading of a page, except the title, a unique id. TypeDoc gives equal ids to members of nested types, and
 * no ids to headings like `Parameters`.
 */
export function withOwnIds(markdown: string): string {
  const parts = markdown.split(/^(```[\s\S]*?^```$)/m)
  const given = new Set(parts.flatMap((part, at) => (at % 2 === 0 ? idsIn(part) : [])))
  const used = new Set<string>()
  let section = ''
  const withId = (line: string): string => {
    const [heading, level, text, id] = HEADING.exec(line) ?? []
    if (heading === undefined || level === '#') return line
    const own =
      id !== undefined && !used.has(id) ? id : freeId(section, text, (name) => given.has(name) || used.has(name))
    used.add(own)
    if (level === '##' || level === '###') section = own
    return `${level} ${text} {#${own}}`
  }
  return parts.map((part, at) => (at % 2 === 0 ? part.split('\n').map(withId).join('\n') : part)).join('')
}

/**
 * Returns the pages without links to missing headings. TypeDoc links to rows of tables and to constructors, which have
 * no ids: these links become text. The `<a id>` marks of table rows are removed.
 */
export function withoutLostLinks<Page extends { readonly path: string; readonly markdown: string }>(
  pages: ReadonlyArray<Page>,
): ReadonlyArray<Page> {
  const ids = new Map(pages.map(({ path, markdown }) => [path, new Set(idsIn(markdown))]))
  return pages.map((page) => {
    const markdown = page.markdown
      .replaceAll(/<a id="[^"]*"><\/a> ?/g, '')
      .replaceAll(/\[([^\]]*)\]\(([^()\s]*)#([^()\s]+)\)/g, (link, text: string, to: string, id: string) => {
        const target = to === '' ? page.path : posix.join(posix.dirname(page.path), to.replace(/\.md$/, ''))
        return /^[a-z]+:/.test(to) || ids.get(target)?.has(id) === true ? link : text
      })
    return { ...page, markdown }
  })
}

function idsIn(text: string): ReadonlyArray<string> {
  return text.split('\n').flatMap((line) => HEADING.exec(line)?.[3] ?? [])
}

/** Returns an id from a heading's section and words, with a number if the id is taken. */
function freeId(section: string, text: string, isTaken: (id: string) => boolean): string {
  const words = text.toLowerCase().match(/[a-z0-9_]+/g) ?? []
  const id = [section, ...words].filter((word) => word !== '').join('-')
  for (let at = 0; ; at++) {
    const free = at === 0 ? id : `${id}-${at}`
    if (!isTaken(free)) return free
  }
}
