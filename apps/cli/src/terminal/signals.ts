import { Context, Effect } from 'effect'
import { ExitWith } from '../errors/errors.ts'

/** Signals by which a terminal or a service manager ends a program, with the numbers of the signals. */
export const endSignals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/** Source of the next signal to end this program. A signal ends the program at once unless a command awaits `next`. */
export const Signals: Context.Reference<SignalSource> = Context.Reference<SignalSource>('cloister/Signals', {
  defaultValue: () => ({ next: Effect.never }),
})

interface SignalSource {
  readonly next: Effect.Effect<keyof typeof endSignals>
}

/**
 * Ends a command at a signal, and runs the finalisers of the command. Only for commands that mostly wait, because a
 * signal has no effect during a step of computation.
 */
export function untilSignal<A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E | ExitWith, R> {
  const ended = Effect.flatMap(Signals, ({ next }) =>
    Effect.flatMap(next, (signal) => Effect.fail(new ExitWith(128 + endSignals[signal]))),
  )
  // `ended` comes first, so that signals are handled before the command creates files that a finaliser removes.
  return Effect.raceFirst(ended, command)
}
