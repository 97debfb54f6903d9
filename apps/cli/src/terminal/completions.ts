import { Console, Effect, Option } from 'effect'
import { Completions, GlobalFlag } from 'effect/cli'

/** Global flag `--completions SHELL`. The script has the first line of each description, because shells show one line. */
export const completionsFlag: typeof GlobalFlag.Completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag,
  run: (shell, { command }) =>
    Option.isNone(shell)
      ? Effect.void
      : Console.log(Completions.generate(command.name, shell.value, short(Completions.fromCommand(command)))),
})

function short(command: Completions.CommandDescriptor): Completions.CommandDescriptor {
  return {
    ...firstLine(command),
    flags: command.flags.map(firstLine),
    arguments: command.arguments.map(firstLine),
    subcommands: command.subcommands.map(short),
  }
}

function firstLine<A extends { readonly description: string | undefined }>(described: A): A {
  return { ...described, description: described.description?.split('\n', 1)[0] }
}
