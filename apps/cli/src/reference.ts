// Help of every command, and output of `cloister policy show`, for the pages of the documentation.
import { Console, Effect, Layer } from 'effect'
import type { Command } from 'effect/cli'
import { fileSystem } from '@cloister/run/node'
import { programWith, runCloister } from './cloister.ts'
import { type BuiltInPolicy, nodePolicyLookup } from './policy/policy-lookup.ts'
import { Terminal } from './terminal/terminal.ts'

/** Command of the program, and the output of the command with `--help`. */
export interface CommandHelp {
  /** Words of the command after `cloister`, such as `sweep merge`, or an empty text for the program itself. */
  readonly command: string
  readonly text: string
}

/**
 * Returns the help of a command and of its subcommands, in the order of the help, by default of the whole program.
 * @param columns width of the terminal, in characters
 */
export async function commandHelp(
  columns: number = 80,
  command?: Command.Command.Any,
  words: ReadonlyArray<string> = [],
): Promise<ReadonlyArray<CommandHelp>> {
  const { subcommands } = command ?? (await programWith(() => true))
  const text = await printed([...words, '--help'], [], columns)
  const inner: Array<CommandHelp> = []
  for (const subcommand of subcommands.flatMap(({ commands }) => commands))
    inner.push(...(await commandHelp(columns, subcommand, [...words, subcommand.name])))
  return [{ command: words.join(' '), text }, ...inner]
}

/** Returns the output of `cloister policy show` for a policy. */
export function shownPolicy(policy: BuiltInPolicy): Promise<string> {
  return printed(['policy', 'show', policy.name], [policy], 80)
}

async function printed(
  args: ReadonlyArray<string>,
  policies: ReadonlyArray<BuiltInPolicy>,
  columns: number,
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
    Layer.succeed(Terminal, { write, isOutput: () => false, isWatched: false, columns, showStatus: () => {} }),
  )
  const run = runCloister(args).pipe(Effect.provide(services), Effect.provideService(Console.Console, recorded))
  // `--help` and `policy show` need only policies, files and the terminal.
  const code = await Effect.runPromise(run as Effect.Effect<number>)
  if (code !== 0) throw new Error(`cloister ${args.join(' ')} ended with ${code}`)
  return text
}
