// Help and descriptions of every command, and output of `cloister policy show`, for the pages of the documentation.
import { Console, Effect, Layer, Option } from 'effect'
import { CliOutput, type Command, type HelpDoc } from 'effect/cli'
import { fileSystem } from '@cloister/run/node'
import { programWith, runCloister } from './cloister.ts'
import { type BuiltInPolicy, nodePolicyLookup } from './policy/policy-lookup.ts'
import { flagParts, groupsOf, helpText } from './terminal/help.ts'
import { Terminal } from './terminal/terminal.ts'

/** Command of the program, and the output of the command with `--help`. */
export interface CommandHelp {
  /** Words of the command after `cloister`, such as `sweep merge`, or an empty text for the program itself. */
  readonly command: string
  readonly text: string
}

/** Returns the help of every command. @param columns width of the terminal, in characters */
export async function commandHelp(columns: number): Promise<ReadonlyArray<CommandHelp>> {
  return (await helpDocs()).map(({ command, doc }) => ({ command, text: `${helpText(doc, columns)}\n` }))
}

/** Command of the program, described for a page. */
export interface DescribedCommand {
  /** Words of the command after `cloister`, or an empty text for the program itself. */
  readonly command: string
  /** Description; the first line is the summary. */
  readonly about: string
  readonly usage: string
  readonly args: ReadonlyArray<DescribedValue>
  readonly options: ReadonlyArray<{ readonly group: string; readonly options: ReadonlyArray<DescribedValue> }>
  /** Groups of subcommands, each with the names of the subcommands. */
  readonly groups: ReadonlyArray<{ readonly group: string; readonly commands: ReadonlyArray<string> }>
  readonly examples: ReadonlyArray<{ readonly command: string; readonly about: string }>
}

/** Argument or option of a command. */
export interface DescribedValue {
  /** Name as typed: `--shard`. */
  readonly name: string
  /** Name of the value, or its choices separated by `|`; empty without a value. */
  readonly value: string
  /** Description; the first line is the summary. */
  readonly about: string
  readonly isRequired: boolean
}

/** Returns a description of every command, in the order of the help, from the program's own descriptions. */
export async function describedCommands(): Promise<ReadonlyArray<DescribedCommand>> {
  return (await helpDocs()).map(({ command, doc }) => ({
    command,
    about: doc.description,
    usage: doc.usage,
    args: (doc.args ?? []).map(({ name, variadic, description, required }) => ({
      name: variadic ? `${name}...` : name,
      value: '',
      about: textOf(description),
      isRequired: required,
    })),
    options: groupsOf(command === '' ? (doc.globalFlags ?? []) : doc.flags).map(([group, flags]) => ({
      group,
      options: flags.map((flag) => {
        const { about, ...parts } = flagParts(flag)
        return { ...parts, about: textOf(about), isRequired: flag.required }
      }),
    })),
    groups: (doc.subcommands ?? []).map(({ group = 'Commands', commands }) => ({
      group,
      commands: commands.map(({ name }) => name),
    })),
    examples: (doc.examples ?? []).map((example) => ({ command: example.command, about: example.description ?? '' })),
  }))
}

function textOf(description: Option.Option<string>): string {
  return Option.getOrElse(description, () => '')
}

interface CommandDoc {
  readonly command: string
  readonly doc: HelpDoc.HelpDoc
}

/** Returns the help of a command and of its subcommands as data, in the order of the help. */
async function helpDocs(
  command?: Command.Command.Any,
  words: ReadonlyArray<string> = [],
): Promise<ReadonlyArray<CommandDoc>> {
  const { subcommands } = command ?? (await programWith(() => true))
  const docs: Array<CommandDoc> = []
  const collector = Layer.succeed(CliOutput.Presenter, {
    present: (event) =>
      Effect.sync(() => {
        if (event._tag === 'Help') docs.push({ command: words.join(' '), doc: event.helpDoc })
      }),
  })
  await printed([...words, '--help'], [], collector)
  for (const subcommand of subcommands.flatMap(({ commands }) => commands))
    docs.push(...(await helpDocs(subcommand, [...words, subcommand.name])))
  return docs
}

/** Returns the output of `cloister policy show` for a policy. */
export function shownPolicy(policy: BuiltInPolicy): Promise<string> {
  return printed(['policy', 'show', policy.name], [policy])
}

async function printed(
  args: ReadonlyArray<string>,
  policies: ReadonlyArray<BuiltInPolicy>,
  presenter?: Layer.Layer<never>,
): Promise<string> {
  let text = ''
  const recorded: Console.Console = Object.assign(Object.create(console), {
    log: (line: string) => {
      text += `${line}\n`
    },
    // Hides remarks, such as the remark that a package with the name of a built-in policy is installed.
    error: () => {},
  })
  const write = (some: string): void => {
    text += some
  }
  const services = Layer.mergeAll(
    nodePolicyLookup(policies),
    fileSystem,
    Layer.succeed(Terminal, { write, isOutput: () => false, isWatched: false, columns: 80, showStatus: () => {} }),
  )
  const run = runCloister(args, presenter).pipe(
    Effect.provide(services),
    Effect.provideService(Console.Console, recorded),
  )
  // `--help` and `policy show` need only policies, files and the terminal.
  const code = await Effect.runPromise(run as Effect.Effect<number>)
  if (code !== 0) throw new Error(`cloister ${args.join(' ')} ended with ${code}`)
  return text
}
