import { Effect } from 'effect'

/**
 * Loads the code of a command when the command runs, so that the help of the command starts without this code.
 * @param within wraps the effect of the command, for example `untilSignal`, by default no wrapper
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
