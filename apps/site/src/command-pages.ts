// Makes the pages of commands from the program's own descriptions, and the schemas of the output of --json.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Chapter, Page } from './documents.ts'
import type { JsonSchema } from '@cloister/exports'
import { type CommandResult, experimentSchema, schemaName, SCHEMAS } from './json-schemas.ts'
import { schemaTables } from './schema-tables.ts'

/** Exports of apps/cli/src/reference.ts, which describes the commands. The file is imported by its path. */
interface Reference {
  readonly describedCommands: () => Promise<ReadonlyArray<Command>>
  readonly shownPolicy: (policy: {
    readonly name: string
    readonly version: string
    readonly description: string
    readonly load: () => Promise<unknown>
    readonly readme: () => Promise<string>
  }) => Promise<string>
}

interface Command {
  readonly command: string
  readonly about: string
  readonly usage: string
  readonly args: ReadonlyArray<Value>
  readonly options: ReadonlyArray<{ readonly group: string; readonly options: ReadonlyArray<Value> }>
  readonly groups: ReadonlyArray<{ readonly group: string; readonly commands: ReadonlyArray<string> }>
  readonly examples: ReadonlyArray<{ readonly command: string; readonly about: string }>
}

interface Value {
  readonly name: string
  readonly value: string
  readonly about: string
  readonly isRequired: boolean
}

/** Imports the descriptions of the commands. @param root root of the repository */
export async function reference(root: string): Promise<Reference> {
  return (await import(pathToFileURL(join(root, 'apps/cli/src/reference.ts')).href)) as Reference
}

const FOLDER = 'reference/cli'

/** Returns the page that lists the commands by group, then a chapter with the pages of the commands of each group. */
export async function commandChapters(
  root: string,
  results: ReadonlyArray<CommandResult>,
): Promise<ReadonlyArray<Chapter>> {
  const [program, ...commands] = await (await reference(root)).describedCommands()
  const pageOf = (name: string): Page => {
    const [own, ...inner] = commands.filter(({ command }) => command === name || command.startsWith(`${name} `))
    const sections = [own, ...inner].map((each) => section(each, results))
    return { path: `${FOLDER}/${name}`, name, markdown: sections.join('\n') }
  }
  const list: Page = { path: `${FOLDER}/index`, name: 'All commands', markdown: listOf(program, commands) }
  return [
    { title: 'Commands', pages: [list] },
    ...program.groups.map(({ group, commands: names }) => ({ title: group, pages: names.map(pageOf) })),
  ]
}

function listOf(program: Command, commands: ReadonlyArray<Command>): string {
  const row = (name: string): string => {
    const inner = commands
      .filter(({ command }) => command.startsWith(`${name} `))
      .map(({ command }) => `\`${command}\``)
    const [summary] = commands.find(({ command }) => command === name)!.about.split('\n')
    return `| [\`${name}\`](./${name}.md) | ${escaped(summary)}${inner.length === 0 ? '' : `: ${inner.join(', ')}`} |`
  }
  const groups = program.groups.map(
    ({ group, commands: names }) => `## ${group}\n\n| command | task |\n|---|---|\n${names.map(row).join('\n')}\n`,
  )
  const about = `${escaped(program.about)}. In a clone of the repository, \`npm run cloister -- COMMAND\` runs a command.\n`
  return [`# Commands\n\n${about}`, ...groups, `## Options of the program\n\n${optionsOf(program, '###')}`].join('\n')
}

/** Returns the section of a command: usage, arguments, options, subcommands, examples and the schema of the result. */
function section(command: Command, results: ReadonlyArray<CommandResult>): string {
  const isInner = command.command.includes(' ')
  const level = isInner ? '###' : '##'
  const [summary, ...details] = command.about.split('\n')
  const subcommands = command.groups.flatMap(({ commands }) =>
    commands.map((name) => `[\`${command.command} ${name}\`](#cloister-${command.command}-${name})`),
  )
  return [
    `${isInner ? '##' : '#'} cloister ${command.command}\n`,
    `${escaped(summary)}.\n`,
    ...details.map((line) => `${escaped(line)}\n`),
    `\`\`\`sh\n${command.usage}\n\`\`\`\n`,
    ...(subcommands.length === 0 ? [] : [`Subcommands: ${subcommands.join(', ')}\n`]),
    ...(command.args.length === 0 ? [] : [`${level} Arguments\n\n${table('argument', command.args)}`]),
    ...(command.options.flatMap(({ options }) => options).length === 0
      ? []
      : [`${level} Options\n\n${optionsOf(command, `${level}#`)}`]),
    ...(command.examples.length === 0 ? [] : [`${level} Examples\n`]),
    ...command.examples.map((example) => `${escaped(example.about)}:\n\n\`\`\`sh\n${example.command}\n\`\`\`\n`),
    resultOf(command.command, results, level),
  ].join('\n')
}

function optionsOf({ options }: Command, level: string): string {
  if (options.length === 1) return table('option', options[0].options)
  const title = (group: string): string => group[0].toUpperCase() + group.slice(1)
  return options.map(({ group, options: some }) => `${level} ${title(group)}\n\n${table('option', some)}`).join('\n')
}

function table(title: string, values: ReadonlyArray<Value>): string {
  const rows = values.map(({ name, value, about, isRequired }) => {
    const [meaning, byDefault] = title === 'option' ? withoutDefault(about) : [sentences(about.split('\n')), '']
    const choices = value.replaceAll(/[<>]/g, '').split('|')
    const shown = value === '' ? '' : choices.map((choice) => `\`${choice}\``).join(' \\| ')
    return `| \`${name}\` | ${shown} | ${isRequired ? '**Required.** ' : ''}${escaped(meaning)} | ${escaped(byDefault)} |`
  })
  return `| ${title} | value | meaning | default |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

/** Splits a description into the meaning, as one text, and the default value, by the words with which it is written. */
function withoutDefault(about: string): readonly [meaning: string, byDefault: string] {
  const lines = about.split('\n')
  const at = lines.findIndex((line) => /\bdefault: /i.test(line))
  const [before, byDefault = ''] = at === -1 ? [''] : lines[at].split(/(?:^|[,;] |(?<=\. ))default: /i)
  return [sentences(at === -1 ? lines : lines.with(at, before)), byDefault.replace(/\.$/, '')]
}

function sentences(lines: ReadonlyArray<string>): string {
  const texts = lines.map((line) => line.trim()).filter((line) => line !== '')
  return texts.map((line) => (/[.:]$/.test(line) ? line : `${line}.`)).join(' ')
}

/** Escapes the characters that Markdown would read as marks, outside of code. */
function escaped(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, at) => (at % 2 === 0 ? part.replaceAll(/[\\|*<>[\]{}]/g, '\\$&') : part.replaceAll('|', '\\|')))
    .join('')
}

// The results of commands with --json.

function resultOf(command: string, results: ReadonlyArray<CommandResult>, level: string): string {
  const found = results.find((result) => result.command === command)
  if (found === undefined) return ''
  const experiment =
    command === 'sweep' ? `\n${level} The file of an experiment\n\n${folded(experimentSchema(), 'experiment')}` : ''
  return `${level} Output of --json\n\n${folded(found.schema, schemaName(command))}${experiment}`
}

function folded(schema: JsonSchema, name: string): string {
  const link = `[JSON Schema](../../${SCHEMAS}/${name}.schema.json)`
  return `The ${link} describes the fields for programs.\n\n::: details The fields\n${schemaTables(schema)}\n:::\n`
}
