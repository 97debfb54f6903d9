// Pages that no document has: they are made of what the program says of itself.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Chapter, Page } from './page.ts'

/** The part of the command line that tells of itself: apps/cli/src/reference.ts, imported by its path since it is nobody's entry. */
interface Reference {
  readonly commandHelp: () => Promise<ReadonlyArray<{ readonly command: string; readonly text: string }>>
  readonly shownPolicy: (policy: {
    readonly name: string
    readonly version: string
    readonly load: () => Promise<unknown>
    readonly readme: () => Promise<string>
  }) => Promise<string>
}

async function reference(root: string): Promise<Reference> {
  return (await import(pathToFileURL(join(root, 'apps/cli/src/reference.ts')).href)) as Reference
}

/** A page for each command, with its subcommands. */
export async function commandChapter(root: string): Promise<Chapter> {
  const helps = await (await reference(root)).commandHelp()
  const pages = helps
    .filter(({ command }) => !command.includes(' '))
    .map(({ command, text }): Page => {
      const inner = helps.filter((help) => command !== '' && help.command.startsWith(`${command} `))
      return {
        path: `reference/cli/${command || 'index'}`,
        name: command || 'cloister',
        markdown: `# ${`cloister ${command}`.trim()}\n\n${helpBlock(text)}${inner.map((help) => `\n## cloister ${help.command}\n\n${helpBlock(help.text)}`).join('')}`,
      }
    })
  return { title: 'Commands', pages }
}

function helpBlock(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`
}

/** What `cloister policy show` prints, as a section of the policy's page. */
export async function policySection(root: string, name: string): Promise<string> {
  const folder = join(root, 'packages/policies', name)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string }
  const text = await (
    await reference(root)
  ).shownPolicy({
    name,
    version,
    load: async () =>
      ((await import(pathToFileURL(join(folder, 'src/index.ts')).href)) as { readonly default: unknown }).default,
    readme: async () => readFileSync(join(folder, 'README.md'), 'utf8'),
  })
  return `\n## Options and claims\n\n\`cloister policy show ${name}\` prints:\n\n${helpBlock(text)}`
}
