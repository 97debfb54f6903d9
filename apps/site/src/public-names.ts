// What a package exports, from its docstrings: a test of the repository holds every public name to have one.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const KEYWORDS = '(?:declare |abstract |async )*(?:function\\*?|class|const|let|interface|type|enum)'

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
  const text = readFileSync(file, 'utf8')
  const all = [...text.matchAll(/^export (?:type )?\* from '(\.[^']+)'/gm)].flatMap(([, from]) =>
    publicNames(resolve(dirname(file), from)),
  )
  const given = [...text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/gm)].flatMap(([, list, from]) =>
    listed(list).map(([local, name]) => ({
      name,
      meaning:
        from?.startsWith('.') === false
          ? `\`${local}\` of \`${from}\``
          : meaningOf(resolve(dirname(file), from ?? file), local),
    })),
  )
  const own = [...text.matchAll(new RegExp(`^export ${KEYWORDS} (\\w+)`, 'gm'))].map(([, name]) => ({
    name,
    meaning: meaningOf(file, name),
  }))
  const names = new Map(
    [...all, ...given, ...own].filter(({ name }) => name !== 'default').map((each) => [each.name, each]),
  )
  return [...names.values()].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
}

/** The entries of a list in braces: `a, type B, c as d`. */
function listed(list: string): ReadonlyArray<readonly [local: string, name: string]> {
  return list
    .split(',')
    .map((entry) => entry.trim().replace(/^type\s+/, ''))
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [local, name = local] = entry.split(/\s+as\s+/)
      return [local, name]
    })
}

/** What the docstring before a declaration says, in this file or where the file has the name from. */
function meaningOf(file: string, name: string): string {
  const text = readFileSync(file, 'utf8')
  const lines = text.split('\n')
  const at = lines.findIndex((line) => new RegExp(`^(?:export )?${KEYWORDS} ${name}\\b`).test(line))
  if (at > 0) return firstParagraph(lines.slice(0, at))
  for (const [, list, from] of text.matchAll(/^(?:import|export)(?: type)? \{([^}]*)\} from '(\.[^']+)'/gm)) {
    const found = listed(list).find(([, known]) => known === name)
    if (found !== undefined) return meaningOf(resolve(dirname(file), from), found[0])
  }
  return ''
}

/** @param before the lines before a declaration, of which the last ones are its docstring */
function firstParagraph(before: ReadonlyArray<string>): string {
  if (before.at(-1)?.trimEnd().endsWith('*/') !== true) return ''
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
