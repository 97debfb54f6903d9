// What a package exports, from its docstrings: a test of the repository holds every public name to have one.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Export, exportsOf, isDocstring, linesBefore } from '@cloister/lint/public-names'

/** The names of a package's entries with what they are, as a section of its page; nothing where it exports none. */
export function namesSection(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly exports?: { readonly [entry: string]: string | { readonly '@cloister/source'?: string } }
  }
  const sections = Object.entries(manifest.exports ?? {}).flatMap(([entry, target]) => {
    const source = typeof target === 'string' ? undefined : target['@cloister/source']
    if (source?.startsWith('./src/') !== true) return []
    const names = publicNames(join(folder, source))
    const rows = names.map(({ name, meaning }) => `| \`${name}\` | ${meaning} |`)
    return rows.length === 0
      ? []
      : [`From \`${manifest.name}${entry.slice(1)}\`:\n\n| name | what it is |\n|---|---|\n${rows.join('\n')}\n`]
  })
  return sections.length === 0 ? '' : `\n## Public names\n\n${sections.join('\n')}`
}

interface PublicName {
  readonly name: string
  /** The first paragraph of its docstring, as Markdown in one line. */
  readonly meaning: string
}

/** The names that a file exports, by name. */
export function publicNames(file: string): ReadonlyArray<PublicName> {
  const named = exportsOf(file).filter(({ name }) => name !== 'default')
  const names = new Map(named.map((each) => [each.name, { name: each.name, meaning: meaningOf(file, each) }]))
  return [...names.values()].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
}

/** What the docstring before its declaration says. */
function meaningOf(file: string, { local, from }: Export): string {
  if (from?.startsWith('.') === false) return `\`${local}\` of \`${from}\``
  const before = linesBefore(resolve(dirname(file), from ?? file), local)
  return isDocstring(before) ? firstParagraph(before) : ''
}

/** @param before the lines before a declaration, of which the last ones are its docstring */
function firstParagraph(before: ReadonlyArray<string>): string {
  const from = before.findLastIndex((line) => line.trimStart().startsWith('/**'))
  const [paragraph = ''] = before
    .slice(from)
    .map((line) =>
      line
        .replace(/^\s*(\/\*\*|\*\/|\*(?!\/))?/, '')
        .replace(/\*\/\s*$/, '')
        .trim(),
    )
    .join('\n')
    .trim()
    .split(/\n\n|\n(?=@|```)|^(?=@)/)
  return paragraph
    .replaceAll('\n', ' ')
    .replace(/(?<=.) @(throws|param|returns) .*$/, '')
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .replaceAll('|', '\\|')
}
