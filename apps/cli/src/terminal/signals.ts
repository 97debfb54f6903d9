import { Context, Effect } from 'effect'
import { ExitWith } from '../errors/exit.ts'

/** Signals by which a terminal or a service manager asks a program to end, and their numbers. */
export const endSignals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/** The next signal that asks this program to end. While nobody waits for it, a signal ends the program at once. */
export const Signals: Context.Reference<SignalSource> = Context.Reference<SignalSource>('cloister/Signals', {
  defaultValue: () => ({ next: Effect.never }),
})

interface SignalSource {
  readonly next: Effect.Effect<keyof typeof endSignals>
}

/**
 * Ends a command through its finalisers when a signal asks for it. For commands that wait for others most of the time: a
 * signal reaches nobody during a step of computation.
 */
export function untilSignal<A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E | ExitWith, R> {
  const ended = Effect.flatMap(Signals, ({ next }) =>
    Effect.flatMap(next, (signal) => Effect.fail(new ExitWith(128 + endSignals[signal]))),
  )
  // A signal is heard before the command makes anything that it has to remove.
  return Effect.raceFirst(ended, command)
}
