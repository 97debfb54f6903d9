import { Effect, Layer } from 'effect'
import { endSignals, Signals } from '../terminal/signals.ts'

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
