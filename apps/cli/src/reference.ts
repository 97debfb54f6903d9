// Output of the program about the program, for pages of the documentation: the help of every command and the output of
// `policy show`.
import { Console, Effect, Layer } from 'effect'
import type { Command } from 'effect/cli'
import { program, runCloister } from './cloister.ts'
import { fileSystem } from './node/files.ts'
import { nodePolicyLookup } from './node/policy-lookup.ts'
import type { BuiltInPolicy } from './policy/policy-lookup.ts'
import { Terminal } from './terminal/terminal.ts'

/** Command and the output of its `--help`. */
export interface CommandHelp {
  /** Words after `cloister`, such as `sweep merge`. Empty for the program itself. */
  readonly command: string
  readonly text: string
}

/**
 * Returns the help of the program, of each command and of its subcommands, in the order of the program's help.
 *
 * @param columns width of the terminal, in characters
 */
export async function commandHelp(
  columns: number = 80,
  command: Command.Command.Any = program,
  words: ReadonlyArray<string> = [],
): Promise<ReadonlyArray<CommandHelp>> {
  const text = await printed([...words, '--help'], [], columns)
  const inner: Array<CommandHelp> = []
  for (const subcommand of command.subcommands.flatMap(({ commands }) => commands))
    inner.push(...(await commandHelp(columns, subcommand, [...words, subcommand.name])))
  return [{ command: words.join(' '), text }, ...inner]
}

/** Returns the output of `cloister policy show` for a policy. */
export function shownPolicy(policy: BuiltInPolicy): Promise<string> {
  return printed(['policy', 'show', policy.name], [policy], 80)
}

/** Runs a command that needs no service except policies, files and a terminal, and returns the output. */
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
    // Hides the remark that the user has installed the policy too.
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
  // The commands of this file need no further services.
  const code = await Effect.runPromise(run as Effect.Effect<number>)
  if (code !== 0) throw new Error(`cloister ${args.join(' ')} ended with ${code}`)
  return text
}
