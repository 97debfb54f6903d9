// The TypeScript API of packages as pages: a page a package, a heading a name.
import { basename } from 'node:path'
import type { Page } from './page.ts'
import type { Entry, PublicName } from './types/public-api.ts'

/** The page of all that a package exports. */
export function apiPage(name: string, entries: ReadonlyArray<Entry>): Page {
  const sections = entries.map(
    ({ specifier, names }) => `## ${specifier}\n\n${names.map((each) => nameSection(each)).join('\n')}`,
  )
  return { path: apiPath(name), name, markdown: `# The API of ${name}\n\n${sections.join('\n')}` }
}

/** @param name of a package's folder */
function apiPath(name: string): string {
  return `reference/api/${name}`
}

function nameSection({ name, declaration, documentation, tags }: PublicName): string {
  const said = tags.map(({ name: tag, text = '' }) => saidOf(tag, text)).join('')
  const parts = [declaration === '' ? '' : `\`\`\`ts\n${declaration}\n\`\`\``, documentation, said]
  return `### ${name}\n\n${parts
    .filter((part) => part !== '')
    .map((part) => `${part.trimEnd()}\n`)
    .join('\n')}`
}

/** A line of a list; an example as it is. */
function saidOf(tag: string, text: string): string {
  return text.includes('```') ? `\n${text}\n\n` : `- \`@${tag}\` ${oneLine(text)}\n`
}

/** The names of a package's entries with what they are, as a section of its page; nothing where it exports none. */
export function namesSection(name: string, entries: ReadonlyArray<Entry>): string {
  if (entries.length === 0) return ''
  const tables = entries.map(({ specifier, names }) => {
    const rows = names.map((each) => `| \`${each.name}\` | ${firstParagraph(each.documentation)} |`)
    return `From \`${specifier}\`:\n\n| name | what it is |\n|---|---|\n${rows.join('\n')}\n`
  })
  return `\n## Public names\n\n[How they are declared](../api/${basename(apiPath(name))}.md).\n\n${tables.join('\n')}`
}

/** The first paragraph of a docstring, as Markdown in one line of a table. */
function firstParagraph(documentation: string): string {
  const [paragraph = ''] = documentation.split(/\n\n|\n(?=```)/)
  return oneLine(paragraph).replaceAll('|', '\\|')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ')
}
