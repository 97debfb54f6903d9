import { Effect } from 'effect'

/**
 * Loads the code of a command at the call of the command. A command line with a request for help or for the version
 * needs all flags, but no code behind the flags. Such a command line starts in a third of the time.
 *
 * @param within wraps the command; default: no wrapper
 */
export function onDemand<Options, E, R, E2 = E>(
  load: () => Promise<(options: Options) => Effect.Effect<void, E, R>>,
  within?: (command: Effect.Effect<void, E, R>) => Effect.Effect<void, E | E2, R>,
): (options: Options) => Effect.Effect<void, E | E2, R> {
  return (options) => {
    const command = Effect.flatMap(Effect.promise(load), (run) => run(options))
    return within === undefined ? command : within(command)
  }
}
