import { Context, Effect, Layer } from 'effect'
import { ExitWith } from '../errors/errors.ts'

/** Signals by which a terminal or a service manager ends a program, with the numbers of the signals. */
const endSignals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

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

type Signal = keyof typeof endSignals

/** Time limit in ms for the finalisers (the clean-up) of a command after a signal. */
const FINALISERS_MS = 1800

/** First end signal that this process received, or undefined without a signal. */
let received: Signal | undefined

/**
 * Service `Signals` for SIGHUP, SIGINT and SIGTERM to this process. A second signal ends the process at once, and so
 * does the time limit for finalisers.
 */
export const processSignals: Layer.Layer<never> = Layer.succeed(Signals, {
  next: Effect.callback<Signal>((resume) => {
    const stop = (): void => {
      for (const signal of signals) process.off(signal, take)
    }
    const take = (signal: Signal): void => {
      stop()
      received = signal
      setTimeout(() => process.kill(process.pid, signal), FINALISERS_MS).unref()
      resume(Effect.succeed(signal))
    }
    for (const signal of signals) process.on(signal, take)
    return Effect.sync(stop)
  }),
})

const signals = Object.keys(endSignals) as ReadonlyArray<Signal>

/** If this process received a signal, ends this process by the signal, so that the parent process sees the signal. */
export function endBySignal(): void {
  if (received !== undefined) process.kill(process.pid, received)
}
