// Where links to headings lead: to an id of each heading's own, which whoever shows the page takes as it is.
import { posix } from 'node:path'

/** A heading, and the id that TypeDoc gave it. */
const HEADING = /^(#+) (.*?)(?: \{#(\S+)\})?$/

/**
 * Gives every heading of a page an id that no other one has. TypeDoc gives one to what it links to, but the same one to
 * members of types within types, to which nothing links; and none to `Parameters` and the like, which are many.
 */
export function withOwnIds(markdown: string): string {
  const parts = markdown.split(/^(```[\s\S]*?^```$)/m)
  const given = new Set(parts.flatMap((part, at) => (at % 2 === 0 ? idsIn(part) : [])))
  const used = new Set<string>()
  let section = ''
  const withId = (line: string): string => {
    const [heading, level, text, id] = HEADING.exec(line) ?? []
    // The title has none: nothing is above it.
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
 * Pages whose links lead to headings of theirs. TypeDoc also links to rows of tables, and to constructors, which have no
 * ids: they are named. What rows are marked with is markup, which is taken away.
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

/** An id of the section that a heading is in and of its words, with a number where that is taken. */
function freeId(section: string, text: string, isTaken: (id: string) => boolean): string {
  const words = text.toLowerCase().match(/[a-z0-9_]+/g) ?? []
  const id = [section, ...words].filter((word) => word !== '').join('-')
  for (let at = 0; ; at++) {
    const free = at === 0 ? id : `${id}-${at}`
    if (!isTaken(free)) return free
  }
}
